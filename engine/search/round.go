package search

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/sweep"
	"github.com/hocket-dev/hocket/engine/solve/switches"
)

// Bounds of a walk through all states of what is known. Beyond them a solver
// is asked for one goal after the other.
const (
	walkStates = 100_000
	walkEvents = 50_000 // some hundred bytes each
	// shortWalk bounds those of Auto, which has other strategies to go on with.
	shortWalk = 4000
	// statesPerRun is how many states are visited in about the time that a run
	// takes: a long walk is worth more attempts than a short one.
	statesPerRun = 250
	// most attempts of one state of knowledge.
	mostBatch = 32
)

// WithoutWalks asks the solver for one goal after the other from the start, as where
// there are too many states for a walk.
func (s *Explore) WithoutWalks() { s.noWalks = true }

// round is what is asked of one state of knowledge.
type round struct {
	sys    *constraint.System
	found  map[uint64]bool    // goals that have a schedule to be run
	racing map[[2]string]bool // places of data races found
}

func (s *Explore) newRound(sys *constraint.System) *round {
	r := &round{sys: sys, found: map[uint64]bool{}, racing: map[[2]string]bool{}}
	for _, p := range s.later {
		r.found[p.key] = true
	}
	return r
}

// isOpen is true of a goal that is to be asked about: it was not answered, and no
// attempt that is planned shows the same.
func (s *Explore) isOpen(r *round, f *forest.Frontier) bool {
	if runs, ok := s.refuted[f.Key]; ok && runs == s.runs || r.found[f.Key] || f.Race != nil && r.racing[f.Race.Places] {
		return false
	}
	if s.tried[f.Key] >= tries {
		s.NoProof("the program does not follow a schedule that should be possible: " + f.Name)
		return false
	}
	return true
}

// accept adds a schedule for a goal, unless the goal is not open any more.
func (s *Explore) accept(r *round, f *forest.Frontier, sch *constraint.Schedule) {
	if delete(s.refuted, f.Key); s.isOpen(r, f) {
		s.propose(r, f, sch)
	}
}

// propose plans an attempt for a schedule, which need not be the first for its goal.
func (s *Explore) propose(r *round, f *forest.Frontier, sch *constraint.Schedule) {
	order, _, cost := switches.Linearise(r.sys, f.Goal, sch)
	if s.predict(f); f.Failure {
		cost = 0
	}
	if s.aim != nil {
		cost = s.aimedCost(f, cost)
	}
	if f.Race != nil {
		r.racing[f.Race.Places] = true
	}
	r.found[f.Key] = true
	moves := s.forest.Moves(order, f.Goal)
	if f.Last != 0 {
		moves = failingLast(moves, f.Last)
	}
	s.later = append(s.later, s.proposal(moves, f.Key, cost))
}

// walk answers what goals it can by a walk through all states. It returns those
// that are left for a solver, if it found no schedule, and how many attempts to
// make.
func (s *Explore) walk(ctx context.Context, r *round, goals []*forest.Frontier) (left []*forest.Frontier, attempts int) {
	if s.noWalks || len(r.sys.Events) > walkEvents {
		return goals, batch
	}
	var asked []*forest.Frontier
	var qs []sweep.Question
	end := r.sys.End()
	for _, f := range goals {
		if !s.isOpen(r, f) {
			continue
		}
		q := sweep.Question{Goal: f.Goal, Given: f.Given}
		for _, e := range f.Never {
			q.Given = append(q.Given[:len(q.Given):len(q.Given)], constraint.Clause{{A: end, B: e}})
		}
		asked, qs = append(asked, f), append(qs, q)
	}
	states := int64(walkStates)
	switch {
	case s.way != nil:
		states = wayWalk
	case s.bounded && s.aim != nil:
		states = aimedWalk
	case s.bounded:
		states = shortWalk
	}
	start := time.Now()
	got, err := sweep.Ask(budget.New(ctx, states), r.sys, qs, sweep.Bound{Enough: mostBatch, Values: true})
	s.foresight.Solving += time.Since(start)
	if err != nil {
		return goals, batch
	}
	s.work += int64(got.States)
	for i, f := range asked {
		switch got.Status[i] {
		case solve.Sat:
			s.accept(r, f, got.Schedules[i])
		case solve.Unsat:
			s.refuted[f.Key] = s.runs
		default:
			left = append(left, f)
		}
	}
	for _, more := range got.More {
		s.propose(r, asked[more.Question], more.Schedule)
	}
	if s.bounded {
		return left, window // the other strategy has its turn
	}
	return left, min(batch+got.States/statesPerRun, mostBatch)
}
