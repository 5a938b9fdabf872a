package solve

import (
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// Wrong is the error of an answer that is not true: a bug of a solver, never
// of the user's program.
type Wrong struct {
	Solver string
	Goal   string
	Reason string
	Where  string // where the system was written to; empty: nowhere
}

func (e *Wrong) Error() string {
	s := fmt.Sprintf("the solver %s gave a wrong answer for goal %q: %s", e.Solver, e.Goal, e.Reason)
	if e.Where != "" {
		s += "; the system is in " + e.Where
	}
	return s
}

// Checks says what Validate does beside simulating every schedule.
type Checks struct {
	// Cores, if set, is asked again under the assumptions of each core alone,
	// in a session of its own: it must not find a schedule.
	Cores Solver
	// Dump, if set, keeps the text of a system that a wrong answer was given
	// for, and says where.
	Dump func(text string) (where string)
}

// Validate refuses goals that the system can't have, simulates the schedule of
// every Sat and checks whether goal, clauses and assumptions hold in it; the
// values in it become those of the simulation. An answer that is not true becomes
// a Wrong.
func Validate(inner Solver, checks Checks) Solver { return &validator{inner, checks} }

type validator struct {
	Solver
	checks Checks
}

func (v *validator) New(sys *constraint.System) (Session, error) {
	s, err := v.Solver.New(sys)
	if err != nil {
		return nil, err
	}
	return &validated{scoped: scoped{Session: s}, of: v, sys: sys}, nil
}

type validated struct {
	scoped
	of  *validator
	sys *constraint.System
}

func (s *validated) Check(b *budget.Budget, goal constraint.Goal, assume ...Assumption) (Result, error) {
	if err := s.sys.ValidateGoal(goal); err != nil {
		return Result{}, err
	}
	r, err := s.Session.Check(b, goal, assume...)
	if err != nil {
		return r, err
	}
	reason := ""
	switch r.Status {
	case Sat:
		r.Schedule, reason = s.sound(r.Schedule, goal, assume)
	case Unsat:
		reason, err = s.refutes(b, r.Core, goal, assume)
	}
	if err != nil {
		return Result{}, err
	}
	if reason != "" {
		return Result{}, s.wrong(goal, assume, reason)
	}
	return r, nil
}

// sound says what is wrong with a schedule.
func (s *validated) sound(sch *constraint.Schedule, goal constraint.Goal, assume []Assumption) (*constraint.Schedule, string) {
	if sch == nil {
		return nil, "it has no schedule"
	}
	return Accept(s.sys, sch.Order, goal, s.scopes.Clauses(assume...))
}

// Accept simulates an order and says what of the goal or the clauses it does
// not show; with "" comes the schedule.
func Accept(sys *constraint.System, order []constraint.EventID, goal constraint.Goal, clauses []constraint.Clause) (*constraint.Schedule, string) {
	sch, v := constraint.Simulate(sys, order)
	if v == nil {
		v = sys.Meets(sch, goal)
	}
	if v != nil {
		return nil, v.Error()
	}
	if c := Place(sys, sch.Order).First(clauses); c != nil {
		return nil, fmt.Sprintf("the clause %v does not hold", c)
	}
	return sch, ""
}

// refutes says what is wrong with a core. That a core is one can only be
// asked, not computed.
func (s *validated) refutes(b *budget.Budget, core []string, goal constraint.Goal, assume []Assumption) (string, error) {
	var named []Assumption
	for _, name := range core {
		n := len(named)
		for _, a := range assume {
			if a.Name == name {
				named = append(named, a)
			}
		}
		if len(named) == n {
			return "the core has " + name + ", which is no assumption", nil
		}
	}
	if s.of.checks.Cores == nil {
		return "", nil
	}
	other, err := s.of.checks.Cores.New(s.sys)
	if err != nil {
		return "", fmt.Errorf("check a core of %s: %w", s.of.Name(), err)
	}
	defer other.Close()
	other.Add(s.scopes.Clauses()...)
	r, err := other.Check(b, goal, named...)
	if err != nil {
		return "", fmt.Errorf("check a core of %s: %w", s.of.Name(), err)
	}
	if r.Status != Sat {
		return "", nil
	}
	if _, why := s.sound(r.Schedule, goal, named); why != "" {
		return "", s.wrongOf(s.of.checks.Cores.Name(), goal, named, why)
	}
	return fmt.Sprintf("its core %v allows a schedule", core), nil
}

func (s *validated) wrong(goal constraint.Goal, assume []Assumption, reason string) error {
	return s.wrongOf(s.of.Name(), goal, assume, reason)
}

func (s *validated) wrongOf(who string, goal constraint.Goal, assume []Assumption, reason string) error {
	w := &Wrong{Solver: who, Goal: goal.Name, Reason: reason}
	if s.of.checks.Dump != nil {
		var b strings.Builder
		fmt.Fprintf(&b, "%v\n\n%v\ngoal %v\n", w, s.sys, goal)
		for _, c := range s.scopes.Clauses() {
			fmt.Fprintf(&b, "clause %v\n", c)
		}
		for _, a := range assume {
			fmt.Fprintf(&b, "assume %s: %v\n", a.Name, a.Clauses)
		}
		w.Where = s.of.checks.Dump(b.String())
	}
	return w
}
