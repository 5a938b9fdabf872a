package native

import (
	"context"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// explained asks constraint's Checker, whose clauses are as strong as a pass over
// an order allows.
type explained struct{ *constraint.Checker }

func explainer(sys *constraint.System) checker { return explained{constraint.NewChecker(sys)} }

func (x explained) base() *constraint.Checker { return x.Checker }

func (x explained) meets(ctx context.Context, at []constraint.EventID, goal constraint.Goal) (*constraint.Schedule, *constraint.Violation, error) {
	x.StopWhen(func() bool { return ctx.Err() != nil })
	sch, v := x.Meets(at, goal)
	return sch, v, ctx.Err()
}

func (x explained) explain(ctx context.Context, at []constraint.EventID, goal constraint.Goal, limit int) ([]*constraint.Violation, error) {
	x.StopWhen(func() bool { return ctx.Err() != nil })
	violations := x.Explain(at, goal, limit)
	return violations, ctx.Err()
}

func (x explained) writers(ctx context.Context, r constraint.EventID) []constraint.EventID {
	x.StopWhen(func() bool { return ctx.Err() != nil })
	return x.Writers(r)
}

func (x explained) must(ctx context.Context) *constraint.Order {
	x.StopWhen(func() bool { return ctx.Err() != nil })
	return x.Must()
}
