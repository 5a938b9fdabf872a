package session

import (
	"context"
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
		left := time.Until(s.deadline)
		if f.Unkept || f.SameAs != "" || f.Memory != "" || left < time.Second || ctx.Err() != nil {
			continue
		}
		s.Progress(func(u *progress.Update) { u.Phase, u.Target = progress.Confirming, f.Package+" "+f.Entry })
		a, err := fixes.Find(ctx, fixes.Options{Dir: s.opt.Dir, ID: f.ID, Budget: left / time.Duration(len(todo)-i), Overlay: s.opt.Overlay}, nil)
		if err != nil {
			s.Warn("fixes of " + f.ID + ": " + words.OneLine(err.Error()))
			continue
		}
		with := *f // what was published is not changed
		with.Fixes = a.Fixes
		s.replace(f, &with)
	}
}

// replace puts a finding in another's place in the report.
func (s *session) replace(old, new *report.Finding) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.rep.Findings, func(f *report.Finding) bool { return f.ID == old.ID }); i >= 0 {
		s.rep.Findings[i] = new
	}
}
