package search

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/forest"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/internal/bug"
)

const (
	// firstSteps bounds a question to the solver (package budget). One that is not
	// answered is asked again when no others are left, each time with stepsFactor
	// times as many, hardest times.
	firstSteps  = 1000
	stepsFactor = 8
	hardest     = 4
)

const tooManySteps = "too many steps"

// check asks a question, with more steps each time that the solver gave up.
// Never a clock decides: equal seeds try equal schedules.
func (s *Explore) check(ctx context.Context, session solve.Session, f *forest.Frontier) solve.Result {
	limit := int64(firstSteps)
	if f.Failure {
		limit *= stepsFactor // what is looked for is worth more than what leads there
	}
	for range s.hard[f.Key] {
		limit *= stepsFactor
	}
	b := budget.New(ctx, limit)
	session.Push()
	defer session.Pop()
	end := constraint.EventID(s.forest.Events())
	for _, e := range f.Never {
		session.Add(constraint.Clause{{A: end, B: e}})
	}
	start := time.Now()
	session.Add(f.Given...)
	res, err := session.Check(b, f.Goal)
	s.foresight.Solving += time.Since(start)
	s.work += b.Used()
	switch {
	case err != nil: // the solver found that it is wrong
		bug.Reportf("ask the solver: %v", err)
		return solve.Result{Reason: err.Error()}
	case res.Status == solve.Unknown && b.Spent():
		res.Reason = tooManySteps
	}
	return res
}
