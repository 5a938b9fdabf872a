package native

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// exact explains an order by itself: the weakest lemma there is, obviously true,
// since what happens is a function of the order. With it the solver enumerates.
type exact struct {
	sys   *constraint.System
	check *constraint.Checker
}

func newExact(sys *constraint.System) checker {
	return exact{sys, constraint.NewChecker(sys)}
}

func (x exact) base() *constraint.Checker { return x.check }

func (x exact) must(*budget.Budget) *constraint.Order { return x.check.Must() }

func (x exact) writers(_ *budget.Budget, r constraint.EventID) []constraint.EventID {
	return x.check.Writers(r)
}

func (x exact) meets(_ *budget.Budget, at []constraint.EventID, goal constraint.Goal) (*constraint.Schedule, *constraint.Violation, error) {
	sch, v := x.check.Meets(at, goal)
	return sch, v, nil
}

func (x exact) explain(_ *budget.Budget, at []constraint.EventID, goal constraint.Goal, _ int) ([]*constraint.Violation, error) {
	sch, v := x.check.Simulate(at)
	if v == nil {
		v = x.sys.Meets(sch, goal)
	}
	if v == nil {
		return nil, nil
	}
	end := slices.Index(at, x.sys.End())
	for i := range at[:end] {
		v.Clause = append(v.Clause, constraint.Lit{A: at[i+1], B: at[i]})
	}
	for _, e := range at[end+1:] {
		v.Clause = append(v.Clause, constraint.Lit{A: e, B: x.sys.End()})
	}
	return []*constraint.Violation{v}, nil
}
