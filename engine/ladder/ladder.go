// Package ladder tries a failing run on builds that are closer to production: the
// ordinary build, with points that keep the order of the run (native), and the
// production compile under the controlled scheduler (pinned).
//
// A Trial counts only runs that failed in the same way. The callers decide
// which count is enough.
package ladder

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/native"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/synth"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// Stages are the parts of the pipeline that start compilers and built programs.
// Tests of the pipeline replace them.
type Stages interface {
	// Build makes the controlled program of a target.
	Build(ctx context.Context, t target.Target, flags target.Flags) (run.Runner, error)
	// Native and Pinned run other builds of the target under the order of the
	// failing run, n times, and count equal failures. With an error they return
	// what was counted before it, nil if nothing was.
	Native(ctx context.Context, e Evidence, n int) (*Trial, error)
	Pinned(ctx context.Context, e Evidence, n int) (*Trial, error)
	// Close removes the files that the programs left. No other method may be
	// running.
	Close()
}

// Modeller is a Stages that can read the sources of a target.
type Modeller interface {
	// Twin makes a model of the target.
	Twin(ctx context.Context, t target.Target, flags target.Flags) (run.Twin, error)
}

// Evidence is what other builds need to know of a failing run.
type Evidence struct {
	Target   target.Target
	Flags    target.Flags
	Fail     *trace.Trace
	Core     []Edge // orders of Fail that suffice, if they are known
	Late     []Late // and of what Fail had not come to
	Needed   []int  // else the events after the switches without which no run failed
	Schedule trace.Schedule
	Same     func(*run.Result) bool
	Message  string
	Plain    bool // it fails by itself: the ordinary build is run without an order
}

// Edge is an order of two events of a trace, by their indexes.
type Edge = native.Edge

// Late is an operation that a failing run had not come to.
type Late = native.Late

// core are the orders that are tried first.
func (e *Evidence) core() []Edge {
	if len(e.Core)+len(e.Late) > 0 {
		return e.Core
	}
	return native.Around(e.Fail, e.Needed)
}

// Trial is how often a build failed in the same way.
type Trial struct {
	Count    report.Count
	Baseline *report.Count // the plain build, without an order
	Plain    bool          // Count is of the plain build, since it needs no order to fail
	Played   int           // of Count, runs in which the order was enforced to its end
	Unplayed int           // of Count, failures in the other runs
	Way      native.Way    // of Count
	Note     string        // why it was not possible, or why the result is weak
	Output   string        // of the last run that failed
}

type stages struct {
	env    *target.Env
	driver *build.Driver
	// confirm is native.Confirm; tests replace it.
	confirm func(context.Context, native.Request) (*native.Report, error)
}

// NewStages returns the real stages.
func NewStages(env *target.Env) (Stages, error) {
	d, err := build.New(env)
	if err != nil {
		return nil, err
	}
	return stages{env, d, native.Confirm}, nil
}

func (s stages) Build(ctx context.Context, t target.Target, flags target.Flags) (run.Runner, error) {
	return s.driver.Runner(ctx, t, flags, build.Control)
}

func (s stages) Twin(ctx context.Context, t target.Target, flags target.Flags) (run.Twin, error) {
	return Twin(ctx, s.env, t, flags)
}

// Twin makes a model of a target.
func Twin(ctx context.Context, env *target.Env, t target.Target, flags target.Flags) (run.Twin, error) {
	return synth.Load(ctx, synth.Source{Dir: t.Dir, Package: t.Package, Entry: t.Entry, Main: t.Main, GoRoot: env.Goroot, Env: env.Environ(),
		Flags: append(t.Overlay.Flags(), flags.List()...), Read: t.Overlay.ReadFile})
}

func (s stages) Native(ctx context.Context, e Evidence, n int) (*Trial, error) {
	rep, err := s.confirm(ctx, native.Request{
		Target: build.Target(s.env, e.Target, e.Flags), Trace: e.Fail, Core: e.core(), Late: e.Late, Runs: n, Baseline: max(n/10, 2), PlainSuffices: true, PlainOnly: e.Plain})
	if errors.Is(err, native.ErrNoFailure) {
		return &Trial{Note: words.OneLine(err.Error())}, nil
	}
	return trialOf(rep), err
}

// trialOf returns nil if no run was made; there may be runs of the plain build only.
func trialOf(rep *native.Report) *Trial {
	if rep == nil || rep.Runs == 0 && rep.Baseline.Runs == 0 {
		return nil
	}
	t := &Trial{Count: report.Count{Runs: rep.Runs, Failed: rep.Failed}, Plain: rep.Plain, Played: rep.Played, Unplayed: rep.Unplayed,
		Output: cmp.Or(rep.Output, rep.Sample)}
	if rep.Baseline.Runs > 0 {
		t.Baseline = &report.Count{Runs: rep.Baseline.Runs, Failed: rep.Baseline.Failed}
	}
	if !rep.Plain {
		t.Way, t.Note = rep.Way, weakness(rep)
		if rep.Failed == 0 && rep.Plan != nil && (rep.Plan.Within != "" || len(rep.Plan.Dropped) > 0) {
			t.Played = 0 // what was played is not the order
		}
	}
	return t
}

// weakness says in one line why not all runs failed; "" where nothing is known of it.
func weakness(rep *native.Report) string {
	switch {
	case rep.Runs == 0 || rep.Failed == rep.Runs || rep.Way.Order == native.NoOrder:
		return ""
	case rep.Played == 0 && rep.Failed == 0:
		return "the order could not be enforced: " + cmp.Or(rep.Broken, "the program ended first")
	case rep.Failed == 0 && rep.Plan != nil && rep.Plan.Within != "":
		return fmt.Sprintf("the order could not be enforced: others come between two steps of the one statement at %s, where a point can't be", rep.Plan.Within)
	case rep.Played < rep.Runs && rep.Broken != "":
		return fmt.Sprintf("the order was enforced in %d of %d runs; in another, %s", rep.Played, rep.Runs, rep.Broken)
	case rep.Played < rep.Runs:
		return fmt.Sprintf("the order was enforced in %d of %d runs", rep.Played, rep.Runs)
	case len(rep.Plan.Dropped) > 0:
		return "a part of the order could not be enforced: " + rep.Plan.Dropped[0]
	}
	return ""
}

// Pinned replays the schedule on a build without hooks at plain accesses.
func (s stages) Pinned(ctx context.Context, e Evidence, n int) (*Trial, error) {
	runner, err := s.driver.Runner(ctx, e.Target, e.Flags, build.Pinned)
	if err != nil {
		return nil, err
	}
	var last string
	same := func(r *run.Result) bool {
		if e.Same(r) {
			last = r.Outcome.Output
			return true
		}
		return false
	}
	spec := run.Spec{Strategy: run.Replay, Schedule: e.Schedule}
	spec.Schedule.Hot = nil // this build has no hooks
	tally, err := run.Times(ctx, runner, spec, same, n)
	if tally.Runs == 0 {
		return nil, err
	}
	return &Trial{Count: report.Count{Runs: tally.Runs, Failed: tally.Failed}, Output: last}, err
}

func (s stages) Close() { s.driver.Close() }
