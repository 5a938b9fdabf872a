package stored

import (
	"context"
	"time"
)

// pollInterval is how often the store is checked for changes: its folder's time stamp.
const pollInterval = 250 * time.Millisecond

// Watch calls f with the findings at once, and then within 300 ms after each
// change of the store, by any process, until ctx ends. It blocks; the calls of
// f are sequential, and there is none after Watch has returned.
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
