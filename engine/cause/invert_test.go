package cause_test

import (
	"context"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
)

// stealing has workers that take tickets and do what a ticket says, so that runs at
// random differ in most events, and an order at its start that decides whether it
// fails at its end.
func stealing(t *sim.Thread) {
	const workers, tickets = 4, 60
	next, even, odd, ready, used := t.Int(), t.Int(), t.Int(), t.Int(), t.Int()
	wg := t.WaitGroup(workers + 2)
	t.Go(func(t *sim.Thread) { t.Store(ready, 1); t.Done(wg) })
	t.Go(func(t *sim.Thread) { t.Store(used, t.Load(ready)+1); t.Done(wg) })
	for range workers {
		t.Go(func(t *sim.Thread) {
			for n := t.Add(next, 1); n <= tickets; n = t.Add(next, 1) {
				if n%3 == 0 {
					t.Add(even, 1)
				} else {
					t.Store(odd, n)
				}
			}
			t.Done(wg)
		})
	}
	t.Join(wg)
	t.Assert(t.Load(used) == 2, "used before it was ready")
}

// TestNearestWithout: the passing run that is kept of an order differs from the failing
// one in little more than that order.
func TestNearestWithout(t *testing.T) {
	runner := sim.New(stealing)
	for seed, found := uint64(0), 0; found < 5; seed++ {
		failing, err := runner.Run(context.Background(), run.Spec{Strategy: run.Random, Seed: seed, Record: run.Full})
		if err != nil {
			t.Fatal(err)
		}
		if !failing.Failed() {
			continue
		}
		found++
		c, err := cause.Find(context.Background(), runner, failing, cause.Options{Seed: seed,
			Same: (*run.Result).Failed, Passes: func(r *run.Result) bool { return !r.Failed() }})
		if err != nil {
			t.Fatal(err)
		}
		if !c.Settled() || len(c.Without) != 1 || c.Without[0] == nil {
			t.Fatalf("seed %d: core %v, %q", seed, c.Core, c.Why)
		}
		m, lacks := cause.Match(failing.Trace, c.Without[0], cause.Counts), 0
		for i, e := range failing.Trace.Events {
			if cause.Counts(e.Op) && m.To[i] < 0 {
				lacks++
			}
		}
		if lacks > 6 {
			t.Errorf("seed %d: the nearest passing run lacks %d of %d events", seed, lacks, len(failing.Trace.Events))
		}
	}
}
