package reduce_test

import (
	"errors"
	"testing"

	"github.com/hocket-dev/hocket/engine/reduce"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
)

func simplified(t *testing.T, p func(*sim.Thread)) (*sim.Runner, *reduce.Simplified, func(*run.Result) bool) {
	t.Helper()
	runner := sim.New(p)
	r := failing(t, runner, 0)
	s, err := reduce.Simplify(ctx, runner, r, sameAs(r), reduce.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return runner, s, sameAs(r)
}

// Without its one preemption none of these programs fails, however the rest
// is ordered.
func TestPreemptionIsNeeded(t *testing.T) {
	for name, p := range map[string]func(*sim.Thread){
		"lost update": sim.LostUpdate(2, 1),
		"lock order":  sim.LockOrder,
		"lost signal": sim.LostSignal,
	} {
		runner, s, same := simplified(t, p)
		evidence, err := reduce.Necessity(ctx, runner, s, same, 20, reduce.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		preemptions := 0
		for _, e := range evidence {
			t.Logf("%s: switch %d preempt %v: %d of %d, %d orders", name, e.Switch, e.Preempt, e.Failed, e.Runs, e.Orders)
			if !e.Preempt {
				continue
			}
			preemptions++
			if !e.Needed() || len(e.Passing) == 0 {
				t.Errorf("%s: switch %d: %d of %d fail", name, e.Switch, e.Failed, e.Runs)
			}
		}
		if preemptions != 1 {
			t.Errorf("%s: %d preemptions", name, preemptions)
		}
	}
}

// TestWithout: one switch of a run that was not simplified, as Necessity measures it.
func TestWithout(t *testing.T) {
	runner := sim.New(sim.LostUpdate(2, 1))
	r := failing(t, runner, 0)
	needed, switches := 0, 0
	for i := range r.Schedule.Segments {
		e, err := reduce.Without(ctx, runner, r, i, sameAs(r), 20, reduce.Options{})
		if errors.Is(err, reduce.ErrNoSwitch) {
			continue
		}
		if err != nil || e.Switch != i || e.Runs > 20 {
			t.Fatalf("segment %d: %+v, %v", i, e, err)
		}
		switches++
		if e.Needed() {
			needed++
		}
	}
	if needed == 0 || switches < needed {
		t.Errorf("%d of %d switches are needed", needed, switches)
	}
	for _, i := range []int{-1, len(r.Schedule.Segments)} {
		if _, err := reduce.Without(ctx, runner, r, i, sameAs(r), 20, reduce.Options{}); !errors.Is(err, reduce.ErrNoSwitch) {
			t.Errorf("segment %d: %v", i, err)
		}
	}
}

// A switch that changes nothing must not look needed.
func TestNeedlessSwitch(t *testing.T) {
	p := func(t *sim.Thread) {
		other := t.Int()
		for i := range 2 {
			t.Go(func(t *sim.Thread) { t.Store(other, i) })
		}
		t.Load(other)
		t.Panic("always")
	}
	runner := sim.New(p)
	r := failing(t, runner, 0)
	s := &reduce.Simplified{Schedule: r.Schedule, Result: r}
	evidence, err := reduce.Necessity(ctx, runner, s, sameAs(r), 20, reduce.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := uint64(1); len(evidence) == 0; seed++ {
		r = failing(t, runner, seed)
		s = &reduce.Simplified{Schedule: r.Schedule, Result: r}
		if evidence, err = reduce.Necessity(ctx, runner, s, sameAs(r), 20, reduce.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range evidence {
		if e.Needed() {
			t.Errorf("%+v %v", e, s.Schedule.Segments)
		}
	}
}

func TestNearestPassing(t *testing.T) {
	runner, s, same := simplified(t, sim.LostUpdate(2, 2))
	evidence, err := reduce.Necessity(ctx, runner, s, same, 20, reduce.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := reduce.NearestPassing(ctx, runner, s, evidence, nil, reduce.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !same(p.Failing) || p.Passing.Failed() || p.Removed < 0 || !p.Preempt || !p.SameInput || p.Distance == 0 || p.Distance > 6 {
		t.Errorf("%+v", p)
	}
	if p.Failing.Trace == nil || p.Passing.Trace == nil || len(p.Passing.Trace.Events) == 0 {
		t.Error("not recorded in full")
	}
	if _, err := reduce.NearestPassing(ctx, runner, s, nil, nil, reduce.Options{}); !errors.Is(err, reduce.ErrNoPassing) {
		t.Error(err)
	}
	plain, _ := runner.Run(ctx, run.Spec{})
	p, err = reduce.NearestPassing(ctx, runner, s, nil, []*run.Result{plain}, reduce.Options{})
	if err != nil || p.Removed != -1 || p.Passing.Hash != plain.Hash {
		t.Errorf("%+v %v", p, err)
	}
}
