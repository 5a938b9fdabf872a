package search

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// buffers puts attempts under a weaker memory model than sequential consistency: stores
// at the racing places seen so far wait in buffers. In half of the attempts as long as
// they may, in the others for drawn times. It knows what the strategy may know, so that
// equal seeds make equal attempts.
type buffers struct {
	memory trace.Memory
	seed   uint64
	observed
}

// newBuffers knows all racing places: a run in which a store races that does not wait as
// others is none of the memory model.
func newBuffers(m trace.Memory, seed uint64) buffers {
	return buffers{memory: m, seed: seed, observed: observed{all: true}}
}

// complete fills in the memory model of attempt n. One that follows an earlier run, and
// the first, which is to show what happens without any of this, keep their own.
func (b *buffers) complete(n int, s *run.Spec) {
	if b.memory == trace.SC || s.Strategy == run.Replay || len(s.Schedule.Segments) > 0 || len(b.hot) == 0 {
		return
	}
	s.Schedule.Memory, s.Schedule.Hot = b.memory, slices.Clone(b.hot)
	if rng := stream(b.seed^0x627566666572, n); rng.IntN(2) == 0 {
		s.Schedule.BufferSeed = rng.Uint64()
	}
}

// Weak reports whether a strategy can be used with weaker memory models: those that
// compute schedules know sequential consistency only.
func Weak(name string) bool {
	k, _ := kindOf(name)
	return k.weak
}
