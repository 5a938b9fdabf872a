package search

import (
	"context"

	"github.com/hocket-dev/hocket/engine/run"
)

// First makes given attempts before those of another strategy, which does not
// learn of them: schedules that have failed before, say.
type First struct {
	Strategy
	specs []run.Spec
	seen  int // attempts observed
}

// NewFirst makes a strategy that replays specs, then goes on as another does.
func NewFirst(then Strategy, specs ...run.Spec) *First { return &First{Strategy: then, specs: specs} }

// Next implements Strategy.
func (s *First) Next(ctx context.Context, n int) (run.Spec, bool) {
	if n < len(s.specs) {
		return s.specs[n], true
	}
	return s.Strategy.Next(ctx, n-len(s.specs))
}

// Observe implements Strategy.
func (s *First) Observe(spec run.Spec, r *run.Result) {
	if s.seen++; s.seen > len(s.specs) {
		s.Strategy.Observe(spec, r)
	}
}
