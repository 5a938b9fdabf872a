package stored

import (
	"context"
	"time"
)

// pollInterval is how often the store is checked for changes: its folder's time stamp.
const pollInterval = 250 * time.Millisecond

// Watch calls f with the findings at once, then after each change of the
// store, by whatever process, within 300 ms, until ctx ends. It blocks; f is
// called by it, one call at a time, and never after it returned.
func (m *Module) Watch(ctx context.Context, f func(*Findings)) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	v := m.store.View()
	for first := true; ; first = false {
		if changed := v.Changed(); (changed || first) && ctx.Err() == nil {
			f(m.Findings())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
