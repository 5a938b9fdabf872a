package hunt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/reduce"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// How often the builds are tried.
const (
	sameHashRuns   = 4
	necessityRuns  = 20
	replayRuns     = 100
	nativeRuns     = 100
	nativeEnough   = 95 // of nativeRuns; below, pinned is tried too
	pinnedRuns     = 20
	loopRuns       = 2                // of the ordinary build, for a livelock
	loopTime       = 25 * time.Second // for those, and for as many without an order
	simplifyBudget = 12 * time.Second
	necessityLimit = 5 * time.Second
	morePasses     = 6 // passing runs recorded beside the nearest one
	passesLimit    = 4 * time.Second
	causeLimit     = 5 * time.Second
	enoughIfCut    = 10 // runs of a rung that count when the time ends
)

// confirmation replays, simplifies and explains one failing run, and tries to
// reproduce it on builds that are closer to production. It is published as soon as
// it was caught; it may be cut short after any stage and go on later.
type confirmation struct {
	*pipeline
	caught  *search.Finding
	from    *search.Origin // of caught; nil: there is nothing to tell
	known   bool           // an earlier search of the same sources confirmed it
	started time.Time
	until   time.Time // when it has to end, or to go on later
	stage   stage     // the next one
	tries   int

	// crew.mu guards these.
	state  fate
	doubt  string
	others []*confirmation // of the same cause, which refer to this one
	id     string          // that it was published under

	simple    *reduce.Simplified
	shortened effort
	needs     []reduce.Evidence
	tally     run.Tally
	fail      *trace.Trace
	pass      *trace.Trace
	passes    []*trace.Trace // more passing runs
	keep      []string       // run.Spec.Keep: what those access
	core      *cause.Cause   // nil of races
	proj      *projection.Projection
	behind    []report.Access // the race that led to this one, see publishedBy
	f         *report.Finding // nil before it is published
	unseen    bool            // the ordinary build did not show it, and it is not published

	nativeNote, pinnedNote string // what is to be said of the latest tries
}

// fate is what became of a failure that was caught.
type fate int

const (
	pending fate = iota
	confirmed
	doubtful
)

// stage is a part of a confirmation.
type stage int

const (
	reproducing stage = iota
	explaining
	replaying
	climbing // to the ordinary build
	pinning
	complete
)

// run does what is left to do, and publishes the finding with each level that it
// reaches. If the runs are not equal, there is no finding, and run returns the
// reason.
func (c *confirmation) run(ctx context.Context) (doubt string, err error) {
	if c.stage == reproducing {
		c.working(c, progress.Simplifying, c.job)
		if doubt, err := c.reproduce(ctx); doubt != "" || err != nil {
			return doubt, c.interrupted(ctx, err)
		}
		if c.stage = explaining; c.f == nil {
			c.publish()
			c.told()
		}
		c.hold(c.early(cutShort))
	}
	if c.stage == explaining {
		c.working(c, progress.Explaining, c.job)
		if err := c.explain(ctx); err != nil {
			return "", c.interrupted(ctx, err)
		}
		c.stage = replaying
		c.releaseUnfinished()
	}
	if c.stage == replaying {
		c.working(c, progress.Confirming, c.job)
		if err := c.replays(ctx, c.affordable(2)); err == nil {
			c.f.Replay = report.Count{Runs: c.tally.Runs, Failed: c.tally.Failed}
			c.f.SameEvents = c.tally.SameHash
			c.releaseUnfinished()
		} else if ctx.Err() != nil {
			return "", nil
		}
		c.stage = climbing
	}
	c.climb(ctx)
	c.f.Unfinished = c.stage != complete
	if c.stage == complete && c.untold() {
		c.unseen = true
		return fmt.Sprintf("under control the program loops and nothing changes what it waits for; the ordinary build did so in %s", c.f.Native), nil
	}
	c.release(*c.f)
	if c.caught.Signature.Kind == trace.Livelock && !c.untold() {
		c.Sink.Target(c.job, func(t *report.Target) { t.Status, t.Error = report.Failing, "" })
		c.told()
	}
	return "", nil
}

// untold is true of what is not published yet: a livelock, as long as the ordinary
// build has not shown it. It could be that a loop gives up by itself.
func (c *confirmation) untold() bool {
	return c.caught.Signature.Kind == trace.Livelock && (c.f == nil || c.f.Confirmed != report.Native)
}

// interrupted keeps what was published if the end of the time cuts the
// confirmation short, and takes it back if the runs themselves were in doubt.
func (c *confirmation) interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	c.Sink.Drop(c.caught)
	return err
}

// reproduce checks that the schedule decides the run, simplifies it, and
// replays the result.
func (c *confirmation) reproduce(ctx context.Context) (doubt string, err error) {
	v, err := run.Deterministic(ctx, c.runner, run.ReplayOf(c.base(), c.caught.Result), sameHashRuns)
	if err != nil {
		return "", err
	}
	if !v.OK {
		return v.Reason, nil
	}
	c.simple, err = c.simplify(ctx)
	if errors.Is(err, reduce.ErrNotReplayed) {
		return "the failing schedule did not fail again", nil
	} else if err != nil {
		return "", err
	}
	if err := c.replays(ctx, c.affordable(6)); err != nil {
		return "", err
	}
	// Runs that all fail in the same way but sometimes take other steps (a
	// system call that took long) are reported, not refused: the claim is that
	// the schedule causes the failure.
	if c.tally.Runs == 0 || c.tally.Failed < c.tally.Runs {
		return fmt.Sprintf("the failing schedule failed only %d of %d times", c.tally.Failed, c.tally.Runs), nil
	}
	return "", nil
}

// affordable is the number of replays that fit into a part of the time left; a
// program whose runs take a second is explained before it has run 100 times.
func (c *confirmation) affordable(part int) int {
	each := max(c.simple.Result.Duration, time.Millisecond)
	n := int(c.share(time.Hour, part) * time.Duration(run.Workers(0)) / each) // run.Times runs so many in parallel
	return min(max(n, 4), replayRuns)
}

// replays runs the simplified schedule until it has run n times in all.
func (c *confirmation) replays(ctx context.Context, n int) error {
	n -= c.tally.Runs
	if n <= 0 {
		return nil
	}
	spec := c.base()
	spec.Strategy, spec.Schedule = run.Replay, c.simple.Schedule
	t, err := run.Times(ctx, c.runner, spec, c.caught.Same, n)
	if err != nil {
		return err
	}
	c.tally.Runs += t.Runs
	c.tally.Failed += t.Failed
	c.tally.SameHash += t.SameHash
	return nil
}

// explain measures which switches are needed and compares with the nearest
// passing run.
func (c *confirmation) explain(ctx context.Context) error {
	opt := reduce.Options{Base: c.base(), Budget: c.share(necessityLimit, 4), Passes: c.caught.Passes}
	var err error
	c.needs, err = reduce.Necessity(ctx, c.runner, c.simple, c.caught.Same, necessityRuns, opt)
	if err != nil {
		return err
	}
	pool := c.passing()
	pair, err := reduce.NearestPassing(ctx, c.runner, c.simple, c.needs, pool, opt)
	var failing *run.Result
	switch {
	case err == nil:
		failing, c.pass = pair.Failing, pair.Passing.Trace
	case errors.Is(err, reduce.ErrNoPassing):
		if failing, err = c.record(ctx); err != nil {
			return err
		}
	default:
		return err
	}
	c.passes = c.morePassing(ctx, pool)
	if failing, err = c.comparable(ctx, failing); err != nil {
		return err
	}
	c.fail = failing.Trace
	if c.caught.Race != nil {
		if p, ok := publishedBy(c.fail, c.caught.Signature); ok {
			c.behind = c.pair(run.PairOf(c.fail, p))
		}
		c.fail = raceOnly(c.fail, c.caught.Signature)
	} else if c.core, err = c.why(ctx, failing); err != nil {
		return err
	}
	c.proj = c.project()
	f := c.finding(c.proj)
	f.ExplainedMS = time.Since(c.started).Milliseconds()
	f.ID = c.f.ID
	c.f = f
	return nil
}

// comparable records the failing run again with what passing runs access and it seems not
// to: memory that another goroutine would have come to is not recorded as shared.
func (c *confirmation) comparable(ctx context.Context, failing *run.Result) (*run.Result, error) {
	for _, t := range append([]*trace.Trace{c.pass}, c.passes...) {
		if t != nil {
			c.keep = append(c.keep, t.PlainPlaces()...)
		}
	}
	slices.Sort(c.keep)
	c.keep = slices.Compact(c.keep)
	own := failing.Trace.PlainPlaces()
	if !slices.ContainsFunc(c.keep, func(place string) bool { _, ok := slices.BinarySearch(own, place); return !ok }) {
		return failing, nil
	}
	again, err := c.record(ctx)
	if err != nil || again.Hash != failing.Hash {
		return failing, err
	}
	return again, nil
}

// base is what all runs that explain a failure have in common.
func (c *confirmation) base() run.Spec {
	s := c.pipeline.base()
	s.Keep = c.keep
	return s
}

// passing are runs of the search that passed.
func (c *confirmation) passing() []*run.Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pool
}

// morePassing records a few passing runs of the search: branches that the
// nearest passing run takes as the failing one does may be taken otherwise there.
func (c *confirmation) morePassing(ctx context.Context, pool []*run.Result) []*trace.Trace {
	limit := time.Now().Add(c.share(passesLimit, 6))
	var out []*trace.Trace
	seen := map[uint64]bool{}
	for _, r := range pool {
		if len(out) == morePasses || time.Now().After(limit) {
			break
		}
		if seen[r.Hash] || !c.caught.Passes(r) {
			continue
		}
		seen[r.Hash] = true
		spec := run.ReplayOf(c.base(), r)
		spec.Record = run.Full
		if full, err := c.runner.Run(ctx, spec); err == nil && full.Trace != nil {
			out = append(out, full.Trace)
		}
	}
	return out
}

// record runs the failing schedule once more and records everything.
func (c *confirmation) record(ctx context.Context) (*run.Result, error) {
	spec := c.base()
	spec.Strategy, spec.Schedule, spec.Record = run.Replay, c.simple.Schedule, run.Full
	r, err := c.runner.Run(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("record the failing run: %w", err)
	}
	if r.Trace == nil {
		return nil, errors.New("record the failing run: no trace was written")
	}
	return r, nil
}

func (c *confirmation) project() *projection.Projection {
	in := c.compared()
	in.Cause = c.core
	at := trace.SegmentSwitches(c.fail)
	for _, n := range c.needs {
		if sw, ok := at[n.Switch]; ok {
			sw.Preempt = n.Preempt
			in.Switches = append(in.Switches, projection.SwitchEvidence{Switch: sw, Runs: n.Runs, Failed: n.Failed})
		}
	}
	return projection.Project(in)
}

// finding describes what is known after the replays.
func (c *confirmation) finding(pr *projection.Projection) *report.Finding {
	r := c.simple.Result
	f := &report.Finding{
		Package: c.job.Package, Entry: c.job.Entry,
		Kind: kindName(string(r.Outcome.Kind)), Class: string(pr.Class), Message: cmp.Or(pr.Message, r.Outcome.Message),
		Sentence: pr.Sentence, Failure: pr.Failure, PathDep: pr.PathDep,
		Schedule: report.Shape{Events: r.Steps, Switches: c.simple.After.Switches,
			Preemptions: c.simple.After.Preemptions, Minimal: c.simple.Minimal, Irreducible: c.simple.OneMinimal,
			Found: run.CountsOf(c.caught.Result).Switches, Runs: c.shortened.runs, Solves: c.shortened.solves},
		Replay: report.Count{Runs: c.tally.Runs, Failed: c.tally.Failed}, SameEvents: c.tally.SameHash, Confirmed: report.Controlled,
		RootCause: pr.RootCause, Cause: pr.Cause, Blocked: pr.Blocked, Projection: pr.Counts,
		Fixes: []report.Fix{},
		Search: report.Spent{Strategy: c.job.Strategy, Attempts: c.caught.Attempt + 1, Planned: c.job.Schedules,
			TotalMS: time.Since(c.Start).Milliseconds()},
	}
	c.origin(&f.Search)
	if r.Outcome.Kind == trace.ExitCode && !c.job.Main {
		f.Message += afterTests(r.Outcome.Output)
	}
	if c.caught.Race != nil {
		c.worded(f)
	}
	if f.Failure.File == "" {
		f.Failure = c.entryPlace()
	}
	if f.TimeDependent = c.timeDependent(); f.TimeDependent != nil {
		f.Sentence = strings.TrimSpace(f.Sentence + " It " + f.TimeDependent.String() + ".")
	}
	f.Memory = string(r.Schedule.Memory)
	if c.job.Reached != nil {
		f.Reached = c.job.Reached(r)
	}
	if f.RootCause == nil {
		f.RootCause = []report.Access{}
	}
	if c.fail != nil {
		f.Schedule.Events, f.Schedule.Switches = len(c.fail.Events), len(trace.SegmentSwitches(c.fail)) // as the step-by-step view has them
		f.Necessity = c.necessities()
	}
	return f
}

// afterTests is the first line that a test binary printed after the verdict that its tests
// passed, when it exited with a failure all the same: TestMain checks more than they do.
func afterTests(output string) string {
	_, after, passed := strings.Cut("\n"+output, "\nPASS\n")
	if !passed {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(after), "\n")
	if line == "" {
		return ""
	}
	return ": " + strings.TrimSuffix(strings.TrimSpace(line), ":")
}

func (c *confirmation) necessities() []report.Need {
	var out []report.Need
	at := trace.SegmentSwitches(c.fail)
	for _, n := range c.needs {
		sw, ok := at[n.Switch]
		if !ok {
			continue
		}
		out = append(out, report.Need{
			From: c.fail.Goroutine(sw.From).Display, To: c.fail.Goroutine(sw.To).Display,
			Place: c.place(sw), Preempt: n.Preempt, Runs: n.Runs, Failed: n.Failed, Orders: n.Orders,
		})
	}
	return out
}

// place is where the goroutine that a switch stops had got to: its last event.
func (c *confirmation) place(sw trace.Switch) report.Place {
	for i := min(sw.At, len(c.fail.Events)) - 1; i >= 0; i-- {
		e := c.fail.Events[i]
		if e.G != sw.From {
			continue
		}
		if fr, ok := c.fail.UserFrame(e.Stack); ok {
			return report.Place{Goroutine: c.fail.Goroutine(e.G).Display, File: c.job.Roots.Name(fr.File), Line: fr.Line, Func: fr.Func}
		}
	}
	return report.Place{}
}

// share is the smaller of a limit and a part of the time left.
func (c *confirmation) share(limit time.Duration, part int) time.Duration {
	return min(limit, max(time.Until(c.until)/time.Duration(part), time.Millisecond))
}
