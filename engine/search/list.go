package search

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/native"
)

// List replays given specs in order, then ends.
type List struct{ specs []run.Spec }

// NewList makes a list.
func NewList(specs ...run.Spec) *List { return &List{specs: specs} }

// Next implements Strategy.
func (s *List) Next(n int) (run.Spec, bool) {
	if n >= len(s.specs) {
		return run.Spec{}, false
	}
	return s.specs[n], true
}

// Observe implements Strategy.
func (s *List) Observe(run.Spec, *run.Result) {}

// Exploring is the name of the strategy that ends with a proof, or should.
const Exploring = "explore"

// Named makes a strategy by the name that people use: auto, explore, pos,
// random, pct, mix of these three, or reads-from, which is rf for short.
func Named(name string, seed uint64) (Strategy, error) {
	switch name {
	case "", "auto":
		return NewAuto(seed), nil
	case "mix":
		return NewMix(seed), nil
	case Exploring:
		return NewExplore(solve.Limit(native.New(), solve.MaxEvents)), nil
	case "pos":
		return NewPOS(seed), nil
	case "random":
		return NewRandom(seed), nil
	case "pct":
		return NewPCT(seed), nil
	case "reads-from", "rf":
		return NewReadsFrom(seed), nil
	}
	return nil, fmt.Errorf("unknown search strategy %q (auto, explore, pos, random, pct and reads-from are built)", name)
}
