package search

import (
	"context"

	"github.com/hocket-dev/hocket/engine/run"
)

// PCT runs the goroutine of the highest random priority and lowers it at d-1
// random steps (Burckhardt et al.: ASPLOS 2010). A bug of depth d in a program
// of k steps and n goroutines is found with a probability of at least
// 1/(n k^(d-1)) by a run. It starves spinners.
type PCT struct {
	observed
	seed  uint64
	depth int // d; 0: drawn for each run
}

// maxDepth bounds d, which is drawn from 1 to it.
const maxDepth = 4

// defaultLength is k as long as no run has ended.
const defaultLength = 200

// NewPCT makes a PCT search for bugs of a depth; 0 draws it for each run, from 1 to 4.
func NewPCT(seed uint64, depth int) *PCT { return &PCT{seed: seed, depth: depth} }

// Next implements Strategy.
func (s *PCT) Next(_ context.Context, n int) (run.Spec, bool) {
	if n == 0 {
		return plain(), true
	}
	return s.spec(n), true
}

func (s *PCT) spec(n int) run.Spec {
	rng := stream(s.seed, n)
	spec := run.Spec{
		Strategy: run.PCT, Seed: rng.Uint64(),
		Depth: rng.IntN(maxDepth), Length: s.steps, // Depth counts change points: d-1
	}
	if spec.Length == 0 {
		spec.Length = defaultLength
	}
	if s.depth > 0 {
		spec.Depth = min(s.depth-1, spec.Length)
	}
	spec.Schedule, spec.Collect = s.vary(rng), s.collections(rng)
	return spec
}
