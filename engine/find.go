package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
)

// Report, Flags and Finding are how callers name the façade's words without
// importing the packages below.
type (
	Report  = report.Report
	Finding = report.Finding
	Flags   = target.Flags
)

// Find searches the targets that the options select. What was found by the end
// of the budget, or when ctx was cancelled, is in the report.
func Find(ctx context.Context, opt FindOptions, progress Progress) (*Report, error) {
	ctx, done := process.Guard(ctx)
	defer done()
	if opt.FreeBuild {
		warm(ctx, opt, progress, newToolchain)
	}
	return find(ctx, opt, progress, newToolchain)
}

// ErrBudget is why there is no report: the budget ended before there was
// anything that could be searched.
var ErrBudget = errors.New("a larger budget gives more time")

// lingers is how long work that the end of the budget or a cancel interrupts
// has to wind up before the report is taken as it stands.
const lingers = 600 * time.Millisecond

func find(ctx context.Context, opt FindOptions, progress Progress, mk func(*target.Env) (stages, error)) (*Report, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	s := newSession(opt, progress)
	s.tell(func(u *Update) { u.Phase = Discovering })
	ctx, cancel := context.WithDeadline(ctx, s.deadline)
	defer cancel()
	if err := s.prepare(ctx, mk); err != nil {
		if ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("the budget of %v ended while looking for targets; %w", opt.Budget, ErrBudget)
		}
		return nil, err
	}
	defer s.stages.close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.run(ctx)
	}()
	s.wait(ctx, done)
	s.releaseHeld()
	return s.snapshot(), nil
}

// prepare learns what there is to do.
func (s *session) prepare(ctx context.Context, mk func(*target.Env) (stages, error)) error {
	env, err := target.LoadEnv(ctx, here(s.opt.Dir))
	if err != nil {
		return err
	}
	s.env = env
	if env.Note != "" {
		s.say(env.Note)
	}
	q, err := s.opt.query(env.Module)
	if err != nil {
		return err
	}
	s.overlay = q.Overlay
	targets, problems, err := target.Discover(ctx, env, q)
	if err != nil {
		return err
	}
	for _, p := range problems {
		s.add(&report.Target{Package: p.Package, Entry: "", Status: report.Error, Error: strings.TrimPrefix(p.String(), p.Package+": ")}, nil)
		s.say(p.String())
	}
	for i := range targets {
		s.add(&report.Target{Package: targets[i].Package, Entry: targets[i].Entry, Status: report.CutShort}, &targets[i])
	}
	s.openStore()
	s.stages, err = mk(env)
	return err
}

// openStore never fails a find: findings are printed in any case.
func (s *session) openStore() {
	st, err := store.Open(s.env.Module)
	if err != nil {
		s.warn("findings can't be kept: " + oneLine(err.Error()))
		return
	}
	if st.Note != "" {
		s.warn(st.Note)
	}
	s.store = st
}

// wait returns when the work is done, or soon after ctx is.
func (s *session) wait(ctx context.Context, done <-chan struct{}) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			s.tell(func(*Update) {})
		case <-ctx.Done():
			select {
			case <-done:
			case <-time.After(lingers):
			}
			return
		}
	}
}

// run searches the targets under the common budget: each has its turns, and
// what is caught is confirmed as soon as its search has ended.
func (s *session) run(ctx context.Context) {
	targets := make([]search.Target, len(s.jobs))
	lines := make([]*pipeline, len(s.jobs))
	for i, job := range s.jobs {
		p := &pipeline{session: s, job: job}
		lines[i] = p
		targets[i] = search.Target{Name: p.name(), Open: p.open}
	}
	search.Fair(ctx, time.Until(s.deadline)-s.reserve(), targets, search.Hooks{
		Progress: func(i int, pr search.Progress) { lines[i].searching(pr) },
		Done:     func(i int, o *search.Outcome) { lines[i].judge(ctx, o) },
	})
}

// reserve is kept back from the search, so that a failure found last is
// confirmed within the budget.
func (s *session) reserve() time.Duration { return min(10*time.Second, s.opt.Budget/6) }
