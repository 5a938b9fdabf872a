package dap_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-dap"

	"github.com/hocket-dev/hocket/engine"
	adapter "github.com/hocket-dev/hocket/lsp/dap"
)

// meet connects to an adapter for a program of testdata with breakpoints.
func meet(t *testing.T, name string, set ...engine.AddBreakOptions) *client {
	t.Helper()
	needDelve(t)
	dir := moduleOf(t, name)
	if err := os.RemoveAll(filepath.Join(dir, ".hocket")); err != nil {
		t.Fatal(err)
	}
	for _, o := range set {
		o.Dir = dir
		for i, p := range o.Places {
			o.Places[i] = filepath.Join(dir, p)
		}
		if _, err := engine.AddBreak(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	c := newClient(t)
	c.dir = dir
	c.serve(adapter.Options{PrepareBreaks: func(ctx context.Context, p engine.Progress) (*engine.BreakDebuggee, error) {
		return engine.PrepareBreakDebug(ctx, engine.BreakDebugOptions{Dir: dir, Patterns: []string{"."}}, p)
	}})
	return c
}

// moduleOf is a copy of a program in testdata, in one place for all tests: so
// that it is compiled once.
func moduleOf(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(copies(), name)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// copies is the folder for that; TestMain removes it.
var copies = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "hocket-copies-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		panic(err)
	}
	return dir
})

// clearing is the conflict of pages: between the look and the use.
func clearing() engine.AddBreakOptions {
	return engine.AddBreakOptions{Places: []string{"main.go:16", "main.go:22"}, If: "t1.p == t2.p", Order: []int{2, 1}}
}

// thread is the goroutine whose name starts so.
func (c *client) thread(name string) int {
	c.t.Helper()
	all := ask[*dap.ThreadsResponse](c, "threads", nil).Body.Threads
	for _, th := range all {
		if strings.HasPrefix(th.Name, name) {
			return th.Id
		}
	}
	c.t.Fatalf("no thread %q: %+v", name, all)
	return 0
}

// at checks where a goroutine stands.
func (c *client) at(thread int, function, place string) dap.StackFrame {
	c.t.Helper()
	f := c.top(thread)
	if got := fmt.Sprintf("%s:%d:%d", filepath.Base(f.Source.Path), f.Line, f.Column); got != place || f.Name != function {
		c.t.Errorf("thread %d is in %s at %s, not in %s at %s", thread, f.Name, got, function, place)
	}
	return f
}

// TestMeeting is the whole way: both goroutines at their lines, in order, to
// the failure.
func TestMeeting(t *testing.T) {
	c := meet(t, "pages", clearing())
	c.start()
	ev := waitFor[*dap.StoppedEvent](c)
	want := "concurrent breakpoint b1 hit: reader at main.go:16 and clearer at main.go:22 meet; clearer goes first"
	if ev.Body.Description != "b1 hit" || ev.Body.Text != want || ev.Body.Reason != "breakpoint" || !ev.Body.AllThreadsStopped {
		t.Errorf("stopped: %+v", ev.Body)
	}
	one, two := c.thread("reader (side 1 at main.go:16) [Go "), c.thread("clearer (side 2 at main.go:22) [Go ")
	if ev.Body.ThreadId != two {
		t.Errorf("thread %d has stopped, not that of the first side, %d", ev.Body.ThreadId, two)
	}
	r, w := c.at(one, "main.reader", "main.go:16:3"), c.at(two, "main.clearer", "main.go:22:2")
	if r.Source.Path != filepath.Join(c.dir, "main.go") {
		t.Errorf("its source is %s", r.Source.Path)
	}
	for _, v := range []struct {
		frame       dap.StackFrame
		name, value string
	}{{r, "times", "7"}, {r, "p.no", "3"}, {w, "old", `*"hello"`}, {w, "*p.text", `"hello"`}} {
		if got := c.variable(v.frame, v.name); got != v.value {
			t.Errorf("%s in %s is %s, not %s", v.name, v.frame.Name, got, v.value)
		}
	}
	if got := ask[*dap.EvaluateResponse](c, "evaluate", map[string]any{"expression": "p.no"}).Body.Result; got != "3" {
		t.Errorf("p.no where the first side stands is %s", got)
	}
	all := ask[*dap.StackTraceResponse](c, "stackTrace", map[string]int{"threadId": two}).Body.StackFrames
	for _, f := range all {
		if strings.HasPrefix(f.Name, "hocketpoints.") {
			t.Errorf("a frame of the runtime is shown: %s", f.Name)
		}
	}
	c.goOn(two)
	ev = waitFor[*dap.StoppedEvent](c)
	if ev.Body.Reason != "exception" || !strings.Contains(ev.Body.Text, "nil pointer") || ev.Body.ThreadId != one {
		t.Errorf("the failure is %+v", ev.Body)
	}
	c.goOn(one)
	if code := waitFor[*dap.ExitedEvent](c).Body.ExitCode; code != 2 {
		t.Errorf("exit code %d", code)
	}
	waitFor[*dap.TerminatedEvent](c)
	if !strings.Contains(c.said(), "b1 was hit once") {
		t.Errorf("the console says %s", c.said())
	}
	c.end()
}

// said is what the adapter has written to the console.
func (c *client) said() string {
	var b strings.Builder
	for _, m := range c.kept {
		if o, ok := m.(*dap.OutputEvent); ok && o.Body.Category == "console" {
			b.WriteString(o.Body.Output)
		}
	}
	return b.String()
}

// TestStepsOfHeld steps goroutines that are held: they start from their
// statements, after the sides before them.
func TestStepsOfHeld(t *testing.T) {
	for _, s := range []struct {
		name, command, side string
		function            string
		line                int
	}{
		{"the first", "next", "clearer", "main.clearer", 24},
		{"out of the first", "stepOut", "clearer", "main.main.func2", 35},
		{"into the second, which fails", "stepIn", "reader", "", 0},
	} {
		t.Run(s.name, func(t *testing.T) {
			c := meet(t, "pages", clearing())
			c.start()
			waitFor[*dap.StoppedEvent](c)
			thread := c.thread(s.side)
			if m := c.answer(c.request(s.command, map[string]int{"threadId": thread}), s.command); !m.GetResponse().Success {
				t.Fatalf("%s: %s", s.command, describe([]dap.Message{m}))
			}
			ev := waitFor[*dap.StoppedEvent](c)
			switch f := c.top(ev.Body.ThreadId); {
			case s.function == "" && ev.Body.Reason != "exception":
				t.Errorf("the other side had not cleared the page: %+v at %+v", ev.Body, f)
			case s.function != "" && (ev.Body.ThreadId != thread || f.Name != s.function || f.Line != s.line):
				t.Errorf("thread %d stands in %s at line %d: %+v", ev.Body.ThreadId, f.Name, f.Line, ev.Body)
			}
			c.end()
		})
	}
}

// TestPausesOutlastStops stops at a breakpoint of the user's for much longer
// than any pause may take, while a side is postponed.
func TestPausesOutlastStops(t *testing.T) {
	o := clearing()
	o.Timeout = "300ms"
	c := meet(t, "pages", o)
	// Before the clearer gets to its side.
	c.start(dap.SetBreakpointsArguments{Source: dap.Source{Path: filepath.Join(c.dir, "main.go")}, Breakpoints: []dap.SourceBreakpoint{{Line: 21}}})
	ev := waitFor[*dap.StoppedEvent](c)
	c.at(ev.Body.ThreadId, "main.clearer", "main.go:21:0")
	time.Sleep(3 * time.Second)
	c.goOn(ev.Body.ThreadId)
	ev = waitFor[*dap.StoppedEvent](c)
	if ev.Body.Description != "b1 hit" {
		t.Errorf("stopped: %+v", ev.Body)
	}
	time.Sleep(3 * time.Second) // at the meeting
	c.goOn(ev.Body.ThreadId)
	if ev = waitFor[*dap.StoppedEvent](c); ev.Body.Reason != "exception" {
		t.Errorf("the order was not kept: %+v", ev.Body)
	}
	c.end()
}

// TestMeetsAgain is a test binary whose breakpoint may be hit three times.
func TestMeetsAgain(t *testing.T) {
	c := meet(t, "rounds", engine.AddBreakOptions{Places: []string{"rounds_test.go:12", "rounds_test.go:17"}, If: "t1.c == t2.c", AtMost: 3})
	c.start()
	for round := range 3 {
		ev := waitFor[*dap.StoppedEvent](c)
		want := "concurrent breakpoint b1 hit: (*counter).add at rounds_test.go:12 and (*counter).sub at rounds_test.go:17 meet; (*counter).add goes first"
		if ev.Body.Text != want {
			t.Fatalf("round %d: %+v", round, ev.Body)
		}
		for _, side := range []string{"(*counter).add (side 1", "(*counter).sub (side 2"} {
			if got := c.variable(c.top(c.thread(side)), "round"); got != fmt.Sprint(round) {
				t.Errorf("%s: round is %s, not %d", side, got, round)
			}
		}
		c.goOn(ev.Body.ThreadId)
	}
	if code := waitFor[*dap.ExitedEvent](c).Body.ExitCode; code != 1 {
		t.Errorf("exit code %d", code)
	}
	waitFor[*dap.TerminatedEvent](c)
	if !strings.Contains(c.output(), "FAIL: TestRounds") || !strings.Contains(c.said(), "b1 was hit 3 times") {
		t.Errorf("output %q, console %q", c.output(), c.said())
	}
	c.end()
}

// TestCrowd: of many that wait at one side, the one that has met is shown.
func TestCrowd(t *testing.T) {
	c := meet(t, "crowd", engine.AddBreakOptions{Places: []string{"main.go:17", "main.go:22"}, If: "t1.p == t2.p", Order: []int{2, 1}, Timeout: "10s"})
	c.start()
	ev := waitFor[*dap.StoppedEvent](c)
	reader, clearer := c.thread("reader (side 1 at main.go:17)"), c.thread("clearer (side 2 at main.go:22)")
	if ev.Body.ThreadId != clearer {
		t.Errorf("stopped: %+v", ev.Body)
	}
	for _, thread := range []int{reader, clearer} {
		if got := c.variable(c.top(thread), "p.no"); got != "4" {
			t.Errorf("p.no of thread %d is %s, not 4", thread, got)
		}
	}
	waiting := 0
	for _, th := range ask[*dap.ThreadsResponse](c, "threads", nil).Body.Threads {
		if strings.HasPrefix(th.Name, "reader (waits at side 1 of b1, main.go:17)") {
			waiting++
		}
	}
	if waiting != 5 {
		t.Errorf("%d readers wait, not 5", waiting)
	}
	c.end()
}

// TestOrder: the first side of an order is not held, and need not be there.
func TestOrder(t *testing.T) {
	c := meet(t, "rounds", engine.AddBreakOptions{Places: []string{"rounds_test.go:12", "rounds_test.go:17"}, Kind: "order", Order: []int{2, 1}})
	c.start()
	ev := waitFor[*dap.StoppedEvent](c)
	if !strings.Contains(ev.Body.Text, "b1 hit: ") || !strings.Contains(ev.Body.Text, "(*counter).add at rounds_test.go:12") {
		t.Errorf("stopped: %+v", ev.Body)
	}
	if passed := strings.Contains(ev.Body.Text, "side 2 has passed rounds_test.go:17"); passed {
		c.at(ev.Body.ThreadId, "rounds.(*counter).add", "rounds_test.go:12:2")
	}
	c.thread("(*counter).add (side 1 at rounds_test.go:12)")
	c.end()
}

// TestHangs: after the meeting nobody can go on; pause works, and shows where.
func TestHangs(t *testing.T) {
	c := meet(t, "transfer", engine.AddBreakOptions{Places: []string{"main.go:14", "main.go:14"}, Kind: "deadlock"})
	c.start()
	ev := waitFor[*dap.StoppedEvent](c)
	if !strings.Contains(ev.Body.Text, "transfer (goroutine ") {
		t.Errorf("equal names: %s", ev.Body.Text)
	}
	a, b := c.thread("transfer (side 1 at main.go:14)"), c.thread("transfer (side 2 at main.go:14)")
	if x, y := c.variable(c.top(a), "amount"), c.variable(c.top(b), "amount"); x == y || a == b {
		t.Errorf("both sides are one: threads %d and %d, amounts %s and %s", a, b, x, y)
	}
	c.goOn(ev.Body.ThreadId)
	ev = waitFor[*dap.StoppedEvent](c) // the runtime's deadlock detector
	if !strings.Contains(ev.Body.Text, "deadlock") {
		t.Errorf("stopped: %+v", ev.Body)
	}
	c.end()
}

// TestPauseOfHang: a program that goes on for ever after the meeting is paused,
// and shows where both are stuck.
func TestPauseOfHang(t *testing.T) {
	c := meet(t, "stalls", engine.AddBreakOptions{Places: []string{"main.go:18", "main.go:18"}, If: "t1.from == t2.to", Kind: "deadlock"})
	c.start()
	ev := waitFor[*dap.StoppedEvent](c)
	a, b := c.thread("transfer (side 1 at main.go:18)"), c.thread("transfer (side 2 at main.go:18)")
	c.goOn(ev.Body.ThreadId)
	time.Sleep(300 * time.Millisecond)
	ask[*dap.PauseResponse](c, "pause", map[string]int{"threadId": 1})
	if ev = waitFor[*dap.StoppedEvent](c); ev.Body.Reason != "pause" {
		t.Errorf("stopped: %+v", ev.Body)
	}
	for _, thread := range []int{a, b} {
		stack := ask[*dap.StackTraceResponse](c, "stackTrace", map[string]int{"threadId": thread, "levels": 20}).Body.StackFrames
		i := slices.IndexFunc(stack, func(f dap.StackFrame) bool { return f.Name == "main.transfer" })
		if i <= 0 || stack[i].Line != 18 || !strings.HasPrefix(stack[i-1].Name, "sync.(*Mutex).Lock") {
			t.Errorf("thread %d does not wait for the lock: %+v", thread, stack)
		}
	}
	c.end()
}

// TestBreakpointAtSide: the user's own breakpoint on the line of a side stops
// once, before the goroutine is held.
func TestBreakpointAtSide(t *testing.T) {
	c := meet(t, "pages", clearing())
	c.start(dap.SetBreakpointsArguments{Source: dap.Source{Path: filepath.Join(c.dir, "main.go")}, Breakpoints: []dap.SourceBreakpoint{{Line: 22}}})
	var stops []string
	for {
		ev := waitFor[*dap.StoppedEvent](c)
		if ev.Body.Reason == "exception" {
			break
		}
		f := c.top(ev.Body.ThreadId)
		stops = append(stops, fmt.Sprintf("%s:%d %t", f.Name, f.Line, strings.Contains(ev.Body.Text, "b1 hit")))
		c.goOn(ev.Body.ThreadId)
	}
	if got := strings.Join(stops, ", "); got != "main.clearer:22 false, main.clearer:22 true" {
		t.Errorf("stops: %s", got)
	}
	c.end()
}

// TestNeverMet: one side is never reached; that is said in the end.
func TestNeverMet(t *testing.T) {
	c := meet(t, "pages", engine.AddBreakOptions{Places: []string{"main.go:22", "main.go:27"}})
	c.start()
	waitFor[*dap.TerminatedEvent](c)
	if !strings.Contains(c.said(), "b1 never hit: side 2 (main.go:27) was never reached") {
		t.Errorf("the console says %s", c.said())
	}
	c.end()
}

// TestStopEachSide stops again when the first side has done its statement.
func TestStopEachSide(t *testing.T) {
	c := meet(t, "pages", clearing())
	c.configuration = map[string]any{"stopEachSide": true}
	c.start()
	ev := waitFor[*dap.StoppedEvent](c)
	c.goOn(ev.Body.ThreadId)
	ev = waitFor[*dap.StoppedEvent](c)
	if want := "concurrent breakpoint b1: clearer has done its statement at main.go:22; reader goes on next"; ev.Body.Text != want {
		t.Errorf("stopped: %+v", ev.Body)
	}
	f := c.top(ev.Body.ThreadId)
	if got := c.variable(f, "p.text"); got != "nil" && !strings.Contains(got, "nil") {
		t.Errorf("the statement is not done: p.text is %s", got)
	}
	c.at(c.thread("reader (waits at side 1"), "main.reader", "main.go:16:3")
	c.goOn(ev.Body.ThreadId)
	if ev = waitFor[*dap.StoppedEvent](c); ev.Body.Reason != "exception" {
		t.Errorf("stopped: %+v", ev.Body)
	}
	c.end()
}
