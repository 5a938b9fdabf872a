package constraint

import (
	"errors"
	"fmt"
)

// ValidateGoal says what is wrong with a goal for a valid system: events out of
// range, terms over what has no value.
func (s *System) ValidateGoal(g Goal) error {
	for _, e := range append(g.Happens(), g.Stands()...) {
		if e < 0 || int(e) >= len(s.Events) {
			return fmt.Errorf("goal: there is no event %d", e)
		}
	}
	for _, c := range g.Cond {
		if err := validTerm(c, func(r EventID) error {
			if r < 0 || int(r) >= len(s.Events) || !s.Events[r].Op.symbolic() {
				return fmt.Errorf("event %d has no value", r)
			}
			return nil
		}); err != nil {
			return fmt.Errorf("goal: condition: %w", err)
		}
	}
	return nil
}

// validTerm checks the shape of a term, and each symbol.
func validTerm(t *Term, symbol func(EventID) error) error {
	if t == nil {
		return errors.New("a term is nil")
	}
	switch t.Width {
	case 0, 1, 8, 16, 32, 64:
	default:
		return fmt.Errorf("width %d", t.Width)
	}
	if t.Op == Sym {
		return symbol(t.Event)
	}
	if lo, hi := t.Op.arity(); len(t.Args) < lo || len(t.Args) > hi {
		return fmt.Errorf("operation %v of %d terms", t.Op, len(t.Args))
	}
	for _, a := range t.Args {
		if err := validTerm(a, symbol); err != nil {
			return err
		}
	}
	return nil
}
