package recordings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/record/paths"
	"github.com/hocket-dev/hocket/engine/record/play"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/words"
)

// DefaultRuns is how often each target is recorded.
const DefaultRuns = 20

// Options says what to record.
type Options struct {
	Dir      string // "" is the current folder
	Patterns []string
	Run      string // as go test -run
	Args     []string
	Flags    target.Flags
	Runs     int           // of each target; 0: DefaultRuns
	Timeout  time.Duration // of one run; 0: play.DefaultTimeout
	// UntilFailure: a target is done when one of its runs has failed.
	UntilFailure bool
	Overhead     bool   // also measure what recording costs; not with Paths
	Mode         string // Order or Paths; "": Order
	// Overlay stands for files of the build, as in a find. Paths has none.
	Overlay map[string]string
	Machine string // a name for this machine, which the database keeps with the runs of Paths
}

// What is recorded.
const (
	Order = "order" // of synchronisation; runs are files, which can be followed
	Paths = paths.Mode
)

// Folder is where the runs of a module are, below its state folder.
const Folder = "runs"

// recorder is one call of Record.
type recorder struct {
	opt    Options
	tell   progress.Func
	update progress.Update
	start  time.Time
	dir    string // of the runs
	report *report.Recorded
}

// Record records runs of the targets that the options select. When ctx is
// cancelled, the report has what was recorded, and says that it was cut short.
func Record(ctx context.Context, opt Options, tell progress.Func) (*report.Recorded, error) {
	ctx, done := process.Guard(ctx)
	defer done()
	if opt.Runs < 0 {
		return nil, fmt.Errorf("-n %d: must not be negative; 0 is the default", opt.Runs)
	}
	if opt.Runs == 0 {
		opt.Runs = DefaultRuns
	}
	r := &recorder{opt: opt, tell: tell, start: time.Now(), update: progress.Update{Phase: progress.Discovering, Left: -1}}
	r.say("")
	env, err := target.LoadEnv(ctx, opt.Dir)
	if err != nil {
		return nil, err
	}
	if len(opt.Overlay) > 0 && opt.Mode == Paths {
		return nil, errors.New("-mode paths records the texts on disk only; save your files, and leave out -overlay")
	}
	unsaved, err := build.Unsaved(opt.Overlay, env.Module)
	if err != nil {
		return nil, err
	}
	targets, problems, err := target.Discover(ctx, env, target.Query{Patterns: opt.Patterns, Run: opt.Run, Flags: opt.Flags, Args: opt.Args, Overlay: unsaved})
	if err != nil {
		return nil, err
	}
	r.report = &report.Recorded{Version: report.Version, Targets: []*report.RecordedTarget{}, Runs: []*report.RecordedRun{}}
	for _, p := range problems {
		r.report.Targets = append(r.report.Targets, &report.RecordedTarget{Package: p.Package, Error: p.String()})
	}
	if r.dir, err = runsFolder(env); err != nil {
		return nil, err
	}
	d, err := build.New(env)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	one := r.target
	switch opt.Mode {
	case "", Order:
	case Paths:
		if opt.Overhead {
			return nil, errors.New("-overhead measures what -mode order costs only; bench/paths in Hocket's sources measures paths")
		}
		p, err := newPathRecorder(ctx, r, env)
		if err != nil {
			return nil, err
		}
		defer p.close()
		one, r.report.Mode = p.target, Paths
	default:
		return nil, fmt.Errorf("-mode %q is unknown; use order or paths", opt.Mode)
	}
	r.update.Targets, r.update.Planned = len(targets), len(targets)*opt.Runs
	for _, t := range targets {
		one(ctx, d, t)
		r.update.Done++
	}
	r.report.Cut = ctx.Err() != nil
	Prune(r.dir)
	return r.report, nil
}

// runsFolder is where runs are kept, made if needed.
func runsFolder(env *target.Env) (string, error) {
	st, err := store.Open(env.Module)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(st.Dir(), Folder)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("make the folder of recorded runs: %w", err)
	}
	return dir, nil
}

func (r *recorder) say(message string) {
	r.update.Elapsed, r.update.Message = time.Since(r.start), message
	if r.tell != nil {
		r.tell(r.update)
	}
}

// begin says that a target is being built.
func (r *recorder) begin(t target.Target) {
	r.update.Target, r.update.Phase = t.Package+" "+t.Entry, progress.Building
	r.update.Reached++
	r.say("")
}

// target records the runs of one target.
func (r *recorder) target(ctx context.Context, d *build.Driver, t target.Target) {
	out := &report.RecordedTarget{Package: t.Package, Entry: t.Entry}
	r.report.Targets = append(r.report.Targets, out)
	if ctx.Err() != nil {
		return
	}
	r.begin(t)
	bin, err := d.Program(ctx, t, r.opt.Flags, build.Record)
	if err != nil {
		if ctx.Err() == nil {
			out.Error = words.OneLine(err.Error())
		}
		return
	}
	p, err := play.New(bin)
	if err != nil {
		out.Error = err.Error()
		return
	}
	defer p.Close()
	p.Timeout = r.opt.Timeout
	r.update.Phase = progress.Recording
	orders := map[string]bool{}
	for range r.opt.Runs {
		r.say("")
		run, err := p.Record(ctx)
		if errors.Is(err, context.Canceled) || ctx.Err() != nil {
			return
		}
		if err != nil {
			out.Error = words.OneLine(err.Error())
			return
		}
		r.update.Schedules++
		known := orders[run.Digest]
		orders[run.Digest] = true
		out.Add(r.keep(run, known))
		out.Orders = len(orders)
		if r.opt.UntilFailure && run.Outcome != record.Passed {
			break
		}
	}
	if r.opt.Overhead {
		r.say("")
		if out.Overhead, err = r.overhead(ctx, d, t, bin); err != nil && ctx.Err() == nil {
			out.Error = words.OneLine(err.Error())
		}
	}
}

// keep saves a run, unless it passed in an order that is kept already.
func (r *recorder) keep(run *record.Run, known bool) *report.RecordedRun {
	run.ID = record.NewID(run.Started, run.Digest)
	out := reported(run)
	if known && run.Outcome == record.Passed {
		return out
	}
	path, err := run.Save(r.dir)
	if err != nil {
		r.say("a run can't be kept: " + words.OneLine(err.Error()))
		return out
	}
	out.File = filepath.Base(path)
	r.report.Runs = append(r.report.Runs, out)
	if run.Outcome != record.Passed {
		r.update.Findings++
	}
	return out
}

func reported(run *record.Run) *report.RecordedRun {
	return &report.RecordedRun{
		ID: run.ID, Package: run.Package, Entry: run.Entry, Outcome: string(run.Outcome), Failure: run.Failure, Order: run.Digest,
		Goroutines: len(run.Threads), Operations: run.Ops(), Records: run.Records(), LogBytes: run.LogBytes,
		TookMS: run.Took.Milliseconds(), Torn: run.Torn,
	}
}

// Runs that passed are pruned, the oldest first, where there are more than this.
const mostRuns = 2000

// Prune removes runs that are many and old. Failed ones stay.
func Prune(dir string) {
	runs, _ := record.List(dir)
	passed := slices.DeleteFunc(runs, func(r *record.Run) bool { return r.Outcome != record.Passed })
	for i := range max(len(passed)-mostRuns, 0) {
		record.Remove(dir, passed[i].ID)
	}
}
