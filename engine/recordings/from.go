package recordings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/record/play"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/session"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/words"
)

// follows is how often a recorded run is followed, if the time allows it.
const follows = 100

// hangs is how long a run may take that follows one which did not end.
const hangs = 5 * time.Second

// Last is the name of the newest run that failed.
const Last = "last"

// Find opens the run of a name: a file, an id in .hocket/runs, or Last.
func Find(module, name string) (*record.Run, error) {
	if name == Last {
		return last(module)
	}
	file := strings.HasSuffix(name, record.Ending)
	if strings.ContainsRune(name, filepath.Separator) || file {
		r, err := record.Open(name)
		if !errors.Is(err, os.ErrNotExist) || filepath.Base(name) != name {
			return r, err
		}
	}
	for _, dir := range folders(module) {
		path := filepath.Join(dir, strings.TrimSuffix(name, record.Ending)+record.Ending)
		if _, err := os.Stat(path); err == nil {
			return record.Open(path)
		}
	}
	if file {
		return nil, fmt.Errorf("there is no file %s, here and in %s", name, filepath.Join(store.Folder, Folder))
	}
	return nil, fmt.Errorf("there is no recorded run %s in %s; hocket record lists them, and a path names a file", name, filepath.Join(store.Folder, Folder))
}

// last is the newest run that failed.
func last(module string) (*record.Run, error) {
	var at time.Time
	path := ""
	for _, dir := range folders(module) {
		runs, _ := record.List(dir)
		for _, r := range runs {
			if r.Outcome != record.Passed && !r.Started.Before(at) {
				at, path = r.Started, filepath.Join(dir, r.ID+record.Ending)
			}
		}
	}
	if path == "" {
		return nil, fmt.Errorf("no recorded run has failed; hocket record records runs of tests until one does (-n, -until-failure)")
	}
	return record.Open(path)
}

// folders are where runs of a module may be: record writes to the folder that stands in
// for .hocket where that can't be written.
func folders(module string) []string {
	dirs := store.OpenRead(module).Dirs()
	for i := range dirs {
		dirs[i] = filepath.Join(dirs[i], Folder)
	}
	return dirs
}

// From follows a recorded run of the name on the ordinary scheduler, directs controlled
// runs along it, and searches the rest. Where only the paths were recorded, an order is
// computed for them. The report is that of a find on the run's target, with what came of
// following it.
func From(ctx context.Context, name string, opt session.Options, tell progress.Func) (*report.Report, error) {
	ctx, done := process.Guard(ctx)
	defer done()
	start := time.Now()
	budget := cmp.Or(opt.Budget, session.DefaultBudget)
	env, err := target.LoadEnv(ctx, opt.Dir)
	if err != nil {
		return nil, err
	}
	switch p, err := recordedPaths(ctx, env.Module, name); {
	case err != nil:
		return nil, err
	case p != nil:
		return fromPaths(ctx, env, p, opt, tell)
	}
	r, err := Find(env.Module, name)
	if err != nil {
		return nil, err
	}
	if len(opt.Args) > 0 {
		return nil, fmt.Errorf("run %s has its own arguments, and is followed with these: leave others out", r.ID)
	}
	t, err := targetOf(ctx, env, r, opt)
	if err != nil {
		return nil, err
	}
	d, err := build.New(env)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	say := func(p progress.Phase, n, of int) {
		if tell != nil {
			tell(progress.Update{Phase: p, Target: t.Package + " " + t.Entry, Targets: 1, Schedules: n, Planned: of, Elapsed: time.Since(start), Left: budget - time.Since(start)})
		}
	}
	say(progress.Building, 0, 0)
	bin, err := d.Program(ctx, *t, opt.Flags, build.Record)
	if err != nil {
		return nil, err
	}
	p, err := play.New(bin)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	whole := r.Entry == "" && !t.Main
	if whole {
		p.Whole(r.Args)
	}
	rec := &report.Recording{Run: r.ID, Outcome: string(r.Outcome), Failure: r.Failure}
	if err := follow(ctx, p, r, rec, start.Add(budget/3), func(n int) { say(progress.Following, n, follows) }); err != nil {
		return nil, err
	}
	opt.Patterns, opt.Args, opt.Recorded = []string{t.Package}, t.Args, rec
	switch {
	case whole && rec.Test == "":
		return unfound(opt, rec), nil
	case whole:
		opt.Run, opt.Args = "^"+regexp.QuoteMeta(rec.Test)+"$", nil
		rec.Undirected = "it is a run of a whole package; the test that failed was searched by itself"
	case !t.Main:
		opt.Run = "^" + regexp.QuoteMeta(t.Entry) + "$"
	}
	if !whole {
		opt.First = first(ctx, p, r, rec)
	}
	opt.Budget = max(budget-time.Since(start), budget/10)
	return searched(ctx, opt, t, rec, tell)
}

// searched goes on with a search of the target, with what is left of the budget. What
// came of the recorded run is reported also where nothing is left.
func searched(ctx context.Context, opt session.Options, t *target.Target, rec *report.Recording, tell progress.Func) (*report.Report, error) {
	rep, err := session.Find(ctx, opt, tell)
	if errors.Is(err, session.ErrBudget) && ctx.Err() == nil {
		rep, err = &report.Report{
			Version: report.Version, Package: t.Package, Findings: []*report.Finding{},
			Targets: []*report.Target{{Package: t.Package, Entry: t.Entry, Status: report.NotReached, Note: "the budget ended before the search of other schedules began"}},
		}, nil
	}
	if rep != nil {
		rep.Recorded = rec
	}
	return rep, err
}

// first directs controlled runs along r; nil if that can't be.
func first(ctx context.Context, p *play.Program, r *record.Run, rec *report.Recording) func(context.Context, target.Target, run.Runner) []trace.Schedule {
	steps, _, err := p.Steps(ctx, r)
	if err != nil {
		if ctx.Err() == nil {
			rec.Undirected = words.OneLine(err.Error())
		}
		return nil
	}
	dir := &director{run: r, steps: steps}
	return func(ctx context.Context, _ target.Target, runner run.Runner) []trace.Schedule {
		out := dir.schedules(ctx, runner)
		rec.Directed = dir.tried
		return out
	}
}

// unfound is the report where there is nothing to search under control.
func unfound(opt session.Options, rec *report.Recording) *report.Report {
	rec.Undirected = "it is a run of a whole package, and no test was seen to fail"
	return &report.Report{Version: report.Version, Package: opt.Patterns[0], Targets: []*report.Target{}, Findings: []*report.Finding{}, Recorded: rec}
}

// targetOf is the target that a run is of, as it is today.
func targetOf(ctx context.Context, env *target.Env, r *record.Run, opt session.Options) (*target.Target, error) {
	unsaved, err := build.Unsaved(opt.Overlay, env.Module)
	if err != nil {
		return nil, err
	}
	q := target.Query{Patterns: []string{r.Package}, Flags: opt.Flags, Overlay: unsaved}
	if r.Entry != "" {
		q.Args = r.Args
	}
	if r.Entry != "" && r.Entry != "main" {
		q.Run = "^" + regexp.QuoteMeta(strings.SplitN(r.Entry, "/", 2)[0]) + "$"
	}
	if r.Package == "" {
		return nil, fmt.Errorf("run %s does not say what it is a run of", r.ID)
	}
	targets, problems, err := target.Discover(ctx, env, q)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		if t.Entry == r.Entry || r.Entry == "" {
			if t.Main {
				t.Args = r.Args // also of a program that the go command ran, or that was built
			}
			return &t, nil
		}
	}
	for _, p := range problems {
		return nil, errors.New(p.String())
	}
	return nil, fmt.Errorf("run %s is of %s %s, which is not in this module now", r.ID, r.Package, r.Entry)
}

// follow has the program follow the run, and counts.
func follow(ctx context.Context, p *play.Program, r *record.Run, rec *report.Recording, until time.Time, tell func(int)) error {
	lost, others := map[string]int{}, map[string]int{}
	if r.Outcome == record.Timeout {
		p.Timeout = hangs
	}
	for i := range follows {
		tell(i)
		a, err := p.Follow(ctx, r)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, record.ErrOtherProgram) {
			return fmt.Errorf("run %s can't be followed: %w", r.ID, err)
		}
		if err != nil {
			return err
		}
		rec.Runs++
		if r.Vague() && a.Outcome == r.Outcome && a.Lost == nil {
			r.Failure, rec.Failure = a.Failure, a.Failure
		}
		if rec.Test == "" && r.Entry == "" {
			rec.Test = play.FailedTest(a.Output)
		}
		if a.Same(r) {
			rec.Failed++
		}
		if a.Lost == nil {
			rec.Followed++
			if !a.Same(r) {
				others[cmp.Or(a.Failure, string(a.Outcome))]++
			}
		} else {
			lost[lostAt(a)]++
		}
		if i == 9 && rec.Failed == 0 && rec.Followed == 0 || time.Now().After(until) {
			break
		}
	}
	rec.Lost, rec.LostRuns = most(lost)
	rec.Other, _ = most(others)
	return nil
}

// most is the key of the largest number.
func most(counts map[string]int) (key string, n int) {
	for k, v := range counts {
		if v > n || v == n && k < key {
			key, n = k, v
		}
	}
	return key, n
}

// lostAt says where a run left its log.
func lostAt(a *play.Attempt) string {
	l := a.Lost
	at := cmp.Or(a.Place, "a place that is not known")
	if l.From == "" && l.Want != l.Have {
		return fmt.Sprintf("at %s goroutine %s came with a %s where the run had a %s (its operation %d)", at, cmp.Or(l.Thread, "that the run did not have"), l.Have, l.Want, l.Op)
	}
	return fmt.Sprintf("at %s goroutine %s waited in vain for goroutine %s to come to its operation %d", at, cmp.Or(l.Thread, "that the run did not have"), cmp.Or(l.From, "?"), l.FromOp)
}
