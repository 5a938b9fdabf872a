package solve

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// MaxEvents is what solvers are asked at most: more would take minutes and
// gigabytes (docs/solving.md has the measurements).
const MaxEvents = 300_000

// TooLarge is the error of a system that has more events than a solver takes:
// a refusal before memory is spent.
type TooLarge struct {
	Solver        string
	Events, Limit int
}

func (e *TooLarge) Error() string {
	return fmt.Sprintf("%s: %d events are more than the %d that it solves at once; "+
		"ask about a part of the run (fewer iterations, a shorter test, or a window of %d events)",
		e.Solver, e.Events, e.Limit, e.Limit)
}

// Limit refuses systems of more than limit events with TooLarge.
func Limit(inner Solver, limit int) Solver { return &limited{inner, limit} }

type limited struct {
	Solver
	limit int
}

func (l *limited) New(sys *constraint.System) (Session, error) {
	if n := len(sys.Events); n > l.limit {
		return nil, &TooLarge{Solver: l.Name(), Events: n, Limit: l.limit}
	}
	return l.Solver.New(sys)
}
