package gen_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/enumerate"
	"github.com/hocket-dev/hocket/engine/solve/gen"
)

// shapes of all kinds at a few sizes.
func shapes(sizes ...int) []gen.Shape {
	var all []gen.Shape
	for _, kind := range gen.Kinds() {
		for _, n := range sizes {
			for _, histories := range []bool{false, true} {
				for _, capacity := range []int{0, 1, 4} {
					if capacity > 0 && kind != gen.Pipeline {
						continue
					}
					all = append(all, gen.Shape{Kind: kind, Events: n, Cap: capacity, Histories: histories, Seed: uint64(n)})
				}
			}
		}
	}
	return all
}

func TestSizesAreAsAsked(t *testing.T) {
	for _, s := range shapes(300, 1000, 10_000) {
		n := len(gen.Make(s).System.Events)
		if off := float64(n)/float64(s.Events) - 1; off < -0.15 || off > 0.15 {
			t.Errorf("%v cap %d: %d events", s, s.Cap, n)
		}
	}
}

func TestEqualShapesGiveEqualSystems(t *testing.T) {
	for _, s := range shapes(300) {
		a, b := gen.Make(s), gen.Make(s)
		if !reflect.DeepEqual(a.System, b.System) {
			t.Errorf("%v cap %d: two systems", s, s.Cap)
		}
	}
}

func TestSystemsAreValidAndTheirRunsHappened(t *testing.T) {
	for _, s := range shapes(60, 300, 3000) {
		in := gen.Make(s)
		if err := in.System.Validate(); err != nil {
			t.Errorf("%v cap %d: %v", s, s.Cap, err)
			continue
		}
		if _, why := solve.Accept(in.System, gen.Recorded(in.System), constraint.Goal{}, nil); why != "" {
			t.Errorf("%v cap %d: the recorded order: %s", s, s.Cap, why)
		}
	}
}

func TestReachableGoalsAreReached(t *testing.T) {
	for _, s := range shapes(60, 300, 3000) {
		in := gen.Make(s)
		for _, g := range in.Goals {
			if !g.Reachable() {
				continue
			}
			if _, why := solve.Accept(in.System, g.Witness(), g.Goal, nil); why != "" {
				t.Errorf("%v cap %d, %s: %s", s, s.Cap, g.Name, why)
			}
			if _, why := solve.Accept(in.System, gen.Recorded(in.System), g.Goal, nil); why == "" {
				t.Errorf("%v cap %d, %s: the recorded run reaches it", s, s.Cap, g.Name)
			}
		}
	}
}

// TestUnreachableGoalsAreNotReached looks at all states of the smallest
// programs; where they are too many, at as many as there is time for.
func TestUnreachableGoalsAreNotReached(t *testing.T) {
	proved := 0
	for _, s := range shapes(60) {
		s.Threads, s.Objects = 2, 1
		in := gen.Make(s)
		for _, g := range in.Goals {
			sch, err := enumerate.Reachable(context.Background(), in.System, g.Goal, nil, 20_000)
			if sch != nil && !g.Reachable() {
				t.Errorf("%v cap %d, %s: reached by %v", s, s.Cap, g.Name, sch.Order)
			}
			if sch == nil && err == nil {
				proved++
				if g.Reachable() {
					t.Errorf("%v cap %d, %s: not reached", s, s.Cap, g.Name)
				}
			}
		}
	}
	if proved < 10 {
		t.Errorf("only %d goals were decided", proved)
	}
}
