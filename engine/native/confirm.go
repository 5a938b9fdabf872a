package native

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/breakpoints/reproduce"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/temp"
)

// Request asks to show a failure on the ordinary build.
type Request struct {
	Target   instrument.Target
	Trace    *trace.Trace // the failing run
	Plan     *Plan        // instead of deriving one from Trace
	Runs     int          // 0 = 100
	Baseline int          // runs of the plain build, before those with the plan
	// PlainSuffices: no plan is played if most of the Baseline fails by itself.
	// PlainOnly: none is played at all, and Runs are of the plain build.
	PlainSuffices, PlainOnly bool
	Parallel                 int           // 0 = 2
	Timeout                  time.Duration // of one run; 0 = 10 s
	BuildDir                 string        // for sources and binary; "" = a temporary one
	// Judge of the failure, and where its Blocked statements are; nil is the
	// trace's own.
	Judge   *reproduce.Judge
	Blocked []string
	// SameFailure reports whether a run that ended by itself failed in the same
	// way; nil compares the message with the trace's outcome.
	SameFailure func(output string, exit int) bool
}

// Report says how often the failure came.
type Report struct {
	Runs      int                        // started and judged
	Failed    int                        // failed as the trace did
	Played    int                        // plan fully played
	Stuck     int                        // plan given up since no goroutine could go on
	TimedOut  int                        // plan given up after its timeout
	Other     int                        // failed in another way
	Unplayed  int                        // of Failed, those with the plan not fully played
	Baseline  struct{ Runs, Failed int } // of the plain build, without points
	Plain     bool                       // Runs are those of the plain build: it needs no order to fail
	Plan      *Plan
	Skipped   []points.Skip  // places that could not get their point
	Output    string         // of one failing run
	Time      time.Duration  // median of the runs with the plan
	PlainTime time.Duration  // median of the others
	Arrived   map[string]int // steps, in how many runs
	Sample    string         // what one run that did not fail printed, if there is one
	Why       string         // what became of the plan in it

	times, plain []time.Duration
}

// ErrNoFailure means that the trace has no failure that an ordinary run can
// show.
var ErrNoFailure = errors.New("the run has no failure that an ordinary build could show")

// Confirm counts in how many runs the plain build fails by itself, and, unless
// that is most of them, in how many the plan makes the build with points fail.
func Confirm(ctx context.Context, req Request) (*Report, error) {
	judge, err := newJudge(req)
	if err != nil {
		return nil, err
	}
	plan, err := req.plan()
	if err != nil {
		return nil, err
	}
	plan.Steps.Dump = judge.NeedsDump()
	if judge.NeedsDump() && plan.Steps.Linger == 0 {
		plan.Steps.Linger = leakLinger
	}
	dir, cleanup, err := buildDir(req.BuildDir)
	if err != nil {
		return nil, err
	}
	defer cleanup()
	if judge.Kind == string(trace.Raced) && !slices.Contains(req.Target.Flags, "-race") {
		req.Target.Flags = append(slices.Clip(req.Target.Flags), "-race") // only such a build shows a race
	}
	p := &program{req: req, dir: dir, judge: judge, plan: plan, rep: &Report{Plan: plan, Arrived: map[string]int{}}}
	if done, err := p.plainly(ctx); done || err != nil {
		return p.rep, err
	}
	if err := p.build(ctx); err != nil {
		return p.rep, err
	}
	return p.rep, p.runs(ctx)
}

// plan returns the request's plan, derived or copied, since steps that can't be
// placed in the build are left out of it.
func (req *Request) plan() (*Plan, error) {
	if req.Plan != nil {
		return req.Plan.clone(), nil
	}
	p, err := DerivePlan(req.Trace)
	if err != nil {
		return nil, err
	}
	return &p, nil
}

func buildDir(dir string) (string, func(), error) {
	if dir != "" {
		return dir, func() {}, os.MkdirAll(dir, 0o755)
	}
	dir, err := temp.Dir("native")
	return dir, func() { os.RemoveAll(dir) }, err
}

// program is the target, built plainly and with points.
type program struct {
	req   Request
	dir   string
	judge *judge
	plan  *Plan
	rep   *Report
	moved map[string]string // folders of dependencies in the build with points, and where their files are
}

func (p *program) bin(planned bool) string {
	if planned {
		return filepath.Join(p.dir, "native.bin")
	}
	return filepath.Join(p.dir, "plain.bin")
}

// plainTime is how long runs of the plain build are started for. A program that
// hangs by itself would take too long for more than two.
const plainTime = 4 * time.Second

// plainly runs the build that the user would make, and reports whether that is
// enough: the failure comes by itself in most runs.
func (p *program) plainly(ctx context.Context) (enough bool, err error) {
	n := p.req.Baseline
	if p.req.PlainOnly {
		n = p.req.runs()
	}
	if n == 0 || p.judge.NeedsDump() { // the plain build has nothing that writes the dump
		return false, nil
	}
	if err := p.buildPlain(ctx); err != nil {
		return false, err
	}
	start := time.Now()
	r := p.rep
	err = sideBySide(ctx, n, p.req.parallel(), func(ctx context.Context, i int) (*attempt, error) {
		if i > 1 && !p.req.PlainOnly && time.Since(start) > plainTime {
			return nil, errEnough
		}
		return p.run(ctx, i, false)
	}, func(_ int, a *attempt) { r.countPlain(a, p.judge) })
	r.PlainTime = median(r.plain)
	if errors.Is(err, errEnough) {
		err = nil
	}
	if r.Plain = err == nil && (p.req.PlainOnly || p.req.PlainSuffices && r.Baseline.Failed*2 > r.Baseline.Runs); r.Plain {
		r.Runs, r.Failed = r.Baseline.Runs, r.Baseline.Failed
	}
	return r.Plain, err
}

// buildPlain makes the build that the user would make, once.
func (p *program) buildPlain(ctx context.Context) error {
	if _, err := os.Stat(p.bin(false)); err == nil {
		return nil
	}
	t := p.req.Target
	return t.Compile(ctx, "go", p.bin(false), t.Overlay.Flags(), nil)
}

// errEnough ends the plain runs.
var errEnough = errors.New("enough runs")

func (rep *Report) countPlain(a *attempt, j *judge) {
	rep.Baseline.Runs++
	rep.plain = append(rep.plain, a.took)
	if j.same(a) {
		rep.Baseline.Failed++
		rep.Output = a.printed()
	} else if rep.Sample == "" {
		rep.Sample = a.printed()
	}
}

// build builds the ordinary program, with points. Places that can't have a
// point are left out, together with what waits for them.
func (p *program) build(ctx context.Context) error {
	t := p.req.Target
	places := slices.Clone(p.plan.Places)
	if entry, err := entryFile(ctx, t); err == nil && entry != "" {
		places = append(places, points.Place{Kind: points.Linger, File: entry, Func: t.Func()})
	}
	b, err := points.Prepare(ctx, t, filepath.Join(p.dir, "src"), places)
	if err != nil {
		return err
	}
	p.rep.Skipped, p.moved = b.Skipped, b.Moved
	p.plan.leaveOut(b.Skipped)
	p.plan.joinVisits(b.Shared)
	err = t.Compile(ctx, b.Go, p.bin(true), b.Flags, b.Env)
	if be := (*instrument.BuildError)(nil); errors.As(err, &be) {
		if err := p.buildPlain(ctx); err != nil {
			return err // the program itself does not compile any more
		}
		return noBuild(be, p.dir)
	}
	return err
}

// runs runs the program, several processes at a time, and counts. It ends with
// the first run that can't be made, or with the context, and returns the counts
// so far in any case.
func (p *program) runs(ctx context.Context) error {
	p.rep.Sample = "" // of the plain build
	err := sideBySide(ctx, p.req.runs(), p.req.parallel(), func(ctx context.Context, i int) (*attempt, error) {
		return p.run(ctx, i, true)
	}, func(_ int, r *attempt) { p.rep.count(r, p.judge) })
	p.rep.Time = median(p.rep.times)
	return err
}

func (req *Request) runs() int     { return cmp.Or(req.Runs, 100) }
func (req *Request) parallel() int { return cmp.Or(req.Parallel, 2) }

// sideBySide makes runs 0 to n-1, so many in parallel, and passes each result
// to count, one at a time. After the first error, or the end of ctx, no more
// runs are started, and those that are running are not counted.
func sideBySide(ctx context.Context, n, parallel int, run func(context.Context, int) (*attempt, error), count func(int, *attempt)) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	jobs := make(chan int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(parallel, n) {
		wg.Go(func() {
			for i := range jobs {
				r, err := run(ctx, i)
				mu.Lock()
				switch {
				case ctx.Err() != nil:
				case err != nil:
					end(err)
				default:
					count(i, r)
				}
				mu.Unlock()
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case jobs <- i:
		case <-ctx.Done():
		}
	}
	close(jobs)
	wg.Wait()
	return context.Cause(ctx)
}

func (rep *Report) count(r *attempt, j *judge) {
	rep.Runs++
	rep.times = append(rep.times, r.took)
	for _, id := range r.report.Arrived {
		rep.Arrived[id]++
	}
	switch why, _, _ := strings.Cut(r.report.Broken, " "); {
	case r.report.Played:
		rep.Played++
	case why == "stuck":
		rep.Stuck++
	case why == "timeout":
		rep.TimedOut++
	}
	switch {
	case j.same(r):
		rep.Failed++
		rep.Output = r.printed()
		if !r.report.Played {
			rep.Unplayed++
		}
		return
	case r.exit != 0:
		rep.Other++
	}
	rep.Sample = r.printed()
	rep.Why = r.describe()
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
