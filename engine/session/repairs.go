package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/fixes"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

// repair looks for fixes of the findings, those that are worth most first, with what is
// left of the budget.
func (s *session) repair(ctx context.Context) {
	if !s.opt.Fix || s.store == nil {
		return
	}
	todo := slices.Clone(s.snapshot().Findings)
	for i, f := range todo {
		if f.Unkept || f.SameAs != "" {
			continue
		}
		with := *f // what was published is not changed
		with.Fixes, with.NoFix = s.fixesOf(ctx, f, share(time.Until(s.deadline), len(todo)-i))
		s.replace(f, &with)
	}
}

// leastToFix is the time below which no fix is looked for.
const leastToFix = time.Second / 2

// share is how much of what is left each of n findings gets, while there is time at least
// what one needs.
func share(left time.Duration, n int) time.Duration {
	return max(left/time.Duration(n), min(left, leastToFix))
}

// fixesOf looks for fixes of a finding for a time, and says why none is verified.
func (s *session) fixesOf(ctx context.Context, f *report.Finding, budget time.Duration) ([]report.Fix, string) {
	switch {
	case f.Memory != "":
		return f.Fixes, "repairs are not looked for under the memory model " + f.Memory
	case ctx.Err() == nil && budget >= leastToFix:
	case errors.Is(ctx.Err(), context.Canceled):
		return f.Fixes, "no verified fix so far: interrupted before an edit was tried"
	default:
		return f.Fixes, "no verified fix so far: the time ended before an edit was tried; -budget gives more"
	}
	s.Progress(func(u *progress.Update) { u.Phase, u.Target = progress.Confirming, f.Package+" "+f.Entry })
	a, err := fixes.Find(ctx, fixes.Options{Dir: s.opt.Dir, ID: f.ID, Budget: budget, Overlay: s.opt.Overlay}, nil)
	if err != nil {
		return f.Fixes, "no verified fix: " + words.OneLine(err.Error())
	}
	return a.Fixes, a.WhyNone()
}

// replace puts a finding in another's place in the report.
func (s *session) replace(old, new *report.Finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.rep.Findings, func(f *report.Finding) bool { return f.ID == old.ID }); i >= 0 {
		s.rep.Findings[i] = new
	}
}
