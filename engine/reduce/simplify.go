package reduce

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Options bounds and shapes the experiments of Simplify, Necessity and
// NearestPassing.
type Options struct {
	Base    run.Spec      // arguments, folder, environment and limits of each run
	Budget  time.Duration // real time; 0 = no limit
	Replays int           // 0 = 1,000
	Workers int           // 0 = GOMAXPROCS; does not change the result
	// Passes says which runs have no failure at all. nil: only those that
	// passed without any; a target that leaks under every schedule needs its
	// own function.
	Passes func(*run.Result) bool
	// Fewest is a number of preemptions below which, as was proved, no schedule
	// fails in the same way: fewer are not looked for.
	Fewest int
}

// Simplified is a failing schedule that was simplified by replaying.
type Simplified struct {
	// Schedule is the schedule to request: after its last segment the default
	// rule goes on to the failure. Result is its run; Result.Schedule lists
	// every segment that was run.
	Schedule      trace.Schedule
	Result        *run.Result
	Before, After run.Counts
	Replays       int
	OneMinimal    bool // no removal or merge of one segment keeps the failure
	Minimal       bool // proved: no schedule of this failure has fewer preemptions
}

// ErrNotReplayed means that the failing run did not fail again.
var ErrNotReplayed = errors.New("the failing schedule did not fail again")

// Simplify looks for a schedule with fewer preemptions, fewer switches and
// earlier ones, in this order, under which the program still fails as same
// says. Every step is a replay; the next step starts from the run that it gave,
// not from the requested schedule. When the budget ends or ctx is cancelled the
// best so far is returned.
func Simplify(ctx context.Context, runner run.Runner, failing *run.Result, same func(*run.Result) bool, opt Options) (*Simplified, error) {
	s := &simplifier{lab: newLab(ctx, runner, opt), same: same, fewest: opt.Fewest}
	first := s.run(failing.Schedule)
	if s.err != nil {
		return nil, fmt.Errorf("simplify: %w", s.err)
	}
	if first == nil || !same(first) {
		return nil, ErrNotReplayed
	}
	s.segs, s.res, s.cost = first.Schedule.Segments, first, run.CountsOf(first)
	before := s.cost
	s.work()
	if s.err != nil && !s.out {
		return nil, fmt.Errorf("simplify: %w", s.err)
	}
	sched := s.res.Schedule
	sched.Segments = s.segs
	return &Simplified{
		Schedule: sched, Result: s.res, Before: before, After: s.cost, Replays: s.replays,
		OneMinimal: s.oneMinimal, Minimal: s.cost.Preemptions <= opt.Fewest,
	}, nil
}

type simplifier struct {
	*lab
	same       func(*run.Result) bool
	segs       []trace.Segment // what is asked for
	res        *run.Result     // what it gave
	cost       run.Counts
	fewest     int // preemptions
	oneMinimal bool
}

func (s *simplifier) work() {
	s.plainSettings()
	s.truncate()
	s.compress()
	s.chunks()
	if !s.fewestReached() {
		s.rebuild(false)
	}
	for !s.out {
		s.compress()
		s.singles()
		if s.out || s.plainSettings() {
			continue
		}
		s.oneMinimal = true
		if s.fewestReached() {
			break
		}
		helped := s.cost.Preemptions <= fewPreemptions && s.rebuild(true)
		if !helped && !(s.cost.Preemptions > 1 && len(s.segs) <= pairLimit && s.step(pairs(s.segs))) {
			break
		}
		s.oneMinimal = false
	}
	s.compress()
}

// fewestReached is true if no schedule has fewer preemptions.
func (s *simplifier) fewestReached() bool { return s.cost.Preemptions <= s.fewest }

// fewPreemptions is up to how many other goroutines to switch to are tried.
const fewPreemptions = 5

// pairLimit bounds the quadratic phase.
const pairLimit = 6

// schedule is the current one with other segments.
func (s *simplifier) schedule(segs []trace.Segment) trace.Schedule {
	sched := s.res.Schedule
	sched.Segments = segs
	return sched
}

// better reports whether a run has the same failure and is simpler.
func (s *simplifier) better(r *run.Result) bool {
	return s.same(r) && run.CountsOf(r).Compare(s.cost) < 0
}

// step adopts the first candidate that is better.
func (s *simplifier) step(candidates iter.Seq[[]trace.Segment]) bool {
	scheds := func(yield func(trace.Schedule) bool) {
		for c := range candidates {
			if !yield(s.schedule(c)) {
				return
			}
		}
	}
	asked, r := s.first(scheds, s.better)
	if r == nil {
		return false
	}
	s.adopt(asked.Segments, r)
	return true
}

// adopt makes r the current run. Some of the requested segments may not have
// been possible; if it is easy to see which were run, those are requested from
// now on.
func (s *simplifier) adopt(asked []trace.Segment, r *run.Result) {
	s.res, s.cost, s.segs = r, run.CountsOf(r), asked
	if ran := r.Schedule.Segments; !slices.Equal(asked, ran[:min(len(asked), len(ran))]) {
		if n := played(asked, ran); s.gives(n, r) {
			s.segs = slices.Clone(ran[:n])
		}
	}
}

// gives says whether the first n segments of r's schedule give the same run.
func (s *simplifier) gives(n int, r *run.Result) bool {
	got := s.run(s.schedule(r.Schedule.Segments[:n]))
	return got != nil && got.Hash == r.Hash
}

// compress makes the shortest prefix of the current run that gives the same
// run the current schedule: the default rule does the rest. A longer prefix
// gives it too, so the shortest is found by bisection.
func (s *simplifier) compress() {
	ran := s.res.Schedule.Segments
	n := min(len(s.segs), len(ran))
	if !s.gives(n, s.res) {
		if n = len(ran); !s.gives(n, s.res) {
			return // out of budget, or not deterministic: keep what was asked
		}
	}
	low := 0
	if n > 0 && !s.gives(n-1, s.res) {
		low = n // as after most changes: it is the shortest already
	}
	for low < n {
		if mid := (low + n) / 2; s.gives(mid, s.res) {
			n = mid
		} else {
			low = mid + 1
		}
	}
	s.segs = slices.Clone(ran[:n])
}

// played guesses how many segments of the run the asked ones decided.
func played(asked, ran []trace.Segment) int {
	n := 0
	for _, a := range asked {
		if n < len(ran) && ran[n].G == a.G {
			n++
		}
	}
	return n
}

// plainSettings tries to do without buffers, seeds, clock steps and hot places: all at
// once, then one by one. It reports whether anything changed.
func (s *simplifier) plainSettings() (changed bool) {
	clear := []func(*trace.Schedule){
		func(c *trace.Schedule) { c.Memory, c.BufferSeed = trace.SC, 0 },
		func(c *trace.Schedule) { c.Memory = c.Memory.Stronger() },
		func(c *trace.Schedule) { c.BufferSeed = 0 },
		func(c *trace.Schedule) { c.SelectSeed = 0 },
		func(c *trace.Schedule) { c.Choices = nil },
		func(c *trace.Schedule) { c.ClockStep = 0 },
		undelayed,
		func(c *trace.Schedule) { c.InputSeed = 0 },
		func(c *trace.Schedule) { c.Hot = nil },
		func(c *trace.Schedule) { c.Collections = nil },
	}
	all := func(c *trace.Schedule) {
		for _, f := range clear {
			f(c)
		}
	}
	for _, f := range append([]func(*trace.Schedule){all}, clear...) {
		sched := s.schedule(s.segs)
		f(&sched)
		if equalSettings(sched, s.res.Schedule) {
			continue
		}
		if r := s.run(sched); r != nil && s.same(r) && run.CountsOf(r).Preemptions <= s.cost.Preemptions {
			s.adopt(sched.Segments, r)
			changed = true
		}
	}
	return s.fewerChoices() || changed
}

// undelayed takes all delays out of a schedule.
func undelayed(c *trace.Schedule) {
	c.Delay = 0
	c.Segments = joined(slices.DeleteFunc(slices.Clone(c.Segments), func(s trace.Segment) bool { return s.Timer }))
}

// fewerChoices leaves out ever smaller runs of the choices of selects, which the
// seed decides then. It says whether any were.
func (s *simplifier) fewerChoices() (changed bool) {
	for size := len(s.res.Schedule.Choices) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(s.res.Schedule.Choices) && !s.out; {
			sched := s.schedule(s.segs)
			sched.Choices = slices.Delete(slices.Clone(sched.Choices), at, at+size)
			if r := s.run(sched); r != nil && s.same(r) && run.CountsOf(r).Preemptions <= s.cost.Preemptions {
				s.adopt(sched.Segments, r)
				changed = true
			} else {
				at += size
			}
		}
	}
	return changed
}

func equalSettings(a, b trace.Schedule) bool {
	return a.SelectSeed == b.SelectSeed && a.Delay == b.Delay && a.ClockStep == b.ClockStep && a.InputSeed == b.InputSeed &&
		a.Memory == b.Memory && a.BufferSeed == b.BufferSeed && slices.Equal(a.Hot, b.Hot) && slices.Equal(a.Choices, b.Choices) && slices.Equal(a.Collections, b.Collections)
}
