package native

import (
	"context"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// explained asks constraint's Checker, whose clauses are as strong as a pass over
// an order allows. A pass takes some 10 ms for 100,000 events, so the context
// is looked at between passes.
type explained struct{ *constraint.Checker }

func explainer(sys *constraint.System) checker { return explained{constraint.NewChecker(sys)} }

func (x explained) simulate(at []constraint.EventID) (*constraint.Schedule, *constraint.Violation) {
	return x.Simulate(at)
}

func (x explained) explain(ctx context.Context, at []constraint.EventID, goal constraint.Goal, limit int) ([]*constraint.Violation, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return x.Explain(at, goal, limit), nil
}
