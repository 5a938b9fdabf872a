package native

import (
	"context"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// checker is what constraint knows of whole orders.
type checker interface {
	explain(ctx context.Context, at []constraint.EventID, goal constraint.Goal, limit int) ([]*constraint.Violation, error)
	simulate(at []constraint.EventID) (*constraint.Schedule, *constraint.Violation)
}
