package solve

import (
	"fmt"
	"strings"
)

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
