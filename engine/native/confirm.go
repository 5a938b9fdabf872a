package native

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/hocket-dev/hocket/internal/words"
)

// Request asks to show a failure on the ordinary build.
type Request struct {
	Target   instrument.Target
	Trace    *trace.Trace  // the failing run
	Plan     *Plan         // instead of deriving one from Trace
	Runs     int           // 0 = 100
	Baseline int           // runs of the same build without a plan
	Parallel int           // 0 = 2
	Timeout  time.Duration // of one run; 0 = 10 s
	BuildDir string        // for sources and binary; "" = a temporary one
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
	Runs     int // started and judged
	Failed   int // plan fully played, and failed as the trace did
	Played   int // plan fully played
	Stuck    int // plan given up since no goroutine could go on
	TimedOut int // plan given up after its timeout
	Other    int // failed in another way
	Unplayed int // failed as the trace did, with the plan not fully played
	Baseline struct{ Runs, Failed int }
	Plan     *Plan
	Skipped  []points.Skip  // places that could not get their point
	Output   string         // of one failing run
	Time     time.Duration  // median of the runs with the plan
	Plain    time.Duration  // median of the others
	Arrived  map[string]int // steps, in how many runs
	Sample   string         // of one run that did not fail, if any: why, as text

	times, plain []time.Duration
}

// ErrNoFailure means that the trace has no failure that an ordinary run can
// show.
var ErrNoFailure = errors.New("the run has no failure that an ordinary build could show")

// Confirm builds the target with points and counts in how many runs the plan
// makes it fail.
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
	p := &program{req: req, dir: dir, judge: judge, plan: plan}
	if err := p.build(ctx); err != nil {
		return nil, err
	}
	return p.runs(ctx)
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

// program is the target built with points.
type program struct {
	req     Request
	dir     string
	bin     string
	judge   *judge
	plan    *Plan
	skipped []points.Skip
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
	p.skipped = b.Skipped
	p.plan.leaveOut(b.Skipped)
	p.bin = filepath.Join(p.dir, "native.bin")
	err = t.Compile(ctx, b.Go, p.bin, b.Flags, b.Env)
	if be := (*instrument.BuildError)(nil); errors.As(err, &be) {
		return fmt.Errorf("build %s with points: %s", t.ImportPath, words.FirstLines(be.Output, 5))
	}
	return err
}

// runs runs the program, several processes at a time, and counts. It ends with
// the first run that can't be made, or with the context, and returns the counts
// so far in any case.
func (p *program) runs(ctx context.Context) (*Report, error) {
	n, parallel := p.req.Runs, p.req.Parallel
	if n == 0 {
		n = 100
	}
	if parallel == 0 {
		parallel = 2
	}
	rep := &Report{Plan: p.plan, Skipped: p.skipped, Arrived: map[string]int{}}
	err := sideBySide(ctx, n+p.req.Baseline, parallel, func(ctx context.Context, i int) (*attempt, error) {
		return p.run(ctx, i, i < n)
	}, func(i int, r *attempt) { rep.count(r, i < n, p.judge) })
	rep.Time, rep.Plain = median(rep.times), median(rep.plain)
	return rep, err
}

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

func (rep *Report) count(r *attempt, planned bool, j *judge) {
	same := j.same(r)
	if !planned {
		rep.plain = append(rep.plain, r.took)
		rep.Baseline.Runs++
		if same {
			rep.Baseline.Failed++
		}
		return
	}
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
	case same && r.report.Played:
		rep.Failed++
		rep.Output = r.output
		return
	case same:
		rep.Unplayed++
	case r.exit != 0:
		rep.Other++
	}
	rep.Sample = r.describe()
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
