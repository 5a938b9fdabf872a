package switches

import (
	"context"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// Short is a schedule that reaches a goal.
type Short struct {
	Schedule              *constraint.Schedule
	Turns                 []Turn // of its threads, in order
	Switches, Preemptions int
	Minimal               bool // no schedule has fewer preemptions
}

// found is a schedule with its cost.
type found struct {
	order                 []constraint.EventID
	turns                 []Turn
	switches, preemptions int
}

func (f *found) better(than *found) bool {
	if than == nil || f.preemptions != than.preemptions {
		return than == nil || f.preemptions < than.preemptions
	}
	return f.switches < than.switches
}

// short is nil if the order does not reach the goal.
func (f *found) short(sys *constraint.System, goal constraint.Goal) *Short {
	sch, why := solve.Accept(sys, f.order, goal, nil)
	if why != "" {
		return nil
	}
	return &Short{Schedule: sch, Turns: f.turns, Switches: f.switches, Preemptions: f.preemptions}
}

// Fewest looks for a schedule of the goal with as few preemptions as possible,
// and few switches. start is one that reaches it, or nil. First start is
// linearised and its blocks are merged; then all schedules with 0, 1, 2, ...
// preemptions are looked at, as far as the budget goes, of which each state takes a
// step. It is nil if none is known.
func Fewest(b *budget.Budget, sys *constraint.System, goal constraint.Goal, start *constraint.Schedule) *Short {
	s := newShrinker(b, sys, goal)
	if start != nil {
		s.offer(start.Order)
		s.linearise()
		s.merge()
	}
	minimal := s.bound()
	if s.best == nil {
		return nil
	}
	short := s.best.short(sys, goal)
	if short != nil { // else start was none
		short.Minimal = minimal
	}
	return short
}

// Linearise is the cheap part of Fewest: one order equivalent to start's in which
// each thread goes on as long as what it depends on allows, without what the
// goal does not need, and its cost. It is start's own if that is no worse.
func Linearise(sys *constraint.System, goal constraint.Goal, start *constraint.Schedule) (order []constraint.EventID, switches, preemptions int) {
	s := newShrinker(budget.Unlimited(context.Background()), sys, goal)
	if !s.offer(start.Order) {
		return start.Order, 0, 0
	}
	s.linearise()
	return s.best.order, s.best.switches, s.best.preemptions
}

// shrinker keeps the best schedule so far.
type shrinker struct {
	budget *budget.Budget
	sys    *constraint.System
	goal   constraint.Goal
	fresh  *constraint.Machine // nothing performed; to be cloned
	cpu    *processor          // on fresh
	best   *found
}

func newShrinker(b *budget.Budget, sys *constraint.System, goal constraint.Goal) *shrinker {
	fresh := constraint.NewMachine(sys)
	return &shrinker{budget: b, sys: sys, goal: goal, fresh: fresh, cpu: newProcessor(sys, fresh)}
}

// offer takes an order if it reaches the goal and is better.
func (s *shrinker) offer(order []constraint.EventID) bool {
	m := s.fresh.Clone()
	f, ok := perform(s.cpu.again(m), order, s.best)
	if !ok || m.Meets(s.goal) != nil {
		return false
	}
	s.best = f
	return true
}

// bound looks for schedules with fewer preemptions, from none on, and says
// whether the best is then proved to have the fewest.
func (s *shrinker) bound() bool {
	b := newBounded(s.budget, s.cpu, s.goal)
	for k := 0; s.best == nil || k < s.best.preemptions; k++ {
		f, exhausted := b.search(k)
		if f != nil {
			s.best = f
			s.linearise()
			s.merge()
			return true
		}
		if !exhausted {
			return false
		}
		if s.best == nil && b.whole {
			return false // there is no schedule at all
		}
	}
	return true
}

// AtMost looks at all schedules with at most k preemptions for one that reaches the
// goal, as far as the budget goes. exhausted: there is none.
func AtMost(b *budget.Budget, sys *constraint.System, goal constraint.Goal, k int) (short *Short, exhausted bool) {
	f, exhausted := newBounded(b, newProcessor(sys, constraint.NewMachine(sys)), goal).search(k)
	if f == nil {
		return nil, exhausted
	}
	return f.short(sys, goal), false
}

// Beyond is AtMost for what is not known: it looks for a schedule that performs
// an event after which nobody knows how its thread goes on. If there is none,
// the system holds all that any schedule with at most k preemptions does.
func Beyond(b *budget.Budget, sys *constraint.System, unknown func(constraint.EventID) bool, k int) (short *Short, exhausted bool) {
	s := newBounded(b, newProcessor(sys, constraint.NewMachine(sys)), constraint.Goal{})
	s.beyond = make([]bool, len(sys.Events))
	for e := range s.beyond {
		s.beyond[e] = unknown(constraint.EventID(e))
	}
	f, exhausted := s.search(k)
	if f == nil {
		return nil, exhausted
	}
	return f.short(sys, constraint.Goal{}), false
}
