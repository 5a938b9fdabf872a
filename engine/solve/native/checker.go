package native

import (
	"context"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// checker is what constraint knows of whole orders. Both come back soon after the
// context ends.
type checker interface {
	explain(ctx context.Context, at []constraint.EventID, goal constraint.Goal, limit int) ([]*constraint.Violation, error)
	writers(ctx context.Context, r constraint.EventID) []constraint.EventID
	must(ctx context.Context) *constraint.Order
	base() *constraint.Checker
	meets(ctx context.Context, at []constraint.EventID, goal constraint.Goal) (*constraint.Schedule, *constraint.Violation, error)
}
