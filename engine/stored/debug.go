package stored

import (
	"context"
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/debug"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/trace"
	guard "github.com/hocket-dev/hocket/internal/process"
)

// DebugOptions says which finding to debug.
type DebugOptions struct {
	Dir string // "" is the current folder
	ID  string // or the start of one
	// Step, if it is not 0, is the step of the failing run (projection.Walk) to begin at:
	// there is no stop before it.
	Step int
}

// DebugStop is a place where a debugger should stop, DebugEnd one at the end of
// a run; see package debug.
type (
	DebugStop = debug.Stop
	DebugEnd  = debug.End
)

// Debuggee is the program of a finding, ready to be started by a debugger: run
// with these arguments, folder and environment it fails as the finding says,
// each time, however long it is stopped. Close it when the debugger has ended.
type Debuggee struct {
	ID      string
	Message string   // what fails, one line
	Program string   // path of the executable
	Args    []string // without the program's name
	Dir     string
	Env     []string // added to the environment: NAME=value
	Stops   []DebugStop
	End     *DebugEnd // nil if the failure is one of the stops
	Note    string    // one line for the user, "" if none

	command *process.Command
	driver  *build.Driver
}

// DebugBreakpoint is a breakpoint at one or more stops; see package debug.
type DebugBreakpoint = debug.Breakpoint

// Breakpoints returns the breakpoints that make a debugger stop at the stops.
func (d *Debuggee) Breakpoints() []DebugBreakpoint { return debug.Breakpoints(d.Stops) }

// Close removes what the program needs to run.
func (d *Debuggee) Close() {
	d.command.Close()
	d.driver.Close()
}

// PrepareDebug builds the program of a finding for a debugger and checks, by a
// run without one, that it fails under the finding's schedule. If the schedule
// leads to the failure only with the compiler's optimisations, Note says so.
func PrepareDebug(ctx context.Context, opt DebugOptions, tell progress.Func) (d *Debuggee, err error) {
	if tell == nil {
		tell = func(progress.Update) {}
	}
	ctx, done := guard.Guard(ctx)
	defer done()
	a, err := Open(ctx, opt.Dir, opt.ID)
	if err != nil {
		return nil, err
	}
	driver, err := build.New(a.Env)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			driver.Close()
		}
	}()
	if err := a.Locate(ctx); err != nil {
		return nil, err
	}
	tell(progress.Update{Phase: progress.Building, Target: a.Record.Package + " " + a.Record.Entry, Left: -1})
	v, err := a.debuggable(ctx, driver)
	if err != nil {
		return nil, err
	}
	cmd, err := v.runner.Command(run.Spec{Strategy: run.Replay, Schedule: a.Record.Schedule})
	if err != nil {
		return nil, err
	}
	f := a.Record.Finding
	race := v.race(a.Record.Signature)
	all := debug.Stops(v.run, trace.SegmentSwitches(v.run.Trace), race)
	if opt.Step > 0 {
		var note string
		if all, note = a.from(opt.Step, all, v.run); note != "" {
			v.note = strings.TrimPrefix(v.note+"; "+note, "; ")
		}
	}
	stops, err := debug.Locate(all, cmd.Path)
	if err != nil {
		cmd.Close()
		return nil, err
	}
	return &Debuggee{ID: f.ID, Message: f.Headline(), Program: cmd.Path, Args: cmd.Args, Dir: cmd.Dir, Env: cmd.Env,
		Stops: stops, End: debug.EndOf(v.run, race), Note: v.note, command: cmd, driver: driver}, nil
}

// from leaves out the stops before a step of the failing run. If the step can't be found
// in the build that is debugged, a note says so, and all stops stay.
func (a *Opened) from(step int, stops []debug.Stop, r *run.Result) ([]debug.Stop, string) {
	w, err := a.Walk()
	if err != nil {
		return stops, err.Error()
	}
	fail, err := a.Failing()
	if err != nil {
		return stops, err.Error()
	}
	if ev, ok := w.Event(step); ok {
		if at := sameEvent(fail, ev, r.Trace); at >= 0 {
			if from, ok := debug.From(stops, r, at, fmt.Sprintf("step %d of the failing run", step)); ok {
				return from, ""
			}
		}
	}
	return stops, fmt.Sprintf("step %d is not found in the build for the debugger: it stops at every switch", step)
}

// sameEvent is the event of another run under the same schedule that an event is, -1 if
// it lacks it: that of the same goroutine, operation, line and position.
func sameEvent(t *trace.Trace, ev int, other *trace.Trace) int {
	is := func(t *trace.Trace, i int, e trace.Event, key uint64, line trace.Frame) bool {
		o := t.Events[i]
		at, _ := t.UserFrame(o.Stack)
		return o.Op == e.Op && o.Count == e.Count && at.Line == line.Line && at.File == line.File && t.Goroutine(o.G).Key == key
	}
	if ev >= len(t.Events) {
		return -1
	}
	e := t.Events[ev]
	key := t.Goroutine(e.G).Key
	line, _ := t.UserFrame(e.Stack)
	nth := 0
	for i := range ev {
		if is(t, i, e, key, line) {
			nth++
		}
	}
	for i := range other.Events {
		if !is(other, i, e, key, line) {
			continue
		}
		if nth == 0 {
			return i
		}
		nth--
	}
	return -1
}

// debugRun is a build in which a finding's schedule led to the failure.
type debugRun struct {
	runner *process.Runner
	run    *run.Result
	note   string
}

// debuggable tries the build for debuggers, then the one in which the finding
// was made.
func (a *Opened) debuggable(ctx context.Context, driver *build.Driver) (*debugRun, error) {
	plain, err := driver.Runner(ctx, a.Target, a.Record.Flags, build.Debug)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", a.Record.Package, err)
	}
	v, why := a.fails(ctx, plain)
	if v != nil || ctx.Err() != nil {
		return v, why
	}
	optimised, err := driver.Runner(ctx, a.Target, a.Record.Flags, build.Control)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", a.Record.Package, err)
	}
	if v, why = a.fails(ctx, optimised); v == nil {
		return nil, why
	}
	v.note = "the failure needs the compiler's optimisations: some variables may be shown as optimized out"
	return v, nil
}

// fails runs the program once, recording all.
func (a *Opened) fails(ctx context.Context, p *process.Runner) (*debugRun, error) {
	r, err := p.Run(ctx, run.Spec{Strategy: run.Replay, Schedule: a.Record.Schedule, Record: run.Full})
	if err != nil {
		return nil, err
	}
	if run.FailsAs(r, a.Record.Signature) {
		return &debugRun{runner: p, run: r}, nil
	}
	if l := a.newReplay(); l.Why() != "" {
		return nil, fmt.Errorf("%s, so its schedule does not lead to the failure (%s); to see whether it is fixed, run hocket find", a.outdatedBy(l), r.Outcome.Kind)
	}
	return nil, fmt.Errorf("finding %s: its schedule does not lead to the failure (%s); run hocket find again", a.Record.Finding.ID, r.Outcome.Kind)
}

// race is the race that the finding is about, nil if the run itself fails.
func (v *debugRun) race(signature string) *run.RacePair {
	if v.run.Failed() && run.SameButLines(run.SignatureOf(v.run).String(), signature) {
		return nil
	}
	for i, p := range v.run.Races {
		if run.SameButLines(run.RaceSignature(p).String(), signature) {
			return &v.run.Races[i]
		}
	}
	return nil
}
