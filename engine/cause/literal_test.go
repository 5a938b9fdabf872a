package cause

import (
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// A Wait comes after the Done of an Add that came before it, and need not come after
// that Add.
func TestAddBeforeWaitIsALiteral(t *testing.T) {
	tr, err := tracetest.Build(`
main wgadd wg=1 a.go:1
main spawn w a.go:2
w start
w wgadd wg=1 a.go:8
w wgdone wg=-1 a.go:9
main wgwait wg a.go:3
`, tracetest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := candidates(tr, len(tr.Events)), []Literal{{Before: 3, After: 5}}; !slices.Equal(got, want) {
		t.Errorf("candidates %v, want %v", got, want)
	}
}

// That a lock was released earlier says no more than that it was taken earlier.
func TestLateForAcquisitions(t *testing.T) {
	build := func(text string) *trace.Trace {
		tr, err := tracetest.Build(text, tracetest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	tr := build("main lock mu a.go:1\nmain unlock mu a.go:2\nmain lock mu a.go:3\nmain unlock mu a.go:4\n")
	late := build("main spawn w a.go:5\nw start\nw lock mu a.go:9\n")
	f := &finder{Cause: &Cause{t: tr, end: len(tr.Events), Late: late}}
	never := func(int) bool { return false }
	got := f.late([]Literal{{Before: 2, After: 2, Late: true}}, never, &Matching{From: filled(len(late.Events))})
	if want := []Literal{{2, 2, true}, {0, 2, true}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
