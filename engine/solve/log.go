package solve

import (
	"fmt"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// Log calls write once for each check, with one line: who, how large, what was
// asked, the answer and its cost. write is called by the goroutine that checks.
func Log(inner Solver, write func(line string)) Solver { return &logger{inner, write} }

type logger struct {
	Solver
	write func(string)
}

func (l *logger) New(sys *constraint.System) (Session, error) {
	s, err := l.Solver.New(sys)
	if err != nil {
		l.write(fmt.Sprintf("%s: %s: %v", l.Name(), size(sys), err))
		return nil, err
	}
	return &logged{scoped: scoped{Session: s}, of: l, sys: sys}, nil
}

type logged struct {
	scoped
	of  *logger
	sys *constraint.System
}

func (s *logged) Check(b *budget.Budget, goal constraint.Goal, assume ...Assumption) (Result, error) {
	start := time.Now()
	r, err := s.Session.Check(b, goal, assume...)
	var line strings.Builder
	fmt.Fprintf(&line, "%s: %s, %d clauses, %d assumptions, goal %q: ",
		s.of.Name(), size(s.sys), len(s.scopes.clauses), len(assume), goal.Name)
	if err != nil {
		fmt.Fprintf(&line, "error: %v", err)
	} else {
		line.WriteString(r.String())
	}
	fmt.Fprintf(&line, ", %v", time.Since(start).Round(time.Microsecond))
	s.of.write(line.String())
	return r, err
}

func size(sys *constraint.System) string {
	return fmt.Sprintf("%d events of %d threads on %d objects", len(sys.Events), len(sys.Threads), max(0, len(sys.Objects)-1))
}

func (s Status) String() string {
	switch s {
	case Sat:
		return "sat"
	case Unsat:
		return "unsat"
	}
	return "unknown"
}

// String is the answer with what belongs to it and what it took, in one line.
func (r Result) String() string {
	var line strings.Builder
	line.WriteString(r.Status.String())
	switch {
	case r.Schedule != nil:
		fmt.Fprintf(&line, " with %d events", len(r.Schedule.Order))
	case r.Core != nil:
		fmt.Fprintf(&line, " by %s", strings.Join(r.Core, ", "))
	case r.Reason != "":
		fmt.Fprintf(&line, " (%s)", r.Reason)
	}
	if r.Solver != "" {
		fmt.Fprintf(&line, " by %s", r.Solver)
	}
	for _, n := range []struct {
		count int
		what  string
	}{{r.Stats.Lemmas, "lemmas"}, {r.Stats.Decisions, "decisions"}, {r.Stats.Conflicts, "conflicts"}, {r.Stats.Simulated, "simulated"}} {
		if n.count > 0 {
			fmt.Fprintf(&line, ", %d %s", n.count, n.what)
		}
	}
	return line.String()
}
