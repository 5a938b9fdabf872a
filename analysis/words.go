package analysis

import (
	"fmt"
)

// Sentence is the pair on one line, without the place of its first side. name
// shows a file's name.
func (p Pair) Sentence(name func(string) string) string {
	at := func(s Side) string { return fmt.Sprintf("%s:%d:%d", name(s.File), s.Line, s.Column) }
	a, b := p.Sides[0], p.Sides[1]
	s := fmt.Sprintf("%s: %s (%s) and %s at %s (%s)", p.What, a.Op, a.Goroutine, b.Op, at(b), b.Goroutine)
	if p.Then != nil {
		s += fmt.Sprintf(", before %s at %s", p.Then.Op, at(*p.Then))
	}
	return fmt.Sprintf("%s [%s]: %s", s, p.Kind, p.Reason())
}

// Reason is why the pair is one, and why it is likely no bug.
func (p Pair) Reason() string {
	if p.Doubt == "" {
		return p.Why
	}
	return fmt.Sprintf("%s (less likely: %s)", p.Why, p.Doubt)
}
