package repairsearch_test

import (
	"context"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
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
	r, err := s.Check(context.Background(), g.Goal)
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
			if (r.Status == solve.Sat) != g.Reachable() || r.Status == solve.Unsat {
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
		r, err := s.Check(ctx, g.Goal)
		cancel()
		if err != nil || r.Status != solve.Unknown || r.Reason != "time is up" {
			t.Errorf("%v, %v", r, err)
		}
		if late := time.Since(start) - 100*time.Millisecond; late > time.Second {
			t.Errorf("%v late", late)
		}
	}
}
