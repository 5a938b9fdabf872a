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

// Beside makes given attempts in turn with those of another strategy, which does not
// learn of them: schedules that may or may not be worth much.
type Beside struct {
	Strategy
	specs []run.Spec
	seen  int // attempts observed
}

// besideEach: one of so many attempts is given, the others are those of the strategy.
const besideEach = 4

// NewBeside makes a strategy of which every fourth attempt is one of specs, as long as
// there are any and the other strategy goes on.
func NewBeside(then Strategy, specs ...run.Spec) *Beside {
	return &Beside{Strategy: then, specs: specs}
}

// isOwn reports whether attempt n is one of specs, and otherwise its number among those
// of the other strategy.
func (s *Beside) isOwn(n int) (bool, int) {
	if n < besideEach*len(s.specs) {
		given := (n + 1) / besideEach // up to and with n
		if n%besideEach == besideEach-1 {
			return true, given - 1
		}
		return false, n - given
	}
	return false, n - len(s.specs)
}

// Next implements Strategy.
func (s *Beside) Next(ctx context.Context, n int) (run.Spec, bool) {
	own, k := s.isOwn(n)
	if own {
		return s.specs[k], true
	}
	return s.Strategy.Next(ctx, k)
}

// Observe implements Strategy.
func (s *Beside) Observe(spec run.Spec, r *run.Result) {
	own, _ := s.isOwn(s.seen)
	if s.seen++; !own {
		s.Strategy.Observe(spec, r)
	}
}
