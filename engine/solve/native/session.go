package native

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/native/sat"
)

const name = "native"

type solver struct{}

// New is the solver in pure Go: exact for all that constraint can say, with
// cores, and incremental: what one check learns, the next ones know.
func New() solve.Solver { return solver{} }

func (solver) Name() string { return name }

func (solver) New(sys *constraint.System) (solve.Session, error) {
	if err := sys.Validate(); err != nil {
		return nil, fmt.Errorf("native: %w", err)
	}
	return &session{t: newTheory(sys, explainer)}, nil
}

// session is one system. Between checks the core is at level 0.
type session struct {
	t      *theory
	scopes []sat.Lit // true while a scope is open
	closed bool
}

func (s *session) Push() {
	s.scopes = append(s.scopes, s.t.plain())
}

func (s *session) Pop() {
	if n := len(s.scopes); n > 0 {
		s.t.retire(s.scopes[n-1])
		s.scopes = s.scopes[:n-1]
	}
}

func (s *session) Add(clauses ...constraint.Clause) {
	var guard []sat.Lit
	if n := len(s.scopes); n > 0 {
		guard = []sat.Lit{s.scopes[n-1].Not()}
	}
	for _, c := range clauses {
		if guard == nil && s.t.forGood(c) {
			continue
		}
		s.t.add(c, guard)
	}
}

func (s *session) Close() error {
	s.closed, s.t = true, nil
	return nil
}

func (s *session) Check(b *budget.Budget, goal constraint.Goal, assume ...solve.Assumption) (solve.Result, error) {
	if s.closed {
		return solve.Result{}, errors.New("native: the session is closed")
	}
	start, before := time.Now(), s.t.stats()
	result, err := s.check(b, goal, assume)
	now := s.t.stats()
	result.Solver = name
	result.Stats = solve.Stats{
		Time:      time.Since(start),
		Events:    len(s.t.sys.Events),
		Lemmas:    now.Lemmas - before.Lemmas,
		Decisions: now.Decisions - before.Decisions,
		Conflicts: now.Conflicts - before.Conflicts,
		Simulated: now.Simulated - before.Simulated,
	}
	return result, err
}

func (s *session) check(b *budget.Budget, goal constraint.Goal, assume []solve.Assumption) (solve.Result, error) {
	g := s.t.aim(goal)
	defer s.t.retire(g)
	assumptions := append(slices.Clone(s.scopes), g)
	names := map[sat.Lit]string{}
	for _, a := range assume {
		l := s.t.plain()
		defer s.t.retire(l)
		names[l] = a.Name
		assumptions = append(assumptions, l)
		for _, c := range a.Clauses {
			if !b.Spend(1) {
				return solve.Result{Reason: b.Why()}, nil
			}
			s.t.add(c, []sat.Lit{l.Not()})
		}
	}
	answer, err := s.t.solve(b, assumptions)
	switch {
	case !b.Spend(1) && answer == sat.Open:
		return solve.Result{Reason: b.Why()}, nil
	case err != nil:
		return solve.Result{Reason: err.Error()}, err
	case answer == sat.True:
		return solve.Result{Status: solve.Sat, Schedule: s.t.found}, nil
	}
	result := solve.Result{Status: solve.Unsat}
	for _, l := range s.t.sat.Core() {
		if n, ok := names[l]; ok {
			result.Core = append(result.Core, n)
		}
	}
	slices.Sort(result.Core)
	result.Core = slices.Compact(result.Core)
	return result, nil
}
