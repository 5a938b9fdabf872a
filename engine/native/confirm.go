package native

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync/atomic"
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
	Core     []Edge       // orders of Trace that are tried before the whole one
	Late     []Late       // and of what Trace had not come to
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
	Way       Way                        // in which Runs were made
	Plan      *Plan                      // the one played, or else the whole one
	Skipped   []points.Skip              // places that could not get their point
	Output    string                     // of one failing run
	Time      time.Duration              // median of the runs with the plan
	PlainTime time.Duration              // median of the others
	Arrived   map[string]int             // steps, in how many runs
	Sample    string                     // what one run that did not fail printed, if there is one
	Why       string                     // what became of the plan in it
	Broken    string                     // why the order could not be played in it, in words; "" if it was played

	// OtherPlayed counts runs that failed in another way with the plan fully played, or
	// without one; OtherOutput is of one.
	OtherPlayed int
	OtherOutput string

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
	ways, err := req.ways()
	if err != nil {
		return nil, err
	}
	if judge.loops() { // each run takes long
		ways = ways[slices.IndexFunc(ways, func(w *way) bool { return w.Order == WholeOrder }):][:1]
	}
	dir, cleanup, err := buildDir(req.BuildDir)
	if err != nil {
		return nil, err
	}
	defer cleanup()
	if judge.Kind == string(trace.Raced) && !slices.Contains(req.Target.Flags, "-race") {
		req.Target.Flags = append(slices.Clip(req.Target.Flags), "-race") // only such a build shows a race
	}
	p := &program{req: req, dir: dir, judge: judge, ways: ways, rep: &Report{Arrived: map[string]int{}}}
	for _, plan := range p.plans() {
		p.rep.Plan = plan // the whole one is the last
		plan.Steps.Dump = judge.NeedsDump()
		if judge.NeedsDump() && plan.Steps.Linger == 0 {
			plan.Steps.Linger = leakLinger
		}
	}
	if done, err := p.plainly(ctx); done || err != nil {
		return p.rep, err
	}
	if err := p.build(ctx); err != nil {
		return p.rep, err
	}
	return p.rep, p.confirm(ctx)
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
	ways  []*way
	rep   *Report
	moved map[string]string // folders of dependencies in the build with points, and where their files are
	hasty atomic.Int32      // processes that were taken to hang too soon
}
