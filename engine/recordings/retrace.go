package recordings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/record/paths"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/retrace"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/session"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/tracedb"
	"github.com/hocket-dev/hocket/engine/traces"
)

// mostRetraced is how many attempts are made to find an order for recorded paths.
const mostRetraced = 20

// recordedPaths is the run of a name of which only the paths were recorded: an id, Last,
// or an exported file; nil if the name is none of such a run.
func recordedPaths(ctx context.Context, module, name string) (*tracedb.Stored, error) {
	if name == Last {
		return lastPaths(ctx, module)
	}
	if strings.HasSuffix(name, record.Ending) {
		return nil, nil
	}
	switch r, err := traces.Of(module).Run(ctx, name); {
	case err == nil && r.Program.Mode != Paths:
		return nil, nil
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	if !traces.IsFile(name) {
		return nil, nil
	}
	all, err := traces.FailedIn(ctx, name, Paths)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%s has %d runs with recorded paths that failed; hocket traces merge adds them to this module's, where -from takes the id of one", name, len(all))
	}
	return all[0], nil
}

// lastPaths is the newest failed run with recorded paths, if no other recorded run that
// failed is newer; else nil.
func lastPaths(ctx context.Context, module string) (newest *tracedb.Stored, err error) {
	all, err := traces.Of(module).Failed(ctx, Paths)
	if err != nil && !errors.Is(err, traces.ErrNone) {
		return nil, err
	}
	for _, r := range all {
		if newest == nil || r.Time.After(newest.Time) {
			newest = r
		}
	}
	if other, err := last(module); newest != nil && err == nil && other.Started.After(newest.Time) {
		return nil, nil
	}
	return newest, nil
}

// fromPaths computes an order for the paths of a failed run, by controlled runs of the
// program that tell their paths, too, and has the search begin with it.
func fromPaths(ctx context.Context, env *target.Env, r *tracedb.Stored, opt session.Options, tell progress.Func) (*report.Report, error) {
	start := time.Now()
	budget := cmp.Or(opt.Budget, session.DefaultBudget)
	if r.Outcome == tracedb.Passed {
		return nil, fmt.Errorf("run %s passed: an order is computed for runs that failed only; hocket traces ls tells them", r.ID)
	}
	t, err := targetOf(ctx, env, &record.Run{ID: r.ID.String(), Package: r.Program.Package, Entry: r.Program.Entry, Args: opt.Args}, opt)
	if err != nil {
		return nil, err
	}
	rec := &report.Recording{Run: r.ID.String(), Outcome: r.Outcome, Failure: r.Failure, Paths: &report.Retraced{Torn: r.Torn}}
	say := func(p progress.Phase, n int) {
		if tell != nil {
			tell(progress.Update{Phase: p, Target: t.Package + " " + t.Entry, Targets: 1, Schedules: n, Planned: mostRetraced, Elapsed: time.Since(start), Left: budget - time.Since(start)})
		}
	}
	say(progress.Building, 0)
	d, err := build.New(env)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	runner, err := telling(ctx, env, d, t, opt, r)
	if err != nil {
		return nil, err
	}
	limit, cancel := context.WithDeadline(ctx, start.Add(budget*2/3))
	defer cancel()
	found, err := retraced(limit, r, runner, rec, func(n int) { say(progress.Following, n) })
	if err != nil && limit.Err() == nil {
		return nil, err
	}
	opt.Patterns, opt.Recorded = []string{t.Package}, rec
	if !t.Main {
		opt.Run = "^" + regexp.QuoteMeta(t.Entry) + "$"
	}
	if found != nil {
		opt.First = func(context.Context, target.Target, run.Runner) []trace.Schedule {
			return []trace.Schedule{found.Schedule}
		}
	}
	opt.Budget = max(budget-time.Since(start), budget/10)
	return searched(ctx, opt, t, rec, tell)
}

// telling is a runner of the controlled program that tells the branches of r's program.
func telling(ctx context.Context, env *target.Env, d *build.Driver, t *target.Target, opt session.Options, r *tracedb.Stored) (run.Runner, error) {
	cache, err := build.CacheDir()
	if err != nil {
		return nil, err
	}
	w, err := paths.Write(ctx, instrument.NewBuilder(cache), build.Target(env, *t, opt.Flags), env.Roots().Name)
	if err != nil {
		return nil, err
	}
	if err := sameProgram(r.Program, w.Program); err != nil {
		return nil, fmt.Errorf("run %s can't be used: %w", r.ID, err)
	}
	told := *t
	if told.Overlay, err = t.Overlay.Including(filepath.Join(cache, "overlay", "told"), w.Files); err != nil {
		return nil, err
	}
	return d.Runner(ctx, told, opt.Flags, build.Control)
}

// sameProgram says why paths of a program mean nothing for the one that there is now.
func sameProgram(was, is *tracedb.Program) error {
	switch {
	case was.OS != is.OS || was.Arch != is.Arch:
		return fmt.Errorf("it is of %s/%s, and this is %s/%s", was.OS, was.Arch, runtime.GOOS, runtime.GOARCH)
	case was.Go != is.Go:
		return fmt.Errorf("it is of %s, and the module is built with %s now; GOTOOLCHAIN=%s chooses that", was.Go, is.Go, was.Go)
	case was.Content != is.Content:
		return errors.New("it is of another text of the program, or was built with other flags or versions of modules; record it again")
	}
	return nil
}

// retraced looks for a controlled run that fails as the recorded one.
func retraced(ctx context.Context, r *tracedb.Stored, runner run.Runner, rec *report.Recording, tell func(int)) (*run.Result, error) {
	of := retrace.Of(r.Run)
	rec.Paths.Goroutines, rec.Paths.Branches = of.Size()
	same := func(res *run.Result) bool {
		return res.Failed() && report.SameFailure(string(res.Outcome.Kind), res.Outcome.Message, r.Failure)
	}
	tell(0)
	s, err := retrace.Find(ctx, of, runner, mostRetraced, same, func(n int, a *retrace.Attempt) { tell(n) })
	if s == nil {
		return nil, err
	}
	p := rec.Paths
	p.Attempts, p.Asked, p.Computed, p.Events = s.Attempts, s.Asked, s.Computed, s.Events
	if s.Best != nil {
		p.Followed, p.Kept = s.Best.Paths, s.Best.Kept
	}
	p.Found, p.Planned = s.Found, s.Found && s.Planned
	if !s.Found {
		return nil, err
	}
	p.Switches = len(s.Best.Result.Schedule.Segments) - 1
	return s.Best.Result, nil
}
