package native

import (
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// TestWithLate: what a run had not come to stands before its failure, in its own
// goroutine, with its place and object, and the other orders still mean the same.
func TestWithLate(t *testing.T) {
	build := func(text string) *trace.Trace {
		tr, err := tracetest.Build(text, tracetest.Options{Dir: "/src/"})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	fail := build(`
main spawn loop a.go:5
main write x=1 a.go:6
loop start
loop read hook=0 a.go:11
loop panicstart a.go:11
outcome panic loop "panic: nil pointer" a.go:11
`)
	pass := build(`
main spawn loop a.go:5
main write x=1 a.go:6
main write hook=1 a.go:7
loop start
loop read hook=1 a.go:11
`)
	got, edges := withLate(fail, []Edge{{1, 3}, {1, 4}}, []Late{{Before: 3, Pass: pass, At: 2}})
	if want := []Edge{{1, 3}, {1, 5}, {3, 4}}; !slices.Equal(edges, want) {
		t.Fatalf("orders %v, want %v", edges, want)
	}
	e := got.Events[4]
	f, _ := got.UserFrame(e.Stack)
	if got.Goroutine(e.G).Path != "0" || f.Line != 7 || got.Object(e.Obj).Name != fail.Object(fail.Events[3].Obj).Name || e.Count <= fail.Events[1].Count {
		t.Errorf("the late write became %+v at line %d", e, f.Line)
	}
	if got.Events[5].Op != trace.OpPanicStart || len(fail.Events) != 5 || len(fail.Stacks) == len(got.Stacks) {
		t.Errorf("%d events, the run itself has %d", len(got.Events), len(fail.Events))
	}
	for i, e := range got.Events {
		if e.Seq != i {
			t.Errorf("event %d has number %d", i, e.Seq)
		}
	}
	if same, edges := withLate(fail, []Edge{{1, 3}}, nil); same != fail || len(edges) != 1 {
		t.Error("changed without a late step")
	}
}
