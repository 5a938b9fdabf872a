package native

import (
	"context"
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// TestNeitherHappens: an order that the program forbids holds where neither event
// happens, so that schedules without them are left.
func TestNeitherHappens(t *testing.T) {
	sys := &constraint.System{
		Objects: []constraint.Object{{}, {Kind: constraint.Location}},
		Threads: make([]constraint.Thread, 2),
		Events: []constraint.Event{
			{Op: constraint.Write, Obj: 1, Prev: -1, Partner: -1, Child: -1, At: 1},
			{Op: constraint.Write, Obj: 1, Prev: 0, Partner: -1, Child: -1, At: 0},
			{Op: constraint.Write, Obj: 1, Prev: -1, Partner: -1, Child: -1, At: 2, Thread: 1},
		},
	}
	for event, want := range map[constraint.EventID]solve.Status{0: solve.Unsat, 1: solve.Unsat, 2: solve.Sat} {
		s, err := New().New(sys)
		if err != nil {
			t.Fatal(err)
		}
		s.Add(constraint.Clause{{A: 1, B: 0}})
		r, err := s.Check(budget.Unlimited(context.Background()), constraint.Goal{Include: []constraint.EventID{event}})
		if err != nil || r.Status != want {
			t.Errorf("event %d: %v (%v), want %v", event, r.Status, err, want)
		}
	}
}
