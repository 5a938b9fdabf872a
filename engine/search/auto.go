package search

import (
	"context"

	"github.com/hocket-dev/hocket/engine/replay"
	"github.com/hocket-dev/hocket/engine/solve/native"
)

// Auto explores small programs as long as that shows something new, and goes on
// with a mix of the random strategies.
// What it does depends on the results alone, not on how long anything took.
type Auto struct {
	explore *Explore
	over    bool // exploration has ended
	mix     *Mix
}

// Bounds of exploration within Auto. Beyond them a solver takes longer for a
// schedule than runs take that might find the same.
const (
	exploreSteps    = 2000 // switch points of the first run
	exploreEvents   = 350  // of a system
	exploreAttempts = 24
	exploreVainly   = 3 // rounds in a row that showed nothing new
)

// NewAuto makes the default strategy.
func NewAuto(seed uint64) *Auto {
	return &Auto{explore: newBounded(), mix: NewMix(seed)}
}

func newBounded() *Explore {
	s := NewExplore(native.New())
	s.bounded = true
	return s
}

// Next implements Strategy.
func (s *Auto) Next(n int) (replay.Spec, bool) {
	if n == 0 {
		return plain(), true
	}
	if !s.over {
		spec, ok := s.explore.Next(n)
		if ok || s.explore.Waits() {
			return spec, ok
		}
		s.over = true
	}
	if proved, _ := s.explore.Proved(); proved {
		return replay.Spec{}, false
	}
	return s.mix.Next(n)
}

// Observe implements Strategy.
func (s *Auto) Observe(spec replay.Spec, r *replay.Result) {
	s.mix.Observe(spec, r)
	if !s.over {
		s.explore.Observe(spec, r)
		if r.Steps > exploreSteps || r.External > 0 {
			s.explore.stop("the program is too large")
		}
	}
}

// Within implements Waiter.
func (s *Auto) Within(ctx context.Context) { s.explore.Within(ctx) }

// Waits implements Waiter.
func (s *Auto) Waits() bool { return !s.over && s.explore.Waits() }

// Proved implements Prover.
func (s *Auto) Proved() (bool, string) { return s.explore.Proved() }
