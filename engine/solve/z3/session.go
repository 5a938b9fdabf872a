package z3

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// engine answers questions about one system. One goroutine at a time uses it. It
// tries to come back when the context of a check ends, and may fail to: Z3 looks
// at no interrupt while it takes in a formula, sometimes for seconds.
type engine interface {
	// check fails when its context ends; then the engine can only be closed.
	check(ctx context.Context, q question) (solve.Result, error)
	close()
}

// question is what a check asks.
type question struct {
	scopes [][]constraint.Clause // the first is not on a Push
	kept   int                   // scopes that were there in the check before, and stayed since
	goal   constraint.Goal
	assume []solve.Assumption
}

// session keeps the clauses of its scopes, so that an engine can be made anew:
// one whose check ends with its context is left behind, to a goroutine that
// closes it when it comes back.
type session struct {
	sys    *constraint.System
	fresh  func() engine
	busy   chan struct{} // has an element for each engine that checks or closes
	scopes [][]constraint.Clause
	kept   int    // scopes that the engine has
	engine engine // nil: not made
}

// maxBusy bounds the engines of a Solver that work at once, those left behind
// included: each may take a processor, and hundreds of megabytes.
const maxBusy = 4

func newSession(sys *constraint.System, fresh func() engine, busy chan struct{}) *session {
	return &session{sys: sys, fresh: fresh, busy: busy, scopes: [][]constraint.Clause{nil}}
}

func (s *session) Push() { s.scopes = append(s.scopes, nil) }

func (s *session) Pop() {
	s.scopes = s.scopes[:len(s.scopes)-1]
	s.kept = min(s.kept, len(s.scopes))
}

func (s *session) Add(clauses ...constraint.Clause) {
	last := &s.scopes[len(s.scopes)-1]
	*last = append(*last, clauses...)
}

// Close does not wait for what is left behind.
func (s *session) Close() error {
	e := s.engine
	if s.engine = nil; e == nil {
		return nil
	}
	select {
	case s.busy <- struct{}{}:
		go s.dispose(e)
	default: // too many do that already
		e.close()
	}
	return nil
}

// Check makes the formula if need be and asks Z3. When the budget's context ends, it
// returns at once. It spends no steps: what Z3 does can't be counted.
func (s *session) Check(b *budget.Budget, goal constraint.Goal, assume ...solve.Assumption) (solve.Result, error) {
	start := time.Now()
	r, err := s.check(b.Context(), goal, assume)
	if why := reason(err); why != "" {
		r, err = solve.Result{Reason: why}, nil
	}
	r.Solver, r.Stats.Time, r.Stats.Events = "z3", time.Since(start), len(s.sys.Events)
	return r, err
}

func (s *session) check(ctx context.Context, goal constraint.Goal, assume []solve.Assumption) (solve.Result, error) {
	if err := ctx.Err(); err != nil {
		return solve.Result{}, err
	}
	select {
	case s.busy <- struct{}{}:
	case <-ctx.Done():
		return solve.Result{}, fmt.Errorf("%w: %w", errBusy, ctx.Err())
	}
	if s.engine == nil {
		s.engine, s.kept = s.fresh(), 0
	}
	type reply struct {
		r   solve.Result
		err error
	}
	e, replies := s.engine, make(chan reply, 1)
	q := question{slices.Clone(s.scopes), s.kept, goal, assume}
	go func() {
		r, err := e.check(ctx, q)
		replies <- reply{r, err}
	}()
	select {
	case a := <-replies:
		if a.err != nil {
			s.engine = nil
			go s.dispose(e)
			return solve.Result{}, a.err
		}
		<-s.busy
		s.kept = len(s.scopes)
		return a.r, nil
	case <-ctx.Done():
		s.engine = nil
		go func() {
			<-replies
			s.dispose(e)
		}()
		return solve.Result{}, ctx.Err()
	}
}

// dispose closes a busy engine, which takes a while if its formula is large.
func (s *session) dispose(e engine) {
	e.close()
	<-s.busy
}

// errBusy is joined to the end of a context that came before a check could begin.
var errBusy = fmt.Errorf("Z3 still works on %d other checks", maxBusy)

// reason words what makes a check Unknown; "" for real errors.
func reason(err error) (why string) {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		why = "time is up"
	case errors.Is(err, context.Canceled):
		why = "cancelled"
	case errors.Is(err, errTooLarge):
		why = err.Error()
	}
	if errors.Is(err, errBusy) {
		why += ": " + errBusy.Error()
	}
	return why
}
