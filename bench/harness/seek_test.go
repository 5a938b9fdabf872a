package harness

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/run/sim"
)

// Always tells failures of every run from those of some schedules, in searches
// that are spent and in those that a plan of a few schedules cuts short.
func TestSeekAlways(t *testing.T) {
	leaks := func(t *sim.Thread) {
		c := t.Chan(0)
		t.Go(func(t *sim.Thread) { t.Recv(c) })
	}
	deadlocks := func(t *sim.Thread) { t.Recv(t.Chan(0)) }
	sometimes := func(t *sim.Thread) {
		c := t.Chan(1)
		t.Go(func(t *sim.Thread) { t.Send(c, 1) })
		t.Select(true, sim.RecvCase(c))
		if t.Len(c) == 0 {
			t.Recv(c)
		}
	}
	passes := func(t *sim.Thread) { t.Send(t.Chan(1), 1) }
	for _, c := range []struct {
		name          string
		main          func(*sim.Thread)
		always, found bool
	}{
		{"leaks", leaks, true, false},
		{"deadlocks", deadlocks, true, false},
		{"sometimes", sometimes, false, true},
		{"passes", passes, false, false},
	} {
		for _, strategy := range []string{"explore", "random", "pos"} {
			for _, schedules := range []int{25, 200} {
				p := &Program{runner: sim.New(c.main)}
				s, err := p.Seek(t.Context(), SeekOptions{Strategy: strategy, Schedules: schedules})
				if err != nil {
					t.Fatal(err)
				}
				if s.Always != c.always || (s.Kind != "") != c.found {
					t.Errorf("%s, %s, %d schedules: %+v", c.name, strategy, schedules, *s)
				}
			}
		}
	}
}
