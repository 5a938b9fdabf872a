package gen_test

import (
	"reflect"
	"testing"

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
