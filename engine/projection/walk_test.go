package projection

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// walkOf is the walk through the runs of a fixture, and its explanation.
func walkOf(t testing.TB, fx *fixture) (*Walk, *Projection) {
	p := Project(fx.input)
	return NewWalk(WalkInput{Rows: p.Rows, Fail: fx.input.Fail, Pass: p.Pass, Roots: fx.input.Roots, Files: fx.input.Files}), p
}

// TestWalkTellsTheTable: in the walk through every fixture all rows of the explanation
// are steps, at the same place and with the same words, in the order of their runs.
func TestWalkTellsTheTable(t *testing.T) {
	for _, name := range []string{"seatgate", "arithmix", "ledgerlocks", "blockpipe", "sinkclose", "doneselect", "notifyhold"} {
		fx := load(t, "testdata/"+name+".txtar")
		w, p := walkOf(t, fx)
		v := w.View(nil)
		rows := func(steps []WalkStep) (out []int) {
			for i, s := range steps {
				if s.Row > 0 {
					out = append(out, s.Row)
				}
				if i > 0 && s.Number <= max(steps[i-1].Number, steps[i-1].Until) {
					t.Errorf("%s: step %d follows %+v", name, s.Number, steps[i-1])
				}
			}
			return out
		}
		failing, passing := rows(v.Failing), rows(v.Passing)
		for i, r := range p.Rows {
			if in := slices.Contains(failing, i+1); in != (r.Role != OnlyPassing && (r.Event > 0 || r.Role == Waits)) {
				t.Errorf("%s: row %d %+v is a step of the failing run: %v", name, i+1, r, in)
			}
			if in := slices.Contains(passing, i+1); in != (r.PassOrder > 0) {
				t.Errorf("%s: row %d %+v is a step of the passing run: %v", name, i+1, r, in)
			}
		}
		for _, s := range append(v.Failing, v.Passing...) {
			if s.IsFold() {
				continue
			}
			if s.Row > 0 && (s.Line != p.Rows[s.Row-1].Line || s.Code != p.Rows[s.Row-1].Code) {
				t.Errorf("%s: %+v is row %+v", name, s, p.Rows[s.Row-1])
			}
			if s.File == "" || s.Line == 0 || s.Happens == "" || v.Lanes[s.Lane] != s.Goroutine {
				t.Errorf("%s: step %+v of lanes %v", name, s, v.Lanes)
			}
		}
	}
}

// TestWalkSteps: what is said of steps that are in no row.
func TestWalkSteps(t *testing.T) {
	fx := load(t, "testdata/seatgate.txtar")
	w, _ := walkOf(t, fx)
	v := w.View([]WalkRange{{From: 1, To: 1000}, {Passing: true, From: -5, To: 1000}, {From: 7, To: 2}})
	var text strings.Builder
	for _, s := range v.Failing {
		fmt.Fprintf(&text, "%s %d: %s: %s [%v %s] from %d switch %d\n", s.Goroutine, s.Line, s.Code, s.Happens, s.Differs, s.Other, s.From, s.Switch)
		if s.IsFold() {
			t.Errorf("all are open, but %+v", s)
		}
	}
	if len(v.Failing) != v.Steps.Failing || len(v.Passing) != v.Steps.Passing {
		t.Errorf("%d of %d, %d of %d steps", len(v.Failing), v.Steps.Failing, len(v.Passing), v.Steps.Passing)
	}
	t.Log("\n" + text.String())
	if len(v.Switches) == 0 {
		t.Fatal("no switch")
	}
	for _, s := range v.Switches {
		if s.After == 0 || s.Before == 0 {
			continue
		}
		after, before := v.Failing[s.After-1], v.Failing[s.Before-1]
		if after.Goroutine != s.From || before.Goroutine != s.To || before.Switch != s.Number || after.Number >= before.Number {
			t.Errorf("switch %+v: from %+v to %+v", s, after, before)
		}
	}
}

// long is a run of n rounds in which two goroutines take turns.
func long(t testing.TB, n int) *trace.Trace {
	var b strings.Builder
	b.WriteString("main spawn a a.go:3\nmain spawn b a.go:4\n")
	for range n {
		b.WriteString("a write x=1 a.go:7\nb read x=1 a.go:9\n")
	}
	tr, err := tracetest.Build(b.String(), tracetest.Options{Dir: "/src/", FuncAt: func(string, int) string { return "main.f" }})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestWalkOfALongRun: 10,000 events are folded, and looked at in time that nobody notices.
func TestWalkOfALongRun(t *testing.T) {
	tr := long(t, 5000)
	w := NewWalk(WalkInput{Fail: tr, Pass: tr})
	start := time.Now()
	v := w.View(nil)
	took := time.Since(start)
	if len(v.Failing) > 3*maxShown {
		t.Errorf("%d steps are shown", len(v.Failing))
	}
	covered := 0
	for _, s := range v.Failing {
		covered += max(s.Until-s.Number, 0) + 1
	}
	if covered != v.Steps.Failing || covered < 10000 {
		t.Errorf("steps and folds cover %d of %d", covered, v.Steps.Failing)
	}
	t.Logf("%d steps as %d, in %v", v.Steps.Failing, len(v.Failing), took)
}

// Steps that are made of the table alone are counted in their own runs, and lead to each
// other.
func TestWalkOfTable(t *testing.T) {
	v := WalkOfTable(&Projection{Rows: []Row{
		{Goroutine: "a", Line: 1, PassOrder: 2},
		{Goroutine: "b", Line: 2, Role: OnlyPassing, PassOrder: 1},
		{Goroutine: "a", Line: 3, From: 1, PassOrder: 3, PassFrom: 2},
		{Goroutine: "b", Line: 4, Role: Fails},
	}})
	brief := func(steps []WalkStep) (out []string) {
		for _, s := range steps {
			out = append(out, fmt.Sprintf("%d: line %d, twin %d, from %d", s.Number, s.Line, s.Twin, s.From))
		}
		return out
	}
	if got, want := brief(v.Failing), []string{"1: line 1, twin 2, from 0", "2: line 3, twin 3, from 1", "3: line 4, twin 0, from 0"}; !slices.Equal(got, want) {
		t.Errorf("failing: %q", got)
	}
	if got, want := brief(v.Passing), []string{"1: line 2, twin 0, from 0", "2: line 1, twin 1, from 0", "3: line 3, twin 2, from 1"}; !slices.Equal(got, want) {
		t.Errorf("passing: %q", got)
	}
	if v.Steps.Failing != 3 || v.Steps.Passing != 3 {
		t.Errorf("%+v", v.Steps)
	}
}

// What a WaitGroup's Go does in the goroutine that it starts is at the line that started
// that one, though all of them do it by the same code.
func TestWalkOfWaitGroupGo(t *testing.T) {
	fx := &fixture{files: map[string]string{"a.go": "package m\n\nfunc main() {\n\twg.Go(add)\n\twg.Go(add)\n}\n"}}
	read := func(p string) ([]byte, error) { return []byte(fx.files[strings.TrimPrefix(p, dir)]), nil }
	fail := build(t, `
main spawn add std/sync/waitgroup.go:238:sync.(*WaitGroup).Go call a.go:4
main spawn add#2 std/sync/waitgroup.go:238:sync.(*WaitGroup).Go call a.go:5
add start
add#2 start
add#2 wgdone wg std/sync/waitgroup.go:240:sync.(*WaitGroup).Go.func1
add wgdone wg std/sync/waitgroup.go:240:sync.(*WaitGroup).Go.func1
`, tracetest.Options{Dir: dir, FuncAt: fx.funcAt(t)})
	fail.Events[5].Stack = fail.Events[4].Stack // as of real runs
	w := NewWalk(WalkInput{Fail: fail, Roots: site.Roots{Module: "/src"}, Files: source.NewFiles(read)})
	lines := map[string]int{}
	for _, s := range w.View(nil).Failing {
		if strings.Contains(s.Happens, "done") {
			lines[s.Goroutine] = s.Line
		}
	}
	if len(lines) != 2 || lines["add"] != 4 || lines["add#2"] != 5 {
		t.Errorf("Done at lines %v, want 4 of add and 5 of add#2", lines)
	}
}

// What the table says of timers are steps, too, and a send is before what received it,
// also where its goroutine went on later.
func TestWalkOfTimersAndSends(t *testing.T) {
	fail := build(t, `
main spawn w a.go:3
main block tick=0/`+fmt.Sprint(uint64(trace.OpSend))+` a.go:7
w start
w unblock -=0/1
w recv tick=1 a.go:20
w timer - a.go:21
main send tick=1 a.go:7
`, tracetest.Options{Dir: dir})
	w := NewWalk(WalkInput{Fail: fail, Rows: []Row{{Event: 6, Goroutine: "w", File: "a.go", Line: 21}}, Roots: site.Roots{Module: "/src"}})
	var lines []int
	v := w.View(nil)
	for _, s := range v.Failing {
		lines = append(lines, s.Line)
	}
	if !slices.Equal(lines, []int{3, 7, 20, 21}) {
		t.Errorf("lines %v of %+v", lines, v.Failing)
	}
	if len(v.Switches) == 0 || v.Switches[0].From != "main" || v.Switches[0].After != 2 || v.Switches[0].Before != 3 {
		t.Errorf("switches %+v", v.Switches)
	}
}
