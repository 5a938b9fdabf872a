package enumerate

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// New makes a solver of it, which answers Unknown after limit states. Its cores
// are minimal: without any of their names there is a schedule.
func New(limit int) solve.Solver { return solver(limit) }

type solver int

func (s solver) Name() string { return "enumerate" }

func (s solver) New(sys *constraint.System) (solve.Session, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	return &session{sys: sys, limit: int(s)}, nil
}

type session struct {
	solve.Scopes
	sys   *constraint.System
	limit int
}

func (s *session) Close() error { return nil }

func (s *session) Check(b *budget.Budget, goal constraint.Goal, assume ...solve.Assumption) (solve.Result, error) {
	start := time.Now()
	r := solve.Result{Solver: "enumerate", Stats: solve.Stats{Events: len(s.sys.Events)}}
	sch, err := Reachable(b.Context(), s.sys, goal, s.Clauses(assume...), s.limit)
	switch {
	case err != nil:
		if r.Reason = b.Why(); r.Reason == "" {
			r.Reason = err.Error()
		}
	case sch != nil:
		r.Status, r.Schedule = solve.Sat, sch
	default:
		r.Status, r.Core = solve.Unsat, s.core(b.Context(), goal, assume)
	}
	r.Stats.Time = time.Since(start)
	return r, nil
}

// core drops assumptions that are not needed, one by one.
func (s *session) core(ctx context.Context, goal constraint.Goal, assume []solve.Assumption) []string {
	needed := assume
	for i := 0; i < len(needed); {
		fewer := append(needed[:i:i], needed[i+1:]...)
		if sch, err := Reachable(ctx, s.sys, goal, s.Clauses(fewer...), s.limit); sch == nil && err == nil {
			needed = fewer
		} else {
			i++
		}
	}
	names := []string{}
	for _, a := range needed {
		names = append(names, a.Name)
	}
	return names
}
