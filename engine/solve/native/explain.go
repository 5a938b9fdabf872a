package native

import (
	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// explained asks constraint's Checker, whose clauses are as strong as a pass over
// an order allows.
type explained struct{ *constraint.Checker }

func explainer(sys *constraint.System) checker { return explained{constraint.NewChecker(sys)} }

func (x explained) base() *constraint.Checker { return x.Checker }

// spends makes the Checker stop when a budget is spent.
func (x explained) spends(b *budget.Budget) { x.StopWhen(func() bool { return !b.Spend(1) }) }

func (x explained) meets(b *budget.Budget, at []constraint.EventID, goal constraint.Goal) (*constraint.Schedule, *constraint.Violation, error) {
	x.spends(b)
	sch, v := x.Meets(at, goal)
	b.Spend(1)
	return sch, v, b.Err()
}

func (x explained) explain(b *budget.Budget, at []constraint.EventID, goal constraint.Goal, limit int) ([]*constraint.Violation, error) {
	x.spends(b)
	violations := x.Explain(at, goal, limit)
	b.Spend(1)
	return violations, b.Err()
}

func (x explained) writers(b *budget.Budget, r constraint.EventID) []constraint.EventID {
	x.spends(b)
	return x.Writers(r)
}

func (x explained) must(b *budget.Budget) *constraint.Order {
	x.spends(b)
	return x.Must()
}
