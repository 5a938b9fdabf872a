package repairsearch_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/constraint/constrainttest"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/enumerate"
	"github.com/hocket-dev/hocket/engine/solve/gen"
	"github.com/hocket-dev/hocket/engine/solve/repairsearch"
)

func shapes(sizes ...int) []gen.Shape {
	var all []gen.Shape
	for _, n := range sizes {
		for _, histories := range []bool{false, true} {
			for seed := range uint64(3) {
				all = append(all,
					gen.Shape{Kind: gen.Locks, Events: n, Histories: histories, Seed: seed},
					gen.Shape{Kind: gen.Pipeline, Events: n, Histories: histories, Seed: seed, Cap: int(seed) * 2})
			}
		}
	}
	return all
}

// check with a validator around, which makes errors of what is not true.
func check(t *testing.T, in *gen.Instance, g gen.Goal) solve.Result {
	t.Helper()
	s, err := solve.Validate(repairsearch.New(repairsearch.Limits{Candidates: 50}), solve.Checks{}).New(in.System)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Check(budget.Unlimited(context.Background()), g.Goal)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFindsWhatNeedsFewEdges: all reachable goals of the shapes.
func TestFindsWhatNeedsFewEdges(t *testing.T) {
	for _, shape := range shapes(300, 1000) {
		in := gen.Make(shape)
		for _, g := range in.Goals {
			r := check(t, in, g)
			if (r.Status == solve.Sat) != g.Reachable() { // of what is not reachable it may know a cycle
				t.Errorf("%v seed %d, %s: %v", shape, shape.Seed, g.Name, r)
			}
		}
	}
}

func TestTenThousandEvents(t *testing.T) {
	for _, shape := range append(shapes(10_000)[:2], shapes(10_000)[6:8]...) {
		in := gen.Make(shape)
		for _, g := range in.Goals {
			if g.Reachable() {
				start := time.Now()
				r := check(t, in, g)
				t.Logf("%v, %s: %v in %v", shape, g.Name, r, time.Since(start))
				if r.Status != solve.Sat || r.Stats.Simulated > 40 {
					t.Errorf("%v, %s: %v", shape, g.Name, r)
				}
			}
		}
	}
}

func TestACycleOfTheGoalIsUnsat(t *testing.T) {
	in := gen.Make(gen.Shape{Kind: gen.Locks, Events: 300})
	a, b := gen.Recorded(in.System)[10], gen.Recorded(in.System)[200]
	prev := in.System.Events[b].Prev
	g := gen.Goal{Goal: constraint.Goal{Order: []constraint.Edge{{Before: b, After: a}, {Before: a, After: prev}}}}
	if r := check(t, in, g); r.Status != solve.Unsat {
		t.Errorf("%v, want unsat", r)
	}
	g.Order = g.Order[1:]
	if r := check(t, in, g); r.Status != solve.Sat {
		t.Errorf("%v, want sat", r)
	}
}

func TestCancels(t *testing.T) {
	in := gen.Make(gen.Shape{Kind: gen.Locks, Events: 30_000})
	s, err := repairsearch.New(repairsearch.Limits{Candidates: 1 << 30, Edges: 50}).New(in.System)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range in.Goals {
		if g.Name != "unequal pair" {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		start := time.Now()
		r, err := s.Check(budget.Unlimited(ctx), g.Goal)
		cancel()
		if err != nil || r.Status != solve.Unknown || r.Reason != "time is up" {
			t.Errorf("%v, %v", r, err)
		}
		if late := time.Since(start) - 100*time.Millisecond; late > time.Second {
			t.Errorf("%v late", late)
		}
	}
}

// TestAgainstAllSchedules: on random systems of all kinds every answer is true,
// and most of what can be reached is found.
func TestAgainstAllSchedules(t *testing.T) {
	reachable, found, refuted := 0, 0, 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 5))
		sys := constrainttest.System(r, constrainttest.Small(r))
		g := constrainttest.Goal(r, sys)
		truth, err := enumerate.Reachable(context.Background(), sys, g, nil, 100_000)
		if err != nil {
			continue
		}
		s, err := solve.Validate(repairsearch.New(repairsearch.Limits{Candidates: 100}), solve.Checks{}).New(sys)
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Check(budget.Unlimited(context.Background()), g)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		switch {
		case truth != nil && res.Status == solve.Unsat:
			t.Errorf("seed %d: unsat, but %v\n%v\n%v", seed, truth.Order, sys, g)
		case res.Status == solve.Unsat:
			refuted++
		}
		if truth != nil {
			reachable++
			if res.Status == solve.Sat {
				found++
			} else if testing.Verbose() {
				t.Logf("seed %d: %v\n%v\ngoal %v\nby %v", seed, res, sys, g, truth.Order)
			}
		}
	}
	t.Logf("%d of %d found, %d refuted", found, reachable, refuted)
	if found*10 < reachable*9 || reachable < 300 {
		t.Errorf("%d of %d found", found, reachable)
	}
}
