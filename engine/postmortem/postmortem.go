package postmortem

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	// Fails reports whether a run fails as the core's did.
	Fails func(*run.Result) bool
	// Package says of which packages the variables are compared.
	Package func(path string) bool
}

// Analysis is what was found out.
type Analysis struct {
	Index   Index
	Point   Point
	Aligned bool
	Passing int // runs until one passed
	Comparison
	Candidates int // preemptions before blocks that use critical variables
	Schedules  []trace.Schedule
	Reading    time.Duration // of the variables of the core
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
	i := slices.IndexFunc(f.State.Goroutines, func(g dump.Goroutine) bool { return g.Failing })
	if i < 0 {
		return a, errors.New("no goroutine of it failed: others are not compared with a passing run")
	}
	failing := &f.State.Goroutines[i]
	a.Index = IndexOf(dump.User(failing.Frames))
	passed, err := a.pass(ctx, f, r)
	if err != nil {
		return a, err
	}
	t := passed.Trace
	if a.Point, a.Aligned = align(t, a.Index, failing.Created); !a.Aligned {
		return a, errors.New("no goroutine of a passing run begins as the failing one does")
	}
	if opt.Priority == Chess {
		p := newPlanner(t, a.Point.Event, []Difference{{}}, true)
		a.Schedules = p.schedules(Chess, opt.Most)
		return a, nil
	}
	start := time.Now()
	before, err := f.Core.Values(ctx, a.roots(f, failing.ID))
	if err != nil {
		return a, err
	}
	a.Reading = time.Since(start)
	now, err := a.valuesAt(ctx, f, r, t)
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

// pass makes runs until one does not fail as the core's did, and returns it with its
// trace. Places where it races are switch points of it.
func (a *Analysis) pass(ctx context.Context, f Failed, r run.Runner) (*run.Result, error) {
	spec := run.Spec{Strategy: run.Replay, Record: run.Full}
	for a.Passing < mostPassing {
		a.Passing++
		res, err := r.Run(ctx, spec)
		if err != nil {
			return nil, fmt.Errorf("make a passing run: %w", err)
		}
		if !f.Fails(res) && res.Trace != nil && !res.Hang {
			if spec.Strategy != run.Replay {
				return res, nil
			}
			return a.hot(ctx, r, res)
		}
		spec.Strategy, spec.Seed = run.Random, uint64(a.Passing)
	}
	return nil, fmt.Errorf("%d of %d runs failed as the core's did, so there is none to compare it with", a.Passing, a.Passing)
}

// hot repeats a run with the places where it races as switch points.
func (a *Analysis) hot(ctx context.Context, r run.Runner, res *run.Result) (*run.Result, error) {
	var hot []string
	for _, race := range res.Races {
		hot = append(hot, race.FirstSite, race.SecondSite)
	}
	hot = slices.DeleteFunc(hot, func(s string) bool { return s == "" })
	if len(hot) == 0 {
		return res, nil
	}
	slices.Sort(hot)
	first := res.Schedule
	first.Segments = nil // with more switch points they count otherwise; it was the run without any
	first.Hot = slices.Compact(append(slices.Clone(first.Hot), hot...))
	slices.Sort(first.Hot)
	again, err := r.Run(ctx, run.Spec{Strategy: run.Replay, Record: run.Full, Schedule: first})
	if err != nil {
		return nil, fmt.Errorf("repeat the passing run: %w", err)
	}
	if again.Trace == nil || again.Failed() {
		return res, nil
	}
	return again, nil
}

func (a *Analysis) roots(f Failed, goroutine int64) core.Roots {
	return core.Roots{Package: f.Package, Goroutine: goroutine, User: func(file, fn string) bool {
		return len(dump.User([]dump.Frame{{Func: fn, File: file, Line: 1}})) > 0
	}}
}

// valuesAt reads the variables of the passing run at the aligned point.
func (a *Analysis) valuesAt(ctx context.Context, f Failed, r run.Runner, t *trace.Trace) (out []core.Value, err error) {
	p, ok := r.(run.Pauser)
	if !ok {
		return nil, errors.New("runs of this program can't stand still")
	}
	e := t.Events[a.Point.Event]
	spec := run.Spec{Strategy: run.Replay, Schedule: t.Schedule, Record: run.Full}
	err = p.Pause(ctx, spec, t.Goroutine(e.G).Key, max(e.Count, 1)-1, func(ctx context.Context, pid int) error {
		prog, err := core.Attach(ctx, pid)
		if err != nil {
			return err
		}
		defer prog.Close()
		out, err = prog.Values(ctx, a.roots(f, prog.Current()))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the state of the passing run at %s:%d: %w", a.Point.At.File, a.Point.At.Line, err)
	}
	return out, nil
}
