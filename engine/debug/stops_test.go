package debug

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// script writes a run down: goroutine 1 is main, names give the others.
type script struct {
	t      *trace.Trace
	stacks map[string]trace.StackID
}

func newScript(names ...string) *script {
	s := &script{t: &trace.Trace{StdRoot: "/go/src", Goroutines: make([]trace.Goroutine, 1), Stacks: [][]trace.Frame{nil}, Sites: []string{""}},
		stacks: map[string]trace.StackID{}}
	for i, n := range append([]string{"main"}, names...) {
		s.t.Goroutines = append(s.t.Goroutines, trace.Goroutine{ID: trace.GID(i + 1), Key: uint64(i + 1), Display: n})
	}
	return s
}

// at is a stack, innermost frame first: "line", "func:line", or "std" for a
// frame of the standard library. What follows a space tells instructions of
// one line apart.
func (s *script) at(stack ...string) trace.StackID {
	key := strings.Join(stack, "<")
	if id, ok := s.stacks[key]; ok {
		return id
	}
	var frames []trace.Frame
	for _, f := range stack {
		f, _, _ := strings.Cut(f, " ")
		if f == "std" {
			frames = append(frames, trace.Frame{Func: "fmt.Println", File: "/go/src/fmt/print.go", Line: 7})
			continue
		}
		fn, line, ok := strings.Cut(f, ":")
		if !ok {
			fn, line = "m.f", fn
		}
		n := 0
		fmt.Sscan(line, &n)
		frames = append(frames, trace.Frame{Func: fn, File: "/m/a.go", Line: n})
	}
	id := trace.StackID(len(s.t.Stacks))
	s.t.Stacks = append(s.t.Stacks, frames)
	s.t.Sites = append(s.t.Sites, fmt.Sprint("site", id))
	s.stacks[key] = id
	return id
}

// do adds an event; count is what the goroutine has passed then.
func (s *script) do(g trace.GID, op trace.Op, count uint32, stack ...string) *script {
	e := trace.Event{Seq: len(s.t.Events), G: g, Op: op, Count: count}
	if len(stack) > 0 {
		e.Stack = s.at(stack...)
	}
	if op == trace.OpBlock {
		e.Aux = uint64(trace.OpLock)
	}
	s.t.Events = append(s.t.Events, e)
	return s
}

// segment ends one: until is where its goroutine stops, why why.
type segment struct {
	g, to trace.GID
	at    int // events before
	until uint32
	why   run.EndReason
}

func (s *script) stops(out trace.Outcome, race *run.RacePair, segs ...segment) []string {
	s.t.Outcome = out
	r := &run.Result{Trace: s.t, Outcome: out}
	switches := map[int]trace.Switch{}
	for i, g := range segs {
		s.t.Schedule.Segments = append(s.t.Schedule.Segments, trace.Segment{G: uint64(g.g), Until: g.until})
		r.Ends = append(r.Ends, g.why)
		switches[i] = trace.Switch{From: g.g, To: g.to, At: g.at}
	}
	var lines []string
	for _, st := range Stops(r, switches, race) {
		end := ""
		if st.Failure {
			end = " !"
		}
		lines = append(lines, fmt.Sprintf("%d [%d..%d] %s%s", st.Line, st.First, st.Last, st.What, end))
	}
	return lines
}

func want(t *testing.T, got []string, lines ...string) {
	t.Helper()
	if !slices.Equal(got, lines) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(lines, "\n  "))
	}
}

// TestSwitches has one switch of each kind, then a panic.
func TestSwitches(t *testing.T) {
	s := newScript("a", "b").
		do(1, trace.OpWGAdd, 1, "5").do(1, trace.OpSpawn, 1, "6"). // stands at 6 having passed 1
		do(2, trace.OpStart, 0).do(2, trace.OpLock, 1, "20").do(2, trace.OpRead, 1, "21").
		do(1, trace.OpSpawn, 2, "7").do(1, trace.OpLock, 4, "8").do(1, trace.OpBlock, 5, "9").
		do(3, trace.OpStart, 0).do(3, trace.OpLock, 1, "20").do(3, trace.OpEnd, 1).
		do(2, trace.OpUnlock, 2, "22").do(2, trace.OpEnd, 2).
		do(1, trace.OpLock, 5, "9").do(1, trace.OpRead, 5, "10").do(1, trace.OpPanicStart, 5, "11").do(1, trace.OpPanic, 5, "11")
	got := s.stops(trace.Outcome{Kind: trace.Panicked, Goroutine: 1, Message: "panic: x"}, nil,
		segment{1, 2, 2, 1, run.Preempted}, segment{2, 1, 5, 1, run.Preempted}, segment{1, 3, 8, 5, run.Blocked},
		segment{3, 2, 11, 1, run.Ended}, segment{2, 1, 13, 2, run.Ended})
	want(t, got,
		"6 [1..1] main is stopped after this line, a goes on",
		"22 [1..1] a is stopped before this line, main goes on",
		"9 [4..4] main has to wait here, b goes on",
		// a stood at line 22 already, so b's end shows nowhere but at the next
		// line of a that has an operation: there is none.
		"10 [5..5] a has ended, main goes on",
		"11 [5..5] panic: x !")
}

// TestLineWithManyOperations: a stop is at the start of the line, whatever of
// it the goroutine is stopped at; an earlier visit of the line is another.
func TestLineWithManyOperations(t *testing.T) {
	s := newScript("a")
	for range 2 { // two visits of a line that locks and unlocks in a call
		n := uint32(2 * (len(s.t.Events) / 2))
		s.do(1, trace.OpLock, n+1, "std lock", "9").do(1, trace.OpUnlock, n+2, "std unlock", "9")
	}
	s.do(2, trace.OpStart, 0).do(2, trace.OpLock, 1, "20").
		do(1, trace.OpLock, 5, "std lock", "9").do(1, trace.OpUnlock, 6, "std unlock", "9").do(1, trace.OpTestFail, 6, "std", "10")
	at := slices.IndexFunc(s.t.Events, func(e trace.Event) bool { return e.G == 2 })
	got := s.stops(trace.Outcome{Kind: trace.TestFailed, Goroutine: 1, Message: "bad"}, nil,
		segment{1, 2, at - 1, 3, run.Preempted}) // before the second visit's unlock
	want(t, got, "9 [2..2] main is stopped before this line, a goes on", "10 [6..6] bad !")
}

// TestCondWait: waiting for the lock again after a signal is the same visit of
// the line as waiting for the signal.
func TestCondWait(t *testing.T) {
	s := newScript("a").
		do(1, trace.OpRead, 1, "7").do(1, trace.OpCondWait, 2, "8").do(1, trace.OpUnlock, 3, "8").do(1, trace.OpBlock, 3, "8").
		do(2, trace.OpStart, 0).do(2, trace.OpLock, 1, "20").do(2, trace.OpSignal, 2, "21").
		do(1, trace.OpCondWake, 3, "8").do(1, trace.OpBlock, 4, "8").
		do(2, trace.OpUnlock, 3, "22").do(2, trace.OpEnd, 3).
		do(1, trace.OpLock, 4, "8").do(1, trace.OpRead, 4, "7").do(1, trace.OpPanicStart, 4, "9")
	for i := range s.t.Events {
		s.t.Events[i].Obj = map[trace.Op]trace.ObjID{trace.OpCondWait: 1, trace.OpCondWake: 1, trace.OpLock: 2, trace.OpUnlock: 2}[s.t.Events[i].Op]
	}
	s.t.Events[3].Obj, s.t.Events[8].Obj = 1, 2
	got := s.stops(trace.Outcome{Kind: trace.Panicked, Goroutine: 1, Message: "panic: x"}, nil,
		segment{1, 2, 4, 3, run.Blocked}, segment{2, 1, 7, 2, run.Preempted}, segment{1, 2, 9, 4, run.Blocked}, segment{2, 1, 11, 3, run.Ended})
	want(t, got,
		"8 [1..1] main has to wait here, a goes on",
		"22 [2..2] a is stopped before this line, main goes on",
		"7 [4..4] a has ended, main goes on",
		"9 [4..4] panic: x !")
}

func TestDeferredAndPending(t *testing.T) {
	s := newScript("a").
		do(1, trace.OpLock, 1, "5").
		do(2, trace.OpStart, 0).do(2, trace.OpLock, 1, "20").do(2, trace.OpPanicStart, 1, "21").
		do(1, trace.OpUnlock, 2, "m.f.deferwrap1:4", "std", "m.f:12")
	got := s.stops(trace.Outcome{Kind: trace.Panicked, Goroutine: 2, Message: "panic: y"}, nil, segment{1, 2, 1, 1, run.Preempted})
	want(t, got, "4 [1..1] main is stopped before this line, a goes on", "21 [1..1] panic: y !")

	s = newScript("a").do(1, trace.OpLock, 1, "5").do(2, trace.OpStart, 0).do(2, trace.OpPanicStart, 0, "21")
	s.t.Pending = []trace.Event{{G: 1, Op: trace.OpUnlock, Count: 1, Stack: s.at("6")}}
	got = s.stops(trace.Outcome{Kind: trace.Panicked, Goroutine: 2, Message: "panic: z"}, nil, segment{1, 2, 1, 1, run.Preempted})
	want(t, got, "6 [1..1] main is stopped before this line, a goes on", "21 [0..0] panic: z !")
}

func TestDeadlock(t *testing.T) {
	s := newScript("a", "b").
		do(2, trace.OpStart, 0).do(2, trace.OpLock, 1, "20").
		do(3, trace.OpStart, 0).do(3, trace.OpLock, 1, "30").do(3, trace.OpBlock, 2, "31").
		do(2, trace.OpBlock, 2, "21")
	out := trace.Outcome{Kind: trace.Deadlocked, Message: "all asleep", Blocked: []trace.Blocked{{G: 2}, {G: 3}}}
	got := s.stops(out, nil, segment{2, 3, 2, 1, run.Preempted}, segment{3, 2, 5, 2, run.Blocked})
	want(t, got,
		"21 [1..1] a is stopped before this line, b goes on; later a will wait here for ever",
		"31 [1..1] b has to wait here, a goes on; b will wait here for ever")
	end := EndOf(&run.Result{Outcome: out}, nil)
	if end == nil || end.Condition != "status == 3" || end.What != "deadlock: all asleep" {
		t.Errorf("end %+v", end)
	}
	if end := EndOf(&run.Result{Outcome: trace.Outcome{Kind: trace.Panicked}}, nil); end != nil {
		t.Errorf("a panic ends at %+v", end)
	}
}

// TestRace stops before both accesses; hot ones are switch points themselves.
func TestRace(t *testing.T) {
	s := newScript("a")
	s.at("9") // of main
	s.t.Schedule.Hot = []string{fmt.Sprint("site", s.at("30"))}
	s.do(1, trace.OpWrite, 0, "9").do(2, trace.OpStart, 0).do(2, trace.OpRead, 1, "30").do(2, trace.OpEnd, 1)
	s.t.Races = []trace.Race{{First: trace.Access{G: 1, Write: true, Seq: -1, Stack: s.at("9")}, Second: trace.Access{G: 2, Seq: 2, Stack: s.at("30")}}}
	pair := run.RacePair{FirstWrite: true}
	pair.First, _ = s.t.UserFrame(s.at("9"))
	pair.Second, _ = s.t.UserFrame(s.at("30"))
	got := s.stops(trace.Outcome{Kind: trace.Raced}, &pair)
	want(t, got, "9 [0..0] main writes here first", "30 [0..0] a reads here too, and nothing orders the two: a data race !")
}

// TestMachinery: switches between goroutines without code of the user's are none.
func TestMachinery(t *testing.T) {
	s := newScript("a").do(1, trace.OpBlock, 1, "std").do(2, trace.OpStart, 0).do(2, trace.OpTestFail, 0, "std", "5").do(2, trace.OpEnd, 0).do(1, trace.OpRecv, 1, "std")
	got := s.stops(trace.Outcome{Kind: trace.TestFailed, Message: "bad"}, nil, segment{1, 2, 1, 1, run.Blocked}, segment{2, 1, 4, 0, run.Ended})
	want(t, got, "5 [0..0] bad !")
}

func TestBreakpoints(t *testing.T) {
	stops := []Stop{{File: "a.go", Line: 3, G: 2, First: 4, Last: 4}, {File: "b.go", Line: 3, G: 1}, {File: "a.go", Line: 3, G: 3, First: 1, Last: 2}}
	bs := Breakpoints(stops)
	if len(bs) != 2 || !slices.Equal(bs[0].Stops, []int{0, 2}) || bs[0].HitCondition() != "<= 2" {
		t.Fatalf("%+v", bs)
	}
	const cond = "runtime.curg.hk.id == 2 && runtime.curg.hk.cnt == 4 || runtime.curg.hk.id == 3 && runtime.curg.hk.cnt >= 1 && runtime.curg.hk.cnt <= 2"
	if bs[0].Condition != cond {
		t.Error(bs[0].Condition)
	}
	if s := stops[2]; !s.Matches(3, 2) || s.Matches(3, 3) || s.Matches(2, 2) {
		t.Error("Matches and Condition differ")
	}
}
