package recordings

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/record/play"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

var key0, key1 = keyOf("0"), keyOf("0.1")

func keyOf(path string) uint64 {
	key, _ := trace.KeyOfPath(path)
	return key
}

// sorted are orders as direct returns them.
func sorted(orders ...run.Order) []run.Order {
	slices.SortFunc(orders, func(a, b run.Order) int { return cmp.Compare(a.G, b.G) })
	return orders
}

// traceOf is a trace of events that are each of a goroutine and at a line of a.go.
func traceOf(events ...trace.Event) *trace.Trace {
	t := &trace.Trace{Goroutines: []trace.Goroutine{{}, {ID: 1, Path: "0", Key: key0}, {ID: 2, Path: "0.1", Key: key1}}, Stacks: [][]trace.Frame{nil}}
	for _, e := range events {
		t.Stacks = append(t.Stacks, []trace.Frame{{Func: "m.f", File: "/other/a.go", Line: int(e.Stack)}})
		e.Seq, e.Stack = len(t.Events), trace.StackID(len(t.Stacks)-1)
		t.Events = append(t.Events, e)
	}
	return t
}

// Orders of operations that the control build has no hook at, or that are the standard
// library's, are asked of the nearest operations that have a match.
func TestDirect(t *testing.T) {
	step := func(kind record.Kind, line int) play.Step {
		s := play.Step{Kind: kind, Case: -1, Line: line, Direct: line > 0}
		if line > 0 {
			s.File = "/src/a.go"
		}
		return s
	}
	sel := step(rt.KindSelect, 12)
	sel.Case = 1
	d := &director{
		run: &record.Run{Threads: []record.Thread{
			{Name: "0", Parent: -1, Ops: 4, Records: []record.Record{
				{At: 2, Kind: rt.KindLock, From: 1, FromOp: 1},   // both have a match
				{At: 3, Kind: rt.KindAtomic, From: 1, FromOp: 0}, // nothing matched up to it
			}},
			{Name: "0.1", Parent: 0, Ops: 3, Records: []record.Record{
				{At: 0, Kind: rt.KindPool, From: 0, FromOp: 1}, // neither has: the next, after the last
				{At: 2, Kind: rt.KindSelect, From: -1, Value: 1},
			}},
		}},
		steps: [][]play.Step{
			{step(rt.KindLock, 10), step(rt.KindPool, 0), step(rt.KindLock, 11), step(rt.KindAtomic, 11)},
			{step(rt.KindPool, 0), step(rt.KindRecv, 9), sel},
		},
	}
	tr := traceOf(
		trace.Event{G: 1, Op: trace.OpLock, Stack: 10, Count: 1},
		trace.Event{G: 1, Op: trace.OpUnlock, Stack: 10, Count: 2},
		trace.Event{G: 2, Op: trace.OpBlock, Aux: uint64(trace.OpRecv), Stack: 9, Count: 5},
		trace.Event{G: 1, Op: trace.OpLock, Stack: 11, Count: 4},
		trace.Event{G: 2, Op: trace.OpRecv, Stack: 9, Count: 5},
		trace.Event{G: 2, Op: trace.OpSelect, Stack: 12, Count: 7},
	)
	orders, choices, n := d.direct(tr)
	want := sorted(
		run.Order{G: key0, Count: 4, After: key1, AfterCount: 5},
		run.Order{G: key1, Count: 5, After: key0, AfterCount: 1},
	)
	if !slices.Equal(orders, want) || n != 4 {
		t.Errorf("%d matches, orders %+v, want %+v", n, orders, want)
	}
	if !slices.Equal(choices, []trace.Choice{{G: key1, Count: 7, Case: 1}}) {
		t.Errorf("choices %+v", choices)
	}
}

// A controlled run is along the recorded one if its orders of the program's own statements
// hold, and its selects took the recorded cases.
func TestHolds(t *testing.T) {
	lock := func(line int) play.Step { return play.Step{Kind: rt.KindLock, Case: -1, File: "/src/a.go", Line: line} }
	sel := play.Step{Kind: rt.KindSelect, Case: 1, File: "/src/a.go", Line: 12}
	d := &director{
		run: &record.Run{Threads: []record.Thread{
			{Name: "0", Parent: -1, Ops: 2, Records: []record.Record{{At: 0, Kind: rt.KindLock, From: 1, FromOp: 0}}},
			{Name: "0.1", Parent: 0, Ops: 2},
		}},
		steps: [][]play.Step{{lock(10), sel}, {lock(20), lock(21)}},
	}
	mine := trace.Event{G: 1, Op: trace.OpLock, Stack: 10, Count: 1}
	wait := trace.Event{G: 1, Op: trace.OpBlock, Aux: uint64(trace.OpLock), Stack: 10, Count: 1}
	others := trace.Event{G: 2, Op: trace.OpLock, Stack: 20, Count: 1}
	chosen := func(c uint64) trace.Event {
		return trace.Event{G: 1, Op: trace.OpSelect, Stack: 12, Count: 2, Value: c}
	}
	for name, c := range map[string]struct {
		events []trace.Event
		want   bool
	}{
		"in order":            {[]trace.Event{others, mine, chosen(1)}, true},
		"waited for it":       {[]trace.Event{wait, others, mine, chosen(1)}, true},
		"the other way":       {[]trace.Event{mine, others, chosen(1)}, false},
		"another case":        {[]trace.Event{others, mine, chosen(0)}, false},
		"did not come there":  {[]trace.Event{others, chosen(1)}, false},
		"nobody before it":    {[]trace.Event{mine, chosen(1)}, false},
		"nothing of that run": {nil, false},
	} {
		if got := d.holds(traceOf(c.events...)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A Wait that waits counts from when it begins; that it goes on is no step that a
// controlled run has.
func TestHoldsAWait(t *testing.T) {
	step := func(kind record.Kind, line int) play.Step {
		return play.Step{Kind: kind, Case: -1, File: "/src/a.go", Line: line}
	}
	d := &director{
		run: &record.Run{Threads: []record.Thread{
			{Name: "0", Parent: -1, Ops: 2, Records: []record.Record{{At: 1, Kind: rt.KindWoke, From: 1, FromOp: 0}}},
			{Name: "0.1", Parent: 0, Ops: 1, Records: []record.Record{{At: 0, Kind: rt.KindGroup, From: 0, FromOp: 0}}},
		}},
		steps: [][]play.Step{{step(rt.KindGroup, 10), step(rt.KindWoke, 10)}, {step(rt.KindGroup, 20)}},
	}
	waits := trace.Event{G: 1, Op: trace.OpBlock, Aux: uint64(trace.OpWGWait), Stack: 10, Count: 1}
	done := trace.Event{G: 2, Op: trace.OpWGDone, Stack: 20, Count: 1}
	wait := trace.Event{G: 1, Op: trace.OpWGWait, Stack: 10, Count: 1}
	if !d.holds(traceOf(waits, done, wait)) {
		t.Error("it waited, as in the recorded run")
	}
	if d.holds(traceOf(done, wait)) {
		t.Error("it did not wait, as it did in the recorded run")
	}
}

func TestGoflags(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	got := goflags([]string{"-overlay=/x/o.json", "-toolexec='/a b/hocket' record-tool", "-count=1"})
	if want := `-mod=mod -overlay=/x/o.json "-toolexec='/a b/hocket' record-tool" -count=1`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Of the calls of one Once, the one that ran the function comes first, and has set it done
// before others look. Operations that follow are counted as if it had been so already.
func TestDirectsOnces(t *testing.T) {
	once := play.Step{Kind: rt.KindOnce, Case: -1, File: "/src/a.go", Line: 10, Direct: true}
	lock := play.Step{Kind: rt.KindLock, Case: -1, File: "/src/a.go", Line: 11, Direct: true}
	d := &director{
		run: &record.Run{Threads: []record.Thread{
			{Name: "0", Parent: -1, Ops: 2},
			{Name: "0.1", Parent: 0, Ops: 2, Records: []record.Record{
				{At: 0, Kind: rt.KindOnce, From: -1, Value: 1},
				{At: 1, Kind: rt.KindLock, From: 0, FromOp: 1},
			}},
		}},
		steps: [][]play.Step{{once, lock}, {once, lock}},
	}
	orders, _, n := d.direct(traceOf(
		trace.Event{G: 1, Op: trace.OpOnceLoad, Obj: 3, Stack: 10, Count: 1},
		trace.Event{G: 1, Op: trace.OpLock, Obj: 3, Stack: 10, Count: 2},
		trace.Event{G: 1, Op: trace.OpOnceLoad, Obj: 3, Stack: 10, Count: 2},
		trace.Event{G: 1, Op: trace.OpOnceDo, Obj: 3, Stack: 10, Count: 4, Value: 1},
		trace.Event{G: 1, Op: trace.OpLock, Stack: 11, Count: 5},
		trace.Event{G: 2, Op: trace.OpOnceLoad, Obj: 3, Stack: 10, Count: 7},
		trace.Event{G: 2, Op: trace.OpOnceDo, Obj: 3, Stack: 10, Count: 7},
		trace.Event{G: 2, Op: trace.OpLock, Stack: 11, Count: 8},
	))
	want := sorted(
		run.Order{G: key0, Count: 1, After: key1, AfterCount: 10},
		run.Order{G: key1, Count: 11, After: key0, AfterCount: 2},
	)
	if !slices.Equal(orders, want) || n != 4 {
		t.Errorf("%d matches, orders %+v, want %+v", n, orders, want)
	}
}

// Who must wait for a goroutine that a timer starts does so before it makes a timer itself;
// but not before what the other one needs, or a select, which may have waited.
func TestWaitsBeforeTimers(t *testing.T) {
	step := func(kind record.Kind, line int) play.Step {
		return play.Step{Kind: kind, Case: -1, File: "/src/a.go", Line: line, Direct: true}
	}
	d := &director{steps: [][]play.Step{{step(rt.KindLock, 1), step(rt.KindClock, 2), step(rt.KindLock, 3), step(rt.KindLock, 4)}, {step(rt.KindLock, 5)}}}
	tr := traceOf(
		trace.Event{G: 1, Op: trace.OpLock, Stack: 1, Count: 1},
		trace.Event{G: 1, Op: trace.OpLock, Stack: 3, Count: 3},
		trace.Event{G: 1, Op: trace.OpLock, Stack: 4, Count: 5},
	)
	order := record.Record{At: 3, Kind: rt.KindLock, From: 1, FromOp: 0}
	for _, c := range []struct {
		name  string
		other []record.Record
		kind  record.Kind // of the step after the timer
		want  uint32
	}{
		{"free", nil, rt.KindLock, 3},
		{"needed before", []record.Record{{At: 0, Kind: rt.KindLock, From: 0, FromOp: 0}}, rt.KindLock, 3},
		{"needed after", []record.Record{{At: 0, Kind: rt.KindLock, From: 0, FromOp: 2}}, rt.KindLock, 5},
		{"select", nil, rt.KindSelect, 5},
	} {
		d.run = &record.Run{Threads: []record.Thread{{Name: "0", Parent: -1, Ops: 4, Records: []record.Record{order}}, {Name: "0.t1.1", Parent: 0, Ops: 1, Records: c.other}}}
		d.steps[0][2].Kind = c.kind
		orders, _, _ := d.direct(tr)
		want := run.Order{G: key0, Count: c.want, After: keyOf("0.t1.1"), AfterCount: 1}
		if !slices.Contains(orders, want) {
			t.Errorf("%s: orders %+v, want %+v", c.name, orders, want)
		}
	}
}

// Where a controlled run left the recorded way, the operations that follow have the counts
// that they will have on the recorded one, as far apart as the statements were seen to be.
func TestForesees(t *testing.T) {
	a := play.Step{Kind: rt.KindLock, Case: -1, File: "/src/a.go", Line: 10, Direct: true}
	b := play.Step{Kind: rt.KindLock, Case: -1, File: "/src/a.go", Line: 11, Direct: true}
	std := play.Step{Kind: rt.KindAtomic, Case: -1, File: "/src/a.go", Line: 11} // which a controlled run does not have
	d := &director{
		run: &record.Run{Threads: []record.Thread{
			{Name: "0", Parent: -1, Ops: 4, Records: []record.Record{{At: 3, Kind: rt.KindLock, From: 1, FromOp: 0}}},
			{Name: "0.1", Parent: 0, Ops: 3},
		}},
		steps: [][]play.Step{{a, b, std, a}, {a, b, a}},
	}
	lock := func(g trace.GID, line int, count uint32) trace.Event {
		return trace.Event{G: g, Op: trace.OpLock, Stack: trace.StackID(line), Count: count}
	}
	for _, c := range []struct {
		name   string
		events []trace.Event
		want   uint32
	}{
		{"the way of the recorded run", []trace.Event{lock(1, 10, 1), lock(1, 11, 4), lock(1, 10, 6), lock(2, 10, 1)}, 6},
		{"one operation more", []trace.Event{lock(1, 10, 1), lock(1, 11, 4), lock(1, 11, 7), lock(1, 10, 9), lock(2, 10, 1)}, 5},
		{"not come to it", []trace.Event{lock(1, 10, 1), lock(2, 10, 1), lock(2, 11, 4), lock(2, 10, 7)}, 7},
	} {
		orders, _, _ := d.direct(traceOf(c.events...))
		want := run.Order{G: key0, Count: c.want, After: key1, AfterCount: 1}
		if !slices.Contains(orders, want) {
			t.Errorf("%s: orders %+v, want %+v", c.name, orders, want)
		}
	}
}

// What a goroutine had still to do when the recorded run ended comes once nobody else can
// go on.
func TestUnfinished(t *testing.T) {
	a := play.Step{Kind: rt.KindLock, Case: -1, File: "/src/a.go", Line: 10, Direct: true}
	d := &director{
		run:   &record.Run{Threads: []record.Thread{{Name: "0", Parent: -1, Ops: 1}, {Name: "0.1", Parent: 0, Ops: 1}}},
		steps: [][]play.Step{{a}, {a}},
	}
	orders, _, _ := d.direct(traceOf(
		trace.Event{G: 1, Op: trace.OpLock, Stack: 10, Count: 1},
		trace.Event{G: 2, Op: trace.OpLock, Stack: 10, Count: 1},
		trace.Event{G: 2, Op: trace.OpUnlock, Stack: 10, Count: 2},
		trace.Event{G: 2, Op: trace.OpBlock, Aux: uint64(trace.OpLock), Stack: 12, Count: 3},
	))
	want := []run.Order{{G: key1, Count: 3, After: key0, AfterCount: math.MaxUint32}}
	if !slices.Equal(orders, want) {
		t.Errorf("orders %+v, want %+v", orders, want)
	}
}
