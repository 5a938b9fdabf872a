package hunt

import (
	"context"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// A worker that was served before, or whose sibling was, is idle; a goroutine
// that never got past its first receive, or that waits to send, be it in a select, is stuck.
func TestAnyStuck(t *testing.T) {
	recv := func(g trace.GID) trace.Event { return trace.Event{G: g, Op: trace.OpRecv, Stack: 1, Value: 1} }
	selects := func(g trace.GID) trace.Event { return trace.Event{G: g, Op: trace.OpSelect, Stack: 1} }
	block := func(g trace.GID) trace.Event { return trace.Event{G: g, Op: trace.OpBlock, Stack: 1} }
	arm := func(g trace.GID, ch trace.ObjID, send bool) trace.Event {
		e := trace.Event{G: g, Op: trace.OpSelectCase, Obj: ch}
		if send {
			e.Aux = 1
		}
		return e
	}
	build := func(op trace.Op, events ...trace.Event) *trace.Trace {
		return &trace.Trace{
			StdRoot: "/go/src",
			Goroutines: []trace.Goroutine{{}, {ID: 1, Func: "main.main"}, {ID: 2, Func: "main.worker"},
				{ID: 3, Func: "main.worker"}, {ID: 4, Func: "main.other"}},
			Stacks:  [][]trace.Frame{nil, {{Func: "main.worker", File: "/m/a.go", Line: 9}}},
			Events:  events,
			Outcome: trace.Outcome{Kind: trace.Leaked, Blocked: []trace.Blocked{{G: 2, Op: op, Stack: 1, Leaked: true}}},
		}
	}
	for _, tc := range []struct {
		name  string
		trace *trace.Trace
		want  bool
	}{
		{"never served", build(trace.OpRecv), true},
		{"served before", build(trace.OpRecv, recv(2)), false},
		{"sibling served", build(trace.OpRecv, recv(3)), false},
		{"another function served", build(trace.OpRecv, recv(4)), true},
		{"waits to send", build(trace.OpSend, recv(2)), true},
		{"selects as before", build(trace.OpSelect, selects(2), arm(2, 4, false), block(2)), false},
		{"selects to send", build(trace.OpSelect, selects(2), arm(2, 4, false), arm(2, 5, true), block(2), recv(3)), true},
		{"selected to send before", build(trace.OpSelect, arm(2, 5, true), selects(2), arm(2, 4, false), block(2)), false},
		{"would send on no channel", build(trace.OpSelect, selects(2), arm(2, 0, true), block(2)), false},
	} {
		if got := anyStuck(tc.trace); got != tc.want {
			t.Errorf("%s: stuck is %v", tc.name, got)
		}
	}
}

// What each run of a program leaves behind is found although the search comes to no end
// in its time. Of a test it is not.
func TestLeftBehindByEveryRun(t *testing.T) {
	leak := func(th *sim.Thread) {
		c := th.Chan(0)
		th.Go(func(th *sim.Thread) { th.Recv(c) })
		th.Yield()
	}
	for _, main := range []bool{true, false} {
		m, l := programs(1, leak, 300*time.Millisecond), &log{lines: map[string]report.Target{}, tried: map[string]Tried{}}
		job := jobIn(testmodule.New(t, "-- go.mod --\nmodule m\n"))
		job.Entry, job.Main, job.Strategy, job.Schedules = entry(0), main, "mix", 100_000
		h := &Hunter{Stages: m, Sink: l, Start: time.Now(), Budget: 4 * time.Second}
		h.Hunt(t.Context(), job)
		line := l.lines[job.Entry]
		if found := len(l.released) > 0; found != main || (line.Status == report.FailsAlways) != main {
			t.Errorf("main %t: found %t, %s: %s", main, found, line.Status, line.Error)
		}
	}
}

// cutOff is a program that is always cut off, with a goroutine blocked in an operation. A
// full run has a trace, in which another one came past that, if served is set.
type cutOff struct {
	op     trace.Op
	served bool
}

func (c cutOff) Run(_ context.Context, s run.Spec) (*run.Result, error) {
	at := trace.Frame{Func: "main.worker", File: "/m/a.go", Line: 9}
	r := &run.Result{Schedule: s.Schedule, Steps: 100, Hash: 7, Duration: time.Millisecond, BlockedAt: []trace.Frame{at}}
	r.Schedule.Steps = 100
	r.Outcome = trace.Outcome{Kind: trace.Leaked, Cut: true, Blocked: []trace.Blocked{{G: 2, Op: c.op, Stack: 1, Leaked: true}}}
	if c.served && s.Record == run.Full {
		r.Trace = &trace.Trace{StdRoot: "/go/src", Outcome: r.Outcome, Stacks: [][]trace.Frame{nil, {at}},
			Goroutines: []trace.Goroutine{{}, {ID: 1, Func: "main.main"}, {ID: 2, Func: "main.worker"}, {ID: 3, Func: "main.worker"}},
			Events:     []trace.Event{{G: 3, Op: trace.OpRecv, Stack: 1, Value: 1}}}
	}
	return r, nil
}

// Of a run that was cut off, a goroutine that may only wait for work is no finding, its
// target is not failing, and the search goes on. One that waits for a lock is a finding.
func TestCutOffAndIdle(t *testing.T) {
	for _, tc := range []struct {
		program cutOff
		found   bool
		status  report.Status
	}{
		{cutOff{trace.OpRecv, false}, false, report.CutShort},
		{cutOff{trace.OpRecv, true}, false, report.NotControllable},
		{cutOff{trace.OpLock, false}, true, ""},
	} {
		m, l := programs(1, sim.Correct, time.Millisecond), &log{lines: map[string]report.Target{}, tried: map[string]Tried{}}
		m.wrap = func(run.Runner) run.Runner { return tc.program }
		job := jobIn(testmodule.New(t, "-- go.mod --\nmodule m\n"))
		job.Entry, job.Main, job.Strategy, job.Schedules = entry(0), true, "mix", 60
		h := &Hunter{Stages: m, Sink: l, Start: time.Now(), Budget: 3 * time.Second}
		h.Hunt(t.Context(), job)
		line := l.lines[job.Entry]
		if found := len(l.released) > 0; found != tc.found || !found && (line.Status != tc.status || len(line.Withheld) != 1) {
			t.Errorf("%v: found %t, %s, withheld %v", tc.program, found, line.Status, line.Withheld)
		}
		if tc.status == report.NotControllable && line.Searched.Attempts < 30 {
			t.Errorf("the search ended after %d attempts", line.Searched.Attempts)
		}
	}
}
