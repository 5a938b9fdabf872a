package report

import (
	"fmt"
	"strings"
)

// Flip is an outcome of a condition.
type Flip struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Cond    string `json:"condition,omitempty"` // its text, where the sources have one
	Outcome bool   `json:"outcome"`
}

// String is "live == 0 is true (main.go:7)".
func (f Flip) String() string {
	cond := f.Cond
	if cond == "" {
		cond = "the condition"
	}
	return fmt.Sprintf("%s is %v (%s:%d)", cond, f.Outcome, f.File, f.Line)
}

// shownFlips is how many are named in a line.
const shownFlips = 4

// Story says where the attempt that found something came from; "" if it came from no
// model of the program.
func (s Spent) Story() string {
	if s.Started == 0 || s.Synthesized == 0 {
		return ""
	}
	text := fmt.Sprintf("attempt %d of the search, rehearsed in a model of the program that was fitted to %s", s.Attempts, count(s.Started, "run", "s"))
	if s.FromDatabase > 0 {
		text = fmt.Sprintf("attempt %d of the search, which started from %s and %d of its own, rehearsed in a model of the program",
			s.Attempts, count(s.FromDatabase, "recorded run", "s"), s.Started-s.FromDatabase)
	}
	if len(s.Flipped) == 0 {
		return text + "; it takes no branch that those did not take"
	}
	var names []string
	last := s.Flipped[max(0, len(s.Flipped)-shownFlips):]
	for _, f := range last {
		names = append(names, f.String())
	}
	text += "; unlike in those, " + strings.Join(names, ", ")
	if more := len(s.Flipped) - len(last); more > 0 {
		text += fmt.Sprintf(", after %s more", count(more, "branch", "es"))
	}
	return text
}
