package postmortem

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/trace"
)

const indexed = `package p

func F(a []int, m map[string]int, c chan int) {
	if len(a) == 0 {
		return
	}
	for i, x := range a {
		if x > 1 &&
			x < 9 {
			g(i)
		} else {
			g(x)
		}
		for k := 0; k < x; k++ {
			if k == 3 {
				continue
			}
			g(k)
		}
	}
	switch {
	case len(m) > 1:
		g(1)
	default:
		g(2)
	}
	select {
	case <-c:
		g(3)
	}
	for j := range a {
		if j > 3 {
			if j > 4 {
				return
			}
		}
	}
	func() {
		if m == nil {
			g(4)
		}
	}()
	g(5)
}

func g(int) {}
`

// The dependences of a line are those of the structure around it, and of what leaves the
// block before it.
func TestDependences(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(indexed), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line int
		want []string
		open int
	}{
		{4, nil, 0},
		{5, []string{"if:4T"}, 0},
		{7, []string{"if:4F"}, 0},
		{9, []string{"if:4F", "for:7T"}, 0},
		{10, []string{"if:4F", "for:7T", "if:8T"}, 0},
		{12, []string{"if:4F", "for:7T", "if:8F"}, 0},
		{18, []string{"if:4F", "for:7T", "for:14T", "if:15F"}, 0},
		{23, []string{"if:4F", "case:21T"}, 0},
		{29, []string{"if:4F", "select:27T"}, 0},
		{40, []string{"if:39T"}, 0},
		{43, []string{"if:4F"}, 1}, // the loop before may return, by two conditions
	} {
		x := IndexOf([]dump.Frame{{Func: "p.F", File: file, Line: c.line}}, anywhere)
		var got []string
		for _, p := range x[0].Predicates {
			got = append(got, p.String())
		}
		if !slices.Equal(got, c.want) || x[0].Open != c.open {
			t.Errorf("line %d depends on %v and %d unknown, want %v and %d", c.line, got, x[0].Open, c.want, c.open)
		}
	}
	x := IndexOf([]dump.Frame{{Func: "p.F", File: file, Line: 18}}, anywhere)
	if a, b := x[0].Predicates[1].Counter, x[0].Predicates[2].Counter; a != "i" || b != "k" {
		t.Errorf("the loops count by %q and %q", a, b)
	}
	if x := IndexOf([]dump.Frame{{Func: "p.F", File: "/nowhere/p.go", Line: 18}}, anywhere); len(x) != 1 || len(x[0].Predicates) != 0 {
		t.Errorf("a source that is not there gave %v", x)
	}
}

// An operation is the nearer, the more calls and predicates it has in common.
func TestNearness(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(indexed), 0o600); err != nil {
		t.Fatal(err)
	}
	x := IndexOf([]dump.Frame{{Func: "p.g", File: file, Line: 46}, {Func: "p.F", File: file, Line: 10}}, anywhere)
	at := func(lines ...int) nearness {
		var frames []trace.Frame
		for i, l := range lines {
			frames = append(frames, trace.Frame{Func: []string{"p.F", "p.g"}[i], File: file, Line: l})
		}
		slices.Reverse(frames)
		return nearnessOf(frames, x)
	}
	order := [][]int{{4}, {7}, {18}, {8}, {10}, {10, 46}}
	for i := 1; i < len(order); i++ {
		if a, b := at(order[i-1]...), at(order[i]...); !a.less(b) {
			t.Errorf("lines %v (%+v) are not farther than %v (%+v)", order[i-1], a, order[i], b)
		}
	}
	if !at(10, 46).exact || at(10).exact {
		t.Error("exact is wrong")
	}
}

// made is a trace of two goroutines of main: the first reads x under a lock and reads y,
// the second writes x.
func made() *trace.Trace {
	t := &trace.Trace{
		Goroutines: []trace.Goroutine{{}, {ID: 1, Path: "0", Key: 10}, {ID: 2, Parent: 1, Key: 20}, {ID: 3, Parent: 1, Key: 30}},
		Objects:    []trace.Object{{}, {ID: 1, Addr: 0x100, Size: 8}, {ID: 2, Addr: 0x200, Size: 8}, {ID: 3, Addr: 0x300, Size: 8}},
		Stacks:     [][]trace.Frame{nil}, Sites: []string{""},
	}
	add := func(g trace.GID, op trace.Op, obj trace.ObjID, count uint32, aux uint64) {
		t.Events = append(t.Events, trace.Event{Seq: len(t.Events), G: g, Op: op, Obj: obj, Count: count, Aux: aux})
	}
	add(1, trace.OpSpawn, 0, 1, 2)
	add(1, trace.OpSpawn, 0, 2, 3)
	add(2, trace.OpStart, 0, 0, 0)
	add(2, trace.OpLock, 3, 1, 0)
	add(2, trace.OpRead, 1, 1, 8)
	add(2, trace.OpUnlock, 3, 2, 0)
	add(2, trace.OpRead, 2, 2, 8)
	add(2, trace.OpEnd, 0, 3, 0)
	add(3, trace.OpStart, 0, 0, 0)
	add(3, trace.OpLock, 3, 1, 0)
	add(3, trace.OpWrite, 1, 1, 8)
	add(3, trace.OpUnlock, 3, 2, 0)
	add(3, trace.OpEnd, 0, 3, 0)
	t.Schedule.Segments = []trace.Segment{{G: 10, Until: 3}, {G: 20, Until: 3}, {G: 30, Until: 3}}
	return t
}

// The first attempt lets the writer go on before the block that uses the variable.
func TestSchedules(t *testing.T) {
	tr := made()
	x := Difference{Path: "x", Shared: true, addr: 0x100, size: 8}
	p := newPlanner(tr, 6, []Difference{x}, false)
	for _, by := range []Priority{Temporal, Dependence} {
		got := p.schedules(by, 10)
		if len(got) != 1 {
			t.Fatalf("%s: %d schedules, want 1: only one block uses x", by, len(got))
		}
		want := []trace.Segment{{G: 10, Until: 3}, {G: 20, Until: 0}, {G: 30, Until: 1<<32 - 1}}
		if !slices.Equal(got[0].Segments, want) {
			t.Errorf("%s: %v, want %v", by, got[0].Segments, want)
		}
	}
	near := p.schedules(Both, 10)
	first := func(s trace.Schedule) string { return fmt.Sprint(s.Segments) }
	if len(near) < 2 || first(near[0]) == first(near[1]) {
		t.Errorf("%d schedules with the points near the aligned one", len(near))
	}
	if all := p.schedules(Both, 1); len(all) != 1 || first(all[0]) != first(near[0]) {
		t.Error("a bound changes what is first")
	}
}

func TestCompare(t *testing.T) {
	tr := made()
	value := func(path, text string, addr uint64) core.Value {
		return core.Value{Path: path, Text: text, Addr: addr, Size: 8}
	}
	c := compare([]core.Value{value("x", "1", 0), value("y", "2", 0), value("z", "3", 0), value("gone", "4", 0)},
		[]core.Value{value("x", "2", 0x100), value("y", "3", 0x200), value("z", "3", 0x300), value("new", "4", 0)}, tr)
	if c.Compared != 3 || c.Shared != 2 || len(c.Differences) != 2 {
		t.Errorf("%+v", c)
	}
	if csv := c.Critical(); len(csv) != 1 || csv[0].Path != "x" || csv[0].Core != "1" || csv[0].Passing != "2" {
		t.Errorf("critical: %+v", csv)
	}
}

func anywhere(dump.Frame) bool { return true }

// Sources outside the module are not opened, whatever an executable says they are.
func TestIndexOpensOwnSources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(indexed), 0o600); err != nil {
		t.Fatal(err)
	}
	f := Failed{Package: func(p string) bool { return p == "example.com/own" }}
	for fn, want := range map[string]bool{"example.com/own.F": true, "example.com/own_test.F": true, "example.com/other.F": false} {
		x := IndexOf([]dump.Frame{{Func: fn, File: file, Line: 10}}, f.isOpened)
		if got := len(x[0].Predicates) > 0; got != want {
			t.Errorf("%s: sources read: %v", fn, got)
		}
	}
}

// Many critical variables and many goroutines are a matter of a moment.
func TestManyCandidates(t *testing.T) {
	tr := &trace.Trace{}
	var critical []Difference
	for i := range uint64(20_000) {
		critical = append(critical, Difference{addr: 8 * (i + 1), size: 8, Shared: true})
	}
	const goroutines, rounds = 200, 40
	tr.Objects = append(tr.Objects, trace.Object{})
	for g := range goroutines {
		tr.Goroutines = append(tr.Goroutines, trace.Goroutine{ID: trace.GID(g + 1), Key: uint64(g)})
	}
	for i := range 50 {
		tr.Objects = append(tr.Objects, trace.Object{Addr: uint64(8 * (i + 1))})
	}
	for r := range rounds {
		for g := range goroutines {
			tr.Events = append(tr.Events, trace.Event{G: trace.GID(g + 1), Count: uint32(r + 1), Op: trace.OpWrite, Obj: trace.ObjID(1 + (r+g)%50)})
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p := newPlanner(tr, len(tr.Events)/2, critical, false)
	got := p.schedules(Both, 256)
	runtime.ReadMemStats(&after)
	if len(got) != 256 {
		t.Errorf("%d schedules", len(got))
	}
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 300 {
		t.Errorf("%d MB allocated", mb)
	}
}
