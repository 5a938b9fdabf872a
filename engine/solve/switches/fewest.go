package switches

import (
	"context"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
)

// found is a schedule with its cost.
type found struct {
	order                 []constraint.EventID
	switches, preemptions int
}

func (f *found) better(than *found) bool {
	if than == nil || f.preemptions != than.preemptions {
		return than == nil || f.preemptions < than.preemptions
	}
	return f.switches < than.switches
}

// Fewest looks for a schedule of the goal with as few preemptions as possible,
// and few switches. start is one that reaches it, or nil. First start is
// linearised and its blocks are merged; then all schedules with 0, 1, 2, ...
// preemptions are looked at, as far as limit states and the context allow.
// minimal: no schedule has fewer preemptions. best is nil if none is known.
func Fewest(ctx context.Context, sys *constraint.System, goal constraint.Goal, start *constraint.Schedule, limit int) (best *constraint.Schedule, switches, preemptions int, minimal bool) {
	s := &shrinker{ctx: ctx, sys: sys, goal: goal, fresh: constraint.NewMachine(sys)}
	if start != nil {
		s.offer(start.Order)
		s.linearise()
		s.merge()
	}
	minimal = s.bound(limit)
	if s.best == nil {
		return nil, 0, 0, false
	}
	sch, why := solve.Accept(sys, s.best.order, goal, nil)
	if why != "" {
		return nil, 0, 0, false // start was none
	}
	return sch, s.best.switches, s.best.preemptions, minimal
}

// shrinker keeps the best schedule so far.
type shrinker struct {
	ctx   context.Context
	sys   *constraint.System
	goal  constraint.Goal
	fresh *constraint.Machine // nothing performed; to be cloned
	best  *found
}

// offer takes an order if it reaches the goal and is better.
func (s *shrinker) offer(order []constraint.EventID) bool {
	m := s.fresh.Clone()
	f, ok := perform(s.sys, m, order, s.best)
	if !ok || m.Meets(s.goal) != nil {
		return false
	}
	s.best = f
	return true
}

// bound looks for schedules with fewer preemptions, from none on, and says
// whether the best is then proved to have the fewest.
func (s *shrinker) bound(limit int) bool {
	b := newBounded(s.ctx, s.sys, s.goal, limit)
	for k := 0; s.best == nil || k < s.best.preemptions; k++ {
		order, exhausted := b.search(k)
		if order != nil {
			s.offer(order)
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
