package search

import (
	"context"

	"github.com/hocket-dev/hocket/engine/replay"
	"github.com/hocket-dev/hocket/engine/solve/native"
)

// Staged explores small programs first and goes on with another strategy.
// What it does depends on the results alone, not on how long anything took.
type Staged struct {
	explore *Explore
	over    bool // exploration has ended
	then    Strategy
	mixed   int // attempts of then, the first aside
	breadth int // attempts of then between what was predicted and exploration; 0: no exploration
}

// Bounds of exploration within Auto. Beyond them a solver takes longer for a
// schedule than runs take that might find the same.
const (
	exploreSteps     = 2000 // switch points of the first run
	exploreEvents    = 350  // of a system
	exploreAttempts  = 24
	exploreVainly    = 3   // rounds in a row that showed nothing new
	exploreQuestions = 400 // to the solver
	exploreBreadth   = 8   // attempts of others before it
)

// NewAuto makes the default strategy: it runs what the first runs let predict,
// makes a few attempts of a mix of the random strategies, which find easy bugs
// in less time, explores as long as that shows something new, and goes on with
// the mix.
func NewAuto(seed uint64) *Staged {
	s := NewPredict(NewMix(seed))
	s.breadth = exploreBreadth
	return s
}

// NewPredict makes a strategy that runs what its first runs let predict, data
// races, deadlocks and other failures, and goes on with another strategy.
func NewPredict(then Strategy) *Staged {
	s := &Staged{explore: newBounded(), then: then}
	s.explore.only = true
	return s
}

func newBounded() *Explore {
	s := NewExplore(native.New())
	s.bounded = true
	return s
}

// Next implements Strategy.
func (s *Staged) Next(n int) (replay.Spec, bool) {
	if n == 0 {
		return s.then.Next(0)
	}
	if spec, ok := s.explored(n); ok || s.Waits() {
		return spec, ok
	}
	if proved, _ := s.explore.Proved(); proved {
		return replay.Spec{}, false
	}
	s.mixed++
	return s.then.Next(s.mixed)
}

// explored is the next attempt of the exploration, if it is its turn.
func (s *Staged) explored(n int) (replay.Spec, bool) {
	for !s.over && (s.explore.only || s.mixed >= s.breadth) {
		spec, ok := s.explore.Next(n)
		if ok || s.explore.Waits() {
			return spec, ok
		}
		if s.over = !s.explore.only || s.breadth == 0; s.over {
			break
		}
		if s.explore.widen(); s.explore.only {
			s.over = true // it was stopped
		}
	}
	return replay.Spec{}, false
}

// Observe implements Strategy.
func (s *Staged) Observe(spec replay.Spec, r *replay.Result) {
	s.then.Observe(spec, r)
	if !s.over {
		s.explore.Observe(spec, r)
		if r.Steps > exploreSteps || r.External > 0 {
			s.explore.stop("the program is too large")
		}
	}
}

// Within implements Waiter.
func (s *Staged) Within(ctx context.Context) { s.explore.Within(ctx) }

// Waits implements Waiter.
func (s *Staged) Waits() bool {
	return !s.over && (s.explore.only || s.mixed >= s.breadth) && s.explore.Waits()
}

// Proved implements Prover.
func (s *Staged) Proved() (bool, string) { return s.explore.Proved() }

// Foresight implements Foreseer.
func (s *Staged) Foresight() Foresight { return s.explore.Foresight() }

// Doubt is as Explore's.
func (s *Staged) Doubt(why string) { s.explore.doubt(why) }
