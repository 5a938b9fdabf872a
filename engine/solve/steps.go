package solve

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrSteps is the error of a Steps context whose steps are spent.
var ErrSteps = errors.New("too many steps")

// Steps is a context that ends by itself when it was asked for its error often
// enough. Solvers do that as they go: native at each decision, conflict and
// simulated order, and at fixed intervals in what takes long. So it bounds the
// work of a check by its nature and not by the clock: equal questions to equal
// sessions end equally on every machine. Only for solvers that work in one
// goroutine.
type Steps struct {
	context.Context
	limit int64
	used  atomic.Int64
	done  chan struct{}
	once  sync.Once
	stop  func() bool
}

// NewSteps makes a context that ends with its parent or after limit steps. Close
// frees it.
func NewSteps(parent context.Context, limit int64) *Steps {
	s := &Steps{Context: parent, limit: limit, done: make(chan struct{})}
	s.stop = context.AfterFunc(parent, s.end)
	return s
}

// Err counts a step.
func (s *Steps) Err() error {
	if err := s.Context.Err(); err != nil {
		return err
	}
	if s.used.Add(1) > s.limit {
		s.end()
		return ErrSteps
	}
	return nil
}

// Done is closed when Err has an error.
func (s *Steps) Done() <-chan struct{} { return s.done }

// Used is how many steps were taken.
func (s *Steps) Used() int64 { return min(s.used.Load(), s.limit) }

// Spent is true if the steps, and not the parent, ended it.
func (s *Steps) Spent() bool { return s.used.Load() > s.limit }

// Close ends it.
func (s *Steps) Close() {
	s.stop()
	s.end()
}

func (s *Steps) end() { s.once.Do(func() { close(s.done) }) }
