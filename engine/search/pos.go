package search

import (
	"context"

	"github.com/hocket-dev/hocket/engine/run"
)

// POS is partial order sampling (Yuan, Yang, Gu: CAV 2018): pending operations
// have random priorities, drawn anew when a conflicting one is performed, so
// that orders of conflicting operations are sampled rather than interleavings.
type POS struct {
	observed
	seed uint64
}

// NewPOS makes a partial order sampling.
func NewPOS(seed uint64) *POS { return &POS{seed: seed} }

// Next implements Strategy.
func (s *POS) Next(_ context.Context, n int) (run.Spec, bool) {
	if n == 0 {
		return plain(), true
	}
	return s.spec(n), true
}

func (s *POS) spec(n int) run.Spec {
	rng := stream(s.seed, n)
	return run.Spec{Strategy: run.POS, Seed: rng.Uint64(), Schedule: s.vary(rng), Collect: s.collections(rng)}
}
