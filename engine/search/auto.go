package search

import (
	"context"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/solve/solvers"
)

// Staged explores small programs beside another strategy, as long as that shows
// something new. Its attempts take turns with those of the other one, which also
// fill the time in which a solver answers: plans are made in a goroutine of their
// own.
//
// What it proposes depends on the results alone, not on how long anything took:
// what an exploration plans is taken after a fixed number of other attempts,
// whether it was ready long before or has to be waited for.
type Staged struct {
	planner
	over   bool // exploration has ended
	then   Strategy
	mixed  int  // attempts of then, the first aside
	lead   int  // of those, before exploration begins
	beside int  // of those, while a plan is made
	since  int  // of those, since the last plan was begun
	wide   bool // after the predictions, all that is new is explored
	waits  bool // Next said so
}

// Bounds of exploration within Auto. Beyond them a solver takes longer for a
// schedule than runs take that might find the same.
const (
	exploreSteps        = 2000 // switch points of the first run
	exploreEvents       = 2000 // of a system
	exploreAttempts     = 200
	exploreUnproductive = 3       // rounds in a row that showed nothing new
	exploreWork         = 200_000 // of the solver (package budget) and of walks (states), a few seconds
	planWork            = 2000    // of those at a time: about as long as attemptsBeside take
	attemptsBeside      = 4       // of the other strategy for each plan
	attemptsLead        = 4       // before the first one
	aimedLead           = 1       // the same with an aim, which needs less luck
	aimedBeside         = 2
)

// NewAuto makes the default strategy: a few attempts of a mix of the random
// strategies, which find easy bugs soon, then by turns the mix and what
// the runs let predict, then all else that is new.
func NewAuto(seed uint64) *Staged {
	s := NewPredict(NewMix(seed))
	s.wide, s.lead, s.beside = true, attemptsLead, attemptsBeside
	return s
}

// NewAimedAuto makes the search for a state: what the runs let predict of it, and
// beside that a mix of attempts that are led there and such that are not.
func NewAimedAuto(aim Aim, seed uint64) *Staged {
	s := NewPredict(NewAimed(aim, seed, NewMix(seed)))
	s.explore.aim, s.explore.failuresOnly, s.explore.hot = aim, false, aim.Hot()
	s.explore.NoProof("one state was looked for")
	s.lead, s.beside = aimedLead, aimedBeside
	return s
}

// NewPredict makes a strategy that runs what its first runs let predict, data
// races, deadlocks and other failures, and goes on with another strategy.
func NewPredict(then Strategy) *Staged {
	s := &Staged{planner: planner{explore: newBounded()}, then: then}
	s.explore.failuresOnly = true
	return s
}

func newBounded() *Explore {
	s := NewExplore(solvers.Default())
	s.bounded = true
	return s
}

// Next implements Strategy.
func (s *Staged) Next(ctx context.Context, n int) (run.Spec, bool) {
	s.waits = false
	if n == 0 {
		return s.then.Next(ctx, 0)
	}
	for !s.over && s.mixed >= s.lead {
		switch {
		case s.planning() && s.since < s.beside:
			s.since++
			return s.other(ctx)
		case s.planning() && !s.finished():
			s.waits = true
			return run.Spec{}, false
		}
		s.join()
		if spec, ok := s.explore.take(); ok {
			return spec, true
		}
		if s.waits = s.explore.awaitsResults(); s.waits {
			return run.Spec{}, false
		}
		s.plan(ctx)
	}
	if proved, _ := s.Proved(); proved {
		return run.Spec{}, false
	}
	return s.other(ctx)
}

func (s *Staged) other(ctx context.Context) (run.Spec, bool) {
	s.mixed++
	spec, ok := s.then.Next(ctx, s.mixed)
	if ok && s.explore.aim != nil && len(spec.Schedule.Segments) == 0 && s.mixed%ownHot > 0 {
		spec.Schedule.Hot = slices.Clone(s.explore.hot) // or the exploration could not learn from it
	}
	return spec, ok
}

// ownHot: of so many attempts beside an exploration with an aim, one keeps its own hot
// places.
const ownHot = 4

// plan lets the exploration plan its next attempts, unless it has ended.
func (s *Staged) plan(ctx context.Context) {
	if s.explore.spent && s.wide {
		s.explore.widen()
	}
	if s.over = s.explore.spent; !s.over {
		s.since = 0
		s.begin(ctx)
	}
}

// Observe implements Strategy.
func (s *Staged) Observe(spec run.Spec, r *run.Result) {
	s.then.Observe(spec, r)
	if !s.over {
		s.planner.observe(spec, r)
	}
}

// Waits implements Strategy.
func (s *Staged) Waits() bool { return s.waits }
