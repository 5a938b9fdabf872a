package projection

import (
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
)

// A read that found what was there before another goroutine's last store is told, under
// a memory model that has buffers only.
func TestStaleReads(t *testing.T) {
	tr := build(t, `
main spawn a a.go:20
main spawn b a.go:21
a start
b start
a write x=1 a.go:4
a read y=0 a.go:5
b write y=1 a.go:8
b read x=0 a.go:9
b read y=1 a.go:10
b write x=2 a.go:11
a read x=2 a.go:6
a panicstart a.go:7
outcome panic a "panic: both" a.go:7
`, tracetest.Options{Dir: dir})
	if p := Project(Input{Fail: tr}); strings.Contains(p.Sentence, "buffer") {
		t.Errorf("under sequential consistency: %s", p.Sentence)
	}
	tr.Schedule.Memory = trace.TSO
	p := Project(Input{Fail: tr})
	const want = "`a` had set `x` to 1 (4), but `b` read 0 from it (9), although the store comes before in the order of the run."
	if p.Sentence != want || len(p.RootCause) != 2 || p.Class != Order {
		t.Errorf("%s: %s\n%+v", p.Class, p.Sentence, p.RootCause)
	}
}

// What such a read saw is not told as coming from a store of another value.
func TestSourceOfAStaleRead(t *testing.T) {
	tr := build(t, `
main spawn a a.go:20
main spawn b a.go:21
a start
b start
a write x=1 a.go:4
a write x=2 a.go:5
b read x=1 a.go:9
b read x=0 a.go:10
b read x=2 a.go:11
`, tracetest.Options{Dir: dir})
	for memory, want := range map[trace.Memory][]int{trace.SC: {5, 5, 5}, trace.TSO: {4, -1, 5}} {
		tr.Schedule.Memory = memory
		if got := newRun(tr).src[6:9]; !slices.Equal(got, want) {
			t.Errorf("%q: the reads saw the stores %v, want %v", memory, got, want)
		}
	}
}
