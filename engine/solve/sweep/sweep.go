package sweep

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// Question is a goal and what holds besides at the end of the schedule.
type Question struct {
	Goal  constraint.Goal
	Given []constraint.Clause
}

// Bound of a walk, beside its budget.
type Bound struct {
	Enough int // schedules after which to end; 0: no bound
	// Values: go on when all is answered, for schedules in which the event that a
	// question asks for takes other values.
	Values bool
}

// Answers of a walk.
type Answers struct {
	Status    []solve.Status         // by question
	Schedules []*constraint.Schedule // by question, of Sat
	More      []Further              // schedules in which an event asked for takes another value
	Sat       int                    // how many have a schedule
	States    int                    // visited
	Complete  bool                   // the walk came to its end
}

// Further is one more schedule for a question.
type Further struct {
	Question int
	Schedule *constraint.Schedule
}

// Ask walks through a system until all questions are answered, the bound is reached
// or the budget ends, of which each state takes a step. It returns what is known by
// then. The error is that of a system that is not valid.
func Ask(b *budget.Budget, sys *constraint.System, questions []Question, bound Bound) (*Answers, error) {
	if err := sys.Validate(); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	a := &Answers{Status: make([]solve.Status, len(questions)), Schedules: make([]*constraint.Schedule, len(questions))}
	w := newWalk(b, sys, questions, bound, a)
	if w.open == 0 {
		return a, nil
	}
	w.from(0)
	a.States = len(w.seen)
	if a.Complete = !w.stopped; a.Complete {
		w.refute()
	}
	return a, nil
}

// refute answers what the walk, which came to its end, did not show.
func (w *walk) refute() {
	shown := map[uint64]bool{}
	for i, status := range w.answers.Status {
		if status == solve.Sat && w.group[i] != 0 {
			shown[w.group[i]] = true
		}
	}
	for i, can := range w.can {
		if can && w.answers.Status[i] == solve.Unknown && !shown[w.group[i]] {
			w.answers.Status[i] = solve.Unsat
		}
	}
}
