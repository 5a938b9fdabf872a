package cause_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
)

// TestKnown: the orders that suffice of small programs, counted by what they are about,
// and the same when they are looked for again.
func TestKnown(t *testing.T) {
	for name, want := range map[string]struct {
		program func(*sim.Thread)
		orders  int
		late    bool // one is about what the failing run did not come to
	}{
		"lost":   {sim.LostUpdate(2, 1), 2, false},
		"init":   {sim.UseBeforeInit, 1, true},
		"order":  {sim.LockOrder, 2, true},
		"signal": {sim.LostSignal, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			runner := sim.New(want.program)
			var failing *run.Result
			for seed := uint64(0); failing == nil || !failing.Failed(); seed++ {
				r, err := runner.Run(context.Background(), run.Spec{Strategy: run.Random, Seed: seed, Record: run.Full})
				if err != nil {
					t.Fatal(err)
				}
				failing = r
			}
			sig := run.SignatureOf(failing)
			var found []*cause.Cause
			for range 2 {
				c, err := cause.Find(context.Background(), runner, failing, cause.Options{
					Same:   func(r *run.Result) bool { return r.Failed() && run.SignatureOf(r) == sig },
					Passes: func(r *run.Result) bool { return !r.Failed() }})
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, c)
			}
			c, again := found[0], found[1]
			late := slices.ContainsFunc(c.Core, func(l cause.Literal) bool { return l.Late })
			if !c.Settled() || len(c.Core) != want.orders || late != want.late {
				t.Errorf("%+v %q, held in %d runs", c.Core, c.Why, c.Held)
			}
			for i, w := range c.Without {
				if w == nil {
					t.Errorf("no passing run lacks %+v alone", c.Core[i])
				} else if b := c.Broken(w); !slices.Equal(b, []int{i}) {
					t.Errorf("the run that lacks order %d alone lacks %v", i, b)
				}
			}
			if !slices.Equal(c.Core, again.Core) || c.Held != again.Held || c.Runs != again.Runs {
				t.Errorf("again: %+v, held in %d of %d runs, not %+v in %d of %d", again.Core, again.Held, again.Runs, c.Core, c.Held, c.Runs)
			}
		})
	}
}
