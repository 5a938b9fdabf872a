// Package solve asks solvers for schedules of a constraint.System.
//
// native is pure Go and what the product asks, see package solvers. z3 is Debian's
// libz3 through a binding of its own, against which tests check native; repairsearch
// edits the recorded order and can't prove that nothing is there. Limit refuses what
// is too large. No product code uses z3, repairsearch, or the decorators Validate
// and Portfolio yet: tests and bench/solve do, and chains of solvers will.
//
// Invariants:
//   - Sat comes with a schedule that constraint's Machine accepts.
//   - Unsat is a proof; Core is then a subset of the assumptions' names that is
//     unsatisfiable together with the system, the goal and what was added.
//   - Unknown says why. A check returns within 100 ms of the end of its budget's
//     context; native ends equally after equal numbers of steps.
package solve

import (
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// Solver makes sessions.
type Solver interface {
	Name() string
	// New starts a session on a system, which must pass constraint's Validate
	// and may not change any more.
	New(sys *constraint.System) (Session, error)
}

// Session asks about one system. Not safe for concurrent use.
type Session interface {
	// Push opens a scope; Pop forgets what was added since.
	Push()
	Pop()
	// Add demands clauses in this scope.
	Add(clauses ...constraint.Clause)
	// Check looks for a schedule that reaches the goal under the assumptions.
	// When the budget ends, the answer is Unknown.
	Check(b *budget.Budget, goal constraint.Goal, assume ...Assumption) (Result, error)
	Close() error
}

// Assumption is a named conjunction of clauses: what a core is made of.
type Assumption struct {
	Name    string
	Clauses []constraint.Clause
}

// Status of a check.
type Status int

const (
	Unknown Status = iota
	Sat
	Unsat
)

// Result of a check.
type Result struct {
	Status   Status
	Schedule *constraint.Schedule // of Sat
	Core     []string             // of Unsat: names of assumptions; not always minimal
	Reason   string               // of Unknown: "time is up", "cancelled", "no repair found", ...
	Solver   string               // who answered
	Stats    Stats
}

// Stats of a check.
type Stats struct {
	Time      time.Duration
	Events    int
	Lemmas    int // clauses made
	Decisions int
	Conflicts int
	Simulated int // orders simulated
}
