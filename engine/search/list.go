package search

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/replay"
)

// List replays given specs in order, then ends.
type List struct{ specs []replay.Spec }

// NewList makes a list.
func NewList(specs ...replay.Spec) *List { return &List{specs: specs} }

// Next implements Strategy.
func (s *List) Next(n int) (replay.Spec, bool) {
	if n >= len(s.specs) {
		return replay.Spec{}, false
	}
	return s.specs[n], true
}

// Observe implements Strategy.
func (s *List) Observe(replay.Spec, *replay.Result) {}

// Named makes one of the random strategies by the name that people use:
// auto, pos, random, pct or reads-from, which is rf for short.
func Named(name string, seed uint64) (Strategy, error) {
	switch name {
	case "", "auto":
		return NewAuto(seed), nil
	case "pos":
		return NewPOS(seed), nil
	case "random":
		return NewRandom(seed), nil
	case "pct":
		return NewPCT(seed), nil
	case "reads-from", "rf":
		return NewReadsFrom(seed), nil
	}
	return nil, fmt.Errorf("unknown search strategy %q (auto, pos, random, pct and reads-from are built)", name)
}
