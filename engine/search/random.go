package search

import (
	"context"

	"github.com/hocket-dev/hocket/engine/run"
)

// Random chooses uniformly at every switch point. Short programs are covered
// well; in long ones the goroutines' relative progress hardly varies.
type Random struct {
	observed
	seed uint64
}

// NewRandom makes a random walk.
func NewRandom(seed uint64) *Random { return &Random{seed: seed} }

// Next implements Strategy.
func (s *Random) Next(_ context.Context, n int) (run.Spec, bool) {
	if n == 0 {
		return plain(), true
	}
	return s.spec(n), true
}

func (s *Random) spec(n int) run.Spec {
	rng := stream(s.seed, n)
	return run.Spec{Strategy: run.Random, Seed: rng.Uint64(), Schedule: s.vary(rng), Collect: s.collections(rng)}
}
