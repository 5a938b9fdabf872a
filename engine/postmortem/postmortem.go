package postmortem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Failed is the failed run, as its core tells of it.
type Failed struct {
	Core *core.Core
	// State is what the core shows, with the places of the sources at hand.
	State *dump.State
	// Fails reports whether a run that was made with Spec.Stands fails as the core's did.
	Fails func(*run.Result) bool
	// Package says of which packages the variables are compared.
	Package func(path string) bool
	// Counted makes runs of the program with loops that count their rounds, as the core's
	// did. nil: it can't be built.
	Counted func(ctx context.Context) (run.Runner, error)
}

// isOpened is true of calls in packages whose variables are compared: where others say
// that their sources are was told by the executable, and is not looked up.
func (f *Failed) isOpened(at dump.Frame) bool {
	return f.Package(strings.TrimSuffix(at.Package(), "_test"))
}

// Analysis is what was found out.
type Analysis struct {
	Index   Index
	Waits   bool // the index is of a goroutine of a deadlock that waits
	Cut     bool // the passing run was cut off: it came to no end
	Counts  bool // the program of the core counts the rounds of its loops
	Point   Point
	Aligned bool
	Passing int // runs until one passed
	Comparison
	Candidates int // preemptions before blocks that use critical variables
	Schedules  []trace.Schedule
	Reading    time.Duration // of the variables of the core
	Partly     bool          // the core has more of them than were read
	Comparing  time.Duration
}

// Options of an analysis.
type Options struct {
	Priority Priority
	Most     int // schedules
}

// mostPassing is how many runs may fail before one passes.
const mostPassing = 16

// Analyze compares a failed run with a passing one of the program of r. An error says
// how far it came; what was found out until then is in the analysis.
func Analyze(ctx context.Context, f Failed, r run.Runner, opt Options) (*Analysis, error) {
	a := &Analysis{}
	failing := failingOf(f.State)
	if failing == nil {
		return a, errors.New("no goroutine of it failed: others are not compared with a passing run")
	}
	a.Waits = !failing.Failing
	a.Index = IndexOf(dump.User(failing.Frames), f.isOpened)
	start := time.Now()
	before, all, err := f.Core.Values(ctx, roots(f, failing.ID))
	if err != nil {
		return a, err
	}
	a.Reading, a.Partly = time.Since(start), !all
	if a.Counts = slices.ContainsFunc(before, func(v core.Value) bool { return isRounds(v.Path) }); a.Counts && f.Counted != nil {
		if r, err = f.Counted(ctx); err != nil {
			return a, err
		}
	}
	passed, err := a.pass(ctx, f, r)
	if err != nil {
		return a, err
	}
	a.Cut = passed.Outcome.Kind == trace.StepLimit
	t := passed.Trace
	near := align(t, a.Index, failing.Created)
	if len(near.events) == 0 {
		return a, errors.New("no goroutine of a passing run begins as the failing one does")
	}
	// That operation, too, is to be a switch point, so that the run can stand still there.
	if t, err = a.again(ctx, f, r, t, near); err != nil {
		return a, err
	}
	near = align(t, a.Index, failing.Created)
	if len(near.events) == 0 {
		return a, errors.New("the passing run does not repeat")
	}
	s := &standing{f: f, r: r, t: t, seen: map[int]map[string]string{}}
	a.Point, err = s.choose(ctx, a.Index, near, before)
	if err != nil {
		return a, err
	}
	a.Aligned = true
	if opt.Priority == Chess {
		p := newPlanner(t, a.Point.Event, []Difference{{}}, true)
		a.Schedules = p.schedules(Chess, opt.Most)
		return a, nil
	}
	now, err := s.values(ctx, a.Point.Event, f.Package)
	if err != nil {
		return a, err
	}
	start = time.Now()
	a.Comparison = compare(before, now, t)
	a.Comparing = time.Since(start)
	p := newPlanner(t, a.Point.Event, a.Critical(), false)
	a.Candidates = len(p.candidates(p.ranks(Temporal)))
	a.Schedules = p.schedules(opt.Priority, opt.Most)
	return a, nil
}

// failingOf is the goroutine that failed; of a deadlock, in which none did, one that
// waits for what another one has to do, for a lock before all. nil: none of the user's.
func failingOf(s *dump.State) *dump.Goroutine {
	var best *dump.Goroutine
	most := 0
	for i := range s.Goroutines {
		g := &s.Goroutines[i]
		if g.Failing {
			return g
		}
		if rank := rankOf(g); s.Kind == dump.Deadlock && rank > most {
			best, most = g, rank
		}
	}
	return best
}

// rankOf says how telling it is where a goroutine waits; 0: not at all.
func rankOf(g *dump.Goroutine) int {
	switch {
	case len(dump.User(g.Frames)) == 0:
		return 0
	case strings.HasPrefix(g.Reason, "sync.Mutex") || strings.HasPrefix(g.Reason, "sync.RWMutex"):
		return 4
	case strings.HasPrefix(g.Reason, "chan ") || g.Reason == "select":
		return 3
	case g.Reason == "sync.WaitGroup.Wait":
		return 1 // it waits for the others
	}
	return 2
}

// pass makes runs until one passes, and returns it with its trace.
func (a *Analysis) pass(ctx context.Context, f Failed, r run.Runner) (*run.Result, error) {
	spec := run.Spec{Strategy: run.Replay, Record: run.Full, Stands: true}
	alike := 0
	for a.Passing < mostPassing {
		a.Passing++
		res, err := r.Run(ctx, spec)
		if err != nil {
			return nil, fmt.Errorf("make a passing run: %w", err)
		}
		if passed(f, res) {
			return res, nil
		}
		if f.Fails(res) {
			alike++
		}
		spec.Strategy, spec.Seed = run.Random, uint64(a.Passing)
	}
	return nil, fmt.Errorf("none of %d runs passed, %d failed as the core's did: there is none to compare it with", a.Passing, alike)
}

// passed is true of a run that did not fail. That it leaves goroutines behind does not
// matter, many programs always do, nor that it was cut off: servers don't end.
func passed(f Failed, r *run.Result) bool {
	switch r.Outcome.Kind {
	case trace.Passed, trace.Raced, trace.Leaked, trace.StepLimit:
		return r.Trace != nil && !r.Hang && !f.Fails(r)
	}
	return false
}

// again repeats a run with the places where it races and where it is aligned as switch
// points. One with switches of its own stays as it is: with more switch points they
// count otherwise.
func (a *Analysis) again(ctx context.Context, f Failed, r run.Runner, t *trace.Trace, near alignment) (*trace.Trace, error) {
	if a.Passing > 1 {
		return t, nil
	}
	var hot []string
	for _, race := range t.Races {
		for _, side := range []trace.Access{race.First, race.Second} {
			hot = append(hot, siteOf(t, side.Stack))
		}
	}
	for _, events := range near.events {
		for _, i := range events {
			hot = append(hot, siteOf(t, t.Events[i].Stack))
		}
	}
	slices.Sort(hot)
	hot = slices.DeleteFunc(slices.Compact(hot), func(s string) bool { return s == "" })
	schedule := t.Schedule
	schedule.Segments, schedule.Hot = nil, hot
	res, err := r.Run(ctx, run.Spec{Strategy: run.Replay, Record: run.Full, Stands: true, Schedule: schedule})
	if err != nil {
		return nil, fmt.Errorf("repeat the passing run: %w", err)
	}
	if !passed(f, res) {
		return t, nil
	}
	return res.Trace, nil
}

// siteOf is the instruction of a stack, if it is a plain access that can be a switch
// point.
func siteOf(t *trace.Trace, id trace.StackID) string {
	if int(id) >= len(t.Sites) {
		return ""
	}
	return t.Sites[id]
}
