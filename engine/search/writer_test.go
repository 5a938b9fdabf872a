package search_test

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Readers that get stuck behind a writer that waits are found: in such a
// schedule the writer begins to wait before the readers come.
func TestReadersBehindWriter(t *testing.T) {
	writer := func(m *sim.RWMutex, wg *sim.WaitGroup) func(*sim.Thread) {
		return func(t *sim.Thread) { t.WLock(m); t.WUnlock(m); t.Done(wg) }
	}
	for name, program := range map[string]func(*sim.Thread){
		"reads again": func(t *sim.Thread) {
			m, wg := t.RWMutex(), t.WaitGroup(2)
			again := func(t *sim.Thread) {
				t.RLock(m)
				t.RLock(m)
				t.RUnlock(m)
				t.RUnlock(m)
				t.Done(wg)
			}
			t.Go(again)
			t.Go(writer(m, wg))
			t.Join(wg)
		},
		"main reads again": func(t *sim.Thread) {
			m, wg := t.RWMutex(), t.WaitGroup(1)
			t.Go(writer(m, wg))
			t.RLock(m)
			t.RLock(m)
			t.RUnlock(m)
			t.RUnlock(m)
			t.Join(wg)
		},
		"waits for a reader": func(t *sim.Thread) {
			m, c, wg := t.RWMutex(), t.Chan(0), t.WaitGroup(3)
			t.Go(func(t *sim.Thread) { t.RLock(m); t.Recv(c); t.RUnlock(m); t.Done(wg) })
			t.Go(func(t *sim.Thread) { t.RLock(m); t.RUnlock(m); t.Send(c, 1); t.Done(wg) })
			t.Go(writer(m, wg))
			t.Join(wg)
		},
		"main waits for a reader": func(t *sim.Thread) {
			m, c, wg := t.RWMutex(), t.Chan(0), t.WaitGroup(2)
			t.Go(writer(m, wg))
			t.Go(func(t *sim.Thread) { t.RLock(m); t.RUnlock(m); t.Send(c, 1); t.Done(wg) })
			t.RLock(m)
			t.Recv(c)
			t.RUnlock(m)
			t.Join(wg)
		},
	} {
		for _, strategy := range []string{"explore", "auto"} {
			o := search.Run(ctx, sim.New(program), 0, search.Options{Strategy: named(t, strategy, 1), Schedules: 60}, nil)
			t.Logf("%s, %s: %s (%s) after %d", name, strategy, o.Status, o.Reason, o.Schedules)
			if o.Status != search.Failing || o.Findings[0].Signature.Kind != trace.Deadlocked {
				t.Errorf("%s, %s: %s (%s), want a deadlock", name, strategy, o.Status, o.Reason)
			}
		}
	}
}
