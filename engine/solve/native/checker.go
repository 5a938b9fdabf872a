package native

import (
	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// checker is what constraint knows of whole orders. It spends a step for each call
// and at fixed intervals in those that take long, and comes back soon after the
// budget ends.
type checker interface {
	explain(b *budget.Budget, at []constraint.EventID, goal constraint.Goal, limit int) ([]*constraint.Violation, error)
	writers(b *budget.Budget, r constraint.EventID) []constraint.EventID
	must(b *budget.Budget) *constraint.Order
	base() *constraint.Checker
	meets(b *budget.Budget, at []constraint.EventID, goal constraint.Goal) (*constraint.Schedule, *constraint.Violation, error)
}
