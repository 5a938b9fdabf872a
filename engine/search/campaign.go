package search

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Lag is by how many attempts a strategy's knowledge is late. It is fixed, so that
// what is proposed does not depend on how many workers run or how fast.
const Lag = 16

// aimedLag is the same in a search for a state, which learns more from each run.
const aimedLag = 4

// Options of a campaign. Zero values mean the defaults named.
type Options struct {
	Schedules   int      // planned attempts; DefaultSchedules
	Workers     int      // processes at a time; GOMAXPROCS, at most Lag
	Seed        uint64   // of the default strategy
	Strategy    Strategy // Auto
	StopAfter   int      // distinct failures after which to stop; 1
	RaceExtra   int      // attempts to go on after the first race without another failure; 200
	AlwaysAfter int      // attempts after which a failure of all of them is no concurrency bug; 30
	Replays     int      // first attempts that play failures of earlier searches: that they fail says nothing of other schedules
	Base        run.Spec
	Delay       time.Duration // by how much goroutines may be delayed in a run; negative: not at all; DefaultDelay
	Memory      trace.Memory  // under which attempts are made
	Blind       []string      // calls of the program whose accesses no trace holds: nothing is proved
	// Aim is a state: nothing else is a finding. It needs Base.Stands. What fails in the
	// same way with others elsewhere is one if the search ends without the state.
	Aim     Aim
	Program bool // it is no test: a run that is cut off may show a failure
}

func (o Options) withDefaults() Options {
	set := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	set(&o.Schedules, DefaultSchedules)
	set(&o.Workers, runtime.GOMAXPROCS(0))
	o.Workers = min(o.Workers, o.lag())
	set(&o.StopAfter, 1)
	set(&o.RaceExtra, 200)
	set(&o.AlwaysAfter, 30)
	if o.Delay == 0 {
		o.Delay = DefaultDelay
	}
	if o.Strategy == nil {
		o.Strategy = NewAuto(o.Seed)
	}
	return o
}

func (o *Options) lag() int {
	if o.Aim != nil {
		return aimedLag
	}
	return Lag
}

// Campaign is the search over one target. It can be done in steps, so that
// many share a budget. Not safe for concurrent use.
type Campaign struct {
	opt     Options
	runner  *counted
	ledger  *ledger
	results map[int]completed // by attempt: not judged or not observed yet
	again   []completed       // killed while under way: to be made again
	next    int               // attempt to propose
	judged  int               // attempts below have been judged
	told    int               // attempts below have been observed by the strategy
	delays  delays
	drawn   drawn
	buffers buffers
	ended   bool     // the strategy has no more
	further Strategy // after it, while all that is known is failures; nil before
	waiting bool     // the strategy needs all results before it goes on
	gated   bool
	elapsed time.Duration
	verdict
}

// completed is an attempt that came back.
type completed struct {
	n    int
	spec run.Spec
	res  *run.Result
	err  error
}

// counted counts processes.
type counted struct {
	run.Runner
	n atomic.Int64
}

func (c *counted) Run(ctx context.Context, s run.Spec) (*run.Result, error) {
	c.n.Add(1)
	r, err := c.Runner.Run(ctx, s)
	if err == nil && r.Processes > 1 {
		c.n.Add(int64(r.Processes) - 1)
	}
	return r, err
}

// New makes a campaign; nothing runs yet.
func New(runner run.Runner, opt Options) *Campaign {
	opt = opt.withDefaults()
	if len(opt.Blind) > 0 {
		opt.Strategy.NoProof("no trace tells what passes through " + firstOf(opt.Blind))
	}
	l := newLedger()
	l.aim = opt.Aim
	return &Campaign{
		opt: opt, runner: &counted{Runner: runner}, ledger: l,
		results: map[int]completed{}, verdict: newVerdict(), delays: delays{seed: opt.Seed, most: max(opt.Delay, 0)},
		buffers: newBuffers(opt.Memory, opt.Seed),
	}
}

// firstOf lists the first of many names.
func firstOf(names []string) string {
	const most = 3
	if n := len(names); n > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	}
	return strings.Join(names, ", ")
}

// Passing are some runs of the attempts so far that passed.
func (c *Campaign) Passing() []*run.Result { return c.ledger.passed() }

// Origin is where the attempt that showed a finding came from; nil if there is nothing
// to tell.
func (c *Campaign) Origin(f *Finding) *Origin { return c.opt.Strategy.Origin(f.Spec) }

// Done is true when further steps would do nothing.
func (c *Campaign) Done() bool { return c.final != "" }

// Slice bounds one step.
type Slice struct {
	Attempts int           // 0 = as planned
	Time     time.Duration // attempts are started for that long, at least one; 0 = no limit
}

// Step makes further attempts. When ctx ends, attempts under way are killed
// and not counted; that does not make the campaign Done. report may be nil.
func (c *Campaign) Step(ctx context.Context, slice Slice, report func(Progress)) {
	start, before := time.Now(), c.elapsed
	clock := func() { c.elapsed = before + time.Since(start) }
	defer clock()
	told := func() {
		if clock(); report != nil {
			report(c.progress())
		}
	}
	if !c.gated && !c.Done() {
		c.gate(ctx)
		told()
	}
	for !c.Done() {
		c.attempts(ctx, slice, start, told)
		if c.stop == "" || c.verify(ctx) {
			return // the slice is used up, or all is said
		}
	}
}

// attempts runs workers until the slice is used up or there is reason to
// stop. It leaves no goroutine behind, neither its own nor the strategy's.
func (c *Campaign) attempts(ctx context.Context, slice Slice, start time.Time, report func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer func() {
		if c.stop != "" {
			cancel() // what the strategy plans is not needed any more
		}
		if ready := c.opt.Strategy.Ready(); ready != nil {
			<-ready
		}
	}()
	c.judgeNext(ctx) // what came back after a reason to stop that is gone
	started := 0
	mayStart := func() bool {
		return ctx.Err() == nil && c.stop == "" &&
			(slice.Attempts == 0 || started < slice.Attempts) &&
			(slice.Time == 0 || started == 0 || time.Since(start) < slice.Time)
	}
	back := make(chan completed, c.opt.Workers)
	for running := 0; ; running-- {
		for ; running < c.opt.Workers && mayStart(); running++ {
			a, ok := c.propose(ctx)
			if !ok {
				break
			}
			started++
			go func() {
				a.res, a.err = c.runner.Run(ctx, a.spec)
				back <- a
			}()
		}
		var ready <-chan struct{}
		if c.waiting && mayStart() {
			ready = c.opt.Strategy.Ready()
		}
		if running == 0 && ready == nil {
			if !c.waiting || !mayStart() || c.judged != c.next {
				return
			}
			c.tell(c.next)
			running++ // nothing is under way; the loop takes one off
			continue
		}
		select {
		case done := <-back:
			c.take(ctx, done)
		case <-ready:
			c.waiting = false
			running++ // none came back
			continue
		}
		if report(); c.stop != "" {
			cancel()
		}
	}
}

// propose asks the strategy, after telling it exactly what it may know.
func (c *Campaign) propose(ctx context.Context) (a completed, ok bool) {
	if len(c.again) > 0 {
		a, c.again = c.again[0], c.again[1:]
		return a, true
	}
	if c.next >= c.opt.Schedules || c.next-c.judged >= c.opt.lag() {
		return a, false
	}
	if c.waiting {
		return a, false
	}
	c.tell(c.next - c.opt.lag() + 1)
	spec, ok := c.ask(ctx)
	if !ok {
		return a, false
	}
	if c.drawn.input() && c.opt.Aim == nil {
		spec.Schedule.InputSeed = stream(c.opt.Seed, c.next).Uint64()
	}
	c.next++
	c.delays.complete(c.next-1, &spec)
	c.buffers.complete(c.next-1, &spec)
	return completed{n: c.next - 1, spec: c.complete(spec)}, true
}

// ask gets the next attempt of the strategy, or one at random if it has no more
// but has not said whether anything else than failures is possible.
func (c *Campaign) ask(ctx context.Context) (spec run.Spec, ok bool) {
	if !c.ended {
		if spec, ok = c.opt.Strategy.Next(ctx, c.next); ok {
			return spec, true
		}
		if c.waiting = c.opt.Strategy.Waits(); c.waiting {
			return spec, false
		}
		c.ended = true
		c.review(c)
	}
	if c.further == nil && c.judged == c.next && c.undecided() {
		c.further = NewMix(c.opt.Seed)
	}
	if c.further == nil || c.stop != "" {
		return spec, false
	}
	return c.further.Next(ctx, c.next)
}

// undecided is true after a search for a proof that made too few runs, all of
// which failed, to call that the program's way without one.
func (c *Campaign) undecided() bool {
	if c.ledger.only() == "" || c.ledger.verdicts == 0 {
		return false
	}
	proved, why := c.opt.Strategy.Proved()
	return !proved && why != ""
}

// tell lets the strategy observe the attempts before number n. It is told as
// much as it may know, and all once it waits, so that what it knows when it is
// asked does not depend on how fast the workers were.
func (c *Campaign) tell(n int) {
	for ; c.told < n; c.told++ {
		if done := c.results[c.told]; done.res != nil {
			c.delays.observe(done.res)
			c.drawn.observe(done.spec, done.res)
			c.buffers.Observe(done.spec, done.res)
			c.opt.Strategy.Observe(done.spec, done.res)
			if c.further != nil {
				c.further.Observe(done.spec, done.res)
			}
		}
		delete(c.results, c.told)
	}
	c.waiting = false
}

// complete fills in what is not the strategy's to decide. Where a run of a program took
// longer than it may, later ones are cut off before that: of one that was killed nobody
// knows what is blocked for ever.
func (c *Campaign) complete(s run.Spec) run.Spec {
	b := c.opt.Base
	s.Args, s.Dir, s.Env, s.Timeout, s.Steps, s.Virtual = b.Args, b.Dir, b.Env, b.Timeout, b.Steps, b.Virtual
	s.Stands = b.Stands
	if c.opt.Program && c.ledger.hungAt > 0 && s.Schedule.Steps == 0 && len(s.Schedule.Segments) == 0 {
		s.Schedule.Steps = max(c.ledger.hungAt/2, leastCut)
	}
	return s
}

// take files a result and judges those that are next in order. A run killed
// with ctx is as if it had not been made.
func (c *Campaign) take(ctx context.Context, done completed) {
	if done.err != nil && ctx.Err() != nil {
		c.again = append(c.again, completed{n: done.n, spec: done.spec})
		return
	}
	c.results[done.n] = done
	c.judgeNext(ctx)
}

// judgeNext judges the results that are next in order.
func (c *Campaign) judgeNext(ctx context.Context) {
	for c.stop == "" {
		next, ok := c.results[c.judged]
		if !ok {
			return
		}
		c.judged++
		c.judge(c.shortest(ctx, next))
	}
}

func (c *Campaign) judge(done completed) {
	if done.err != nil {
		c.ledger.errors++
		c.failedRuns++
		c.runErr = done.err
	} else {
		c.failedRuns = 0
		c.ledger.add(done.n, done.spec, done.res)
	}
	c.review(c)
}
