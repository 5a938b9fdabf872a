package search

import (
	"context"

	"github.com/hocket-dev/hocket/engine/run"
)

// First makes given attempts before those of another strategy, which does not
// learn of them: schedules that are known to be worth a try.
type First struct {
	specs []run.Spec
	then  Strategy
	seen  int // attempts observed
}

// NewFirst makes a strategy that replays specs, then goes on as another does.
func NewFirst(then Strategy, specs ...run.Spec) *First { return &First{specs: specs, then: then} }

// Next implements Strategy.
func (s *First) Next(n int) (run.Spec, bool) {
	if n < len(s.specs) {
		return s.specs[n], true
	}
	return s.then.Next(n - len(s.specs))
}

// Within implements Waiter.
func (s *First) Within(ctx context.Context) {
	if w, ok := s.then.(Waiter); ok {
		w.Within(ctx)
	}
}

// Waits implements Waiter.
func (s *First) Waits() bool {
	w, ok := s.then.(Waiter)
	return ok && w.Waits()
}

// Ready implements Thinker.
func (s *First) Ready() <-chan struct{} {
	if t, ok := s.then.(Thinker); ok {
		return t.Ready()
	}
	return nil
}

// Proved implements Prover.
func (s *First) Proved() (bool, string) {
	if p, ok := s.then.(Prover); ok {
		return p.Proved()
	}
	return false, "random search proves nothing"
}

// Foresight implements Foreseer.
func (s *First) Foresight() Foresight {
	if f, ok := s.then.(Foreseer); ok {
		return f.Foresight()
	}
	return Foresight{}
}

// Observe implements Strategy.
func (s *First) Observe(spec run.Spec, r *run.Result) {
	s.seen++
	if s.seen > len(s.specs) {
		s.then.Observe(spec, r)
	}
}

// Doubt is as Explore's.
func (s *First) Doubt(why string) {
	if d, ok := s.then.(doubter); ok {
		d.Doubt(why)
	}
}
