package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/hunt"
	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/words"
)

// Find searches the targets that the options select. What was found by the end
// of the budget, or when ctx was cancelled, is in the report.
func Find(ctx context.Context, opt Options, tell progress.Func) (*report.Report, error) {
	ctx, done := process.Guard(ctx)
	defer done()
	if opt.FreeBuild {
		build.Warm(ctx, opt.Dir, tell)
	}
	return find(ctx, opt, tell, ladder.NewStages)
}

// ErrBudget means that there is no report, since the budget ended before any
// target could be searched.
var ErrBudget = errors.New("a larger budget gives more time")

// windUpTime is how long work has to end, after the end of the budget or a
// cancel interrupted it, before the report is returned without it.
const windUpTime = 600 * time.Millisecond

func find(ctx context.Context, opt Options, tell progress.Func, mk func(*target.Env) (ladder.Stages, error)) (*report.Report, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	s := newSession(opt, tell)
	s.Progress(func(u *progress.Update) { u.Phase = progress.Discovering })
	parent := ctx
	ctx, cancel := context.WithDeadline(ctx, s.deadline)
	if err := s.prepare(ctx, mk); err != nil {
		defer cancel()
		if ctx.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("the budget of %v ended while looking for targets; %w", opt.Budget, ErrBudget)
		}
		return nil, err
	}
	// The hunt may take longer to end than the caller should wait. It releases
	// nothing then, and what it uses is closed when it has ended.
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer s.stages.Close()
		defer cancel()
		h := hunt.Hunter{Stages: s.stages, Sink: s, Start: s.start, Budget: s.opt.Budget}
		h.All(ctx, s.jobs)
		s.tryPlainly(ctx)
	}()
	s.wait(ctx, done)
	s.releaseHeld()
	s.keepNotReached()
	s.repair(parent)
	return s.snapshot(), nil
}

// prepare finds the targets.
func (s *session) prepare(ctx context.Context, mk func(*target.Env) (ladder.Stages, error)) error {
	env, err := target.LoadEnv(ctx, s.opt.Dir)
	if err != nil {
		return err
	}
	s.env = env
	if env.Note != "" {
		s.Note(env.Note)
	}
	q, err := s.opt.Query(env.Module)
	if err != nil {
		return err
	}
	s.overlay = q.Overlay
	targets, problems, err := target.Discover(ctx, env, q)
	if err != nil {
		return err
	}
	s.openStore()
	for _, p := range problems {
		s.add(&report.Target{Package: p.Package, Entry: "", Status: report.Error, Error: strings.TrimPrefix(p.String(), p.Package+": ")}, nil)
		s.Note(p.String())
	}
	s.plan(targets)
	s.stages, err = mk(env)
	return err
}

// plan makes a job of each target. Those of one package share what they are
// built from: all its targets run in one build.
func (s *session) plan(targets []target.Target) {
	known := s.known()
	if s.store != nil {
		s.store.PruneSearches()
	}
	for _, r := range known {
		s.before[r.Finding.ID] = true
	}
	sources := map[string]func() *build.Sources{}
	now := map[string]*build.Sources{} // what is built is taken right before
	for _, t := range targets {
		if sources[t.Dir] == nil {
			sources[t.Dir] = sync.OnceValue(func() *build.Sources { return build.TakeSources(t.Dir, s.overlay) })
			now[t.Dir] = build.TakeSources(t.Dir, s.overlay)
		}
		j := &hunt.Job{Target: t, Flags: s.opt.Flags, Strategy: s.opt.Strategy, Depth: s.opt.Depth, Delay: s.opt.Delay, Memory: s.opt.memory(), Seed: s.opt.Seed,
			Schedules: s.opt.Schedules, Aim: s.opt.Aim, Reached: s.opt.Reached, Roots: s.env.Roots(), Sources: sources[t.Dir]}
		if first := s.opt.First; first != nil {
			j.First = func(ctx context.Context, r run.Runner) []trace.Schedule { return first(ctx, j.Target, r) }
		}
		if along := s.opt.Recordings; along != nil {
			j.Recordings = func(ctx context.Context, r run.Runner) []*run.Result {
				runs, said := along(ctx, s.env, j.Target, r)
				for _, line := range said {
					s.Note(j.Name() + ": " + line)
				}
				return runs
			}
		}
		j.Earlier = s.earlier(j, known, now[t.Dir])
		s.befores[j] = s.beforeOf(j, now[t.Dir])
		s.add(&report.Target{Package: t.Package, Entry: t.Entry, Status: report.NotReached}, j)
	}
	s.order()
}

// openStore never makes a find fail: findings are printed in any case.
func (s *session) openStore() {
	st, err := store.Open(s.env.Module)
	if err != nil {
		s.Warn("findings can't be kept: " + words.OneLine(err.Error()))
		return
	}
	if st.Note != "" {
		s.Warn(st.Note)
	}
	s.store, s.stored = st, st.Cache()
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
			s.Progress(func(*progress.Update) {})
		case <-ctx.Done():
			select {
			case <-done:
			case <-time.After(windUpTime):
			}
			return
		}
	}
}
