package cause_test

import (
	"context"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/trace"
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

// lostAndStealing loses an update beside workers as those of stealing.
func lostAndStealing(t *sim.Thread) {
	n, next, odd := t.Int(), t.Int(), t.Int()
	wg := t.WaitGroup(5)
	for range 2 {
		t.Go(func(t *sim.Thread) { t.Store(n, t.Load(n)+1); t.Done(wg) })
	}
	for range 3 {
		t.Go(func(t *sim.Thread) {
			for i := t.Add(next, 1); i <= 12; i = t.Add(next, 1) {
				t.Store(odd, i)
			}
			t.Done(wg)
		})
	}
	t.Join(wg)
	t.Assert(t.Load(n) == 2, "an update is lost")
}

// TestLateWithout: a passing run is kept of each order, also if many that break another
// one came first.
func TestLateWithout(t *testing.T) {
	runner := sim.New(lostAndStealing)
	var failing *run.Result
	var known []*trace.Trace
	first := func(r *run.Result) trace.GID {
		i := slices.IndexFunc(r.Trace.Events, func(e trace.Event) bool { return e.Op == trace.OpAtomicLoad })
		return r.Trace.Events[i].G
	}
	for seed := uint64(0); failing == nil || len(known) < 70; seed++ {
		r, err := runner.Run(context.Background(), run.Spec{Strategy: run.Random, Seed: seed, Record: run.Full})
		switch {
		case err != nil:
			t.Fatal(err)
		case r.Failed():
			failing = r
		case first(r) == 2:
			known = append(known, r.Trace)
		}
	}
	c, err := cause.Find(context.Background(), runner, failing, cause.Options{Known: known,
		Same: (*run.Result).Failed, Passes: func(r *run.Result) bool { return !r.Failed() }})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Settled() || len(c.Core) != 2 || slices.Contains(c.Without, nil) {
		t.Errorf("core %v, without %v, %q", c.Core, c.Without, c.Why)
	}
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
