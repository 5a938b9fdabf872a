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

// What another goroutine began with counts beside what it did last: to have begun earlier
// is the weaker order.
func TestOrdersWithWhatOthersBeganWith(t *testing.T) {
	tr, err := tracetest.Build(`
main spawn a a.go:1
main spawn b a.go:2
a start
b start
a read n=0 a.go:5
b read n=0 a.go:5
a write n=1 a.go:6
b write n=1 a.go:6
`, tracetest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := candidates(tr, len(tr.Events))
	for _, want := range []Literal{{Before: 4, After: 7}, {Before: 6, After: 7}, {Before: 5, After: 6}} {
		if !slices.Contains(got, want) {
			t.Errorf("no %v among %v", want, got)
		}
	}
}

// The accesses with which a WaitGroup tells the race detector of itself are none of the
// program's.
func TestNoOrdersInsideWaitGroups(t *testing.T) {
	tr, err := tracetest.Build(`
main spawn w a.go:1
w start
w read wg=0 a.go:5
w wgadd wg=1 a.go:5
main write wg=0 a.go:3
main wgwait wg a.go:3
`, tracetest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := candidates(tr, len(tr.Events)), []Literal{{Before: 3, After: 5}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Others go on as soon as a Once is marked as done, before Do returns to who ran it.
func TestEffectOfOnce(t *testing.T) {
	tr, err := tracetest.Build(`
main spawn w a.go:1
main store done=1 a.go:5
main unlock mu a.go:5
w once o=0 a.go:5
main once o=1 a.go:5
`, tracetest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := Effects(tr); got[4] != 1 || got[3] != 3 {
		t.Errorf("effects %v", got)
	}
}

// That a goroutine came to wait for ever is the failure, so that an order with it costs no
// more than others; that one waited for a message says less than whose it was.
func TestCostsOfWaits(t *testing.T) {
	build := func(text string) *trace.Trace {
		tr, err := tracetest.Build(text, tracetest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	start := "main spawn w a.go:1\nw start\n"
	fails := build(start + "main lock mu a.go:3\nmain send c a.go:4\nblocked w lock mu a.go:8\noutcome leak \"1 blocked\"\n")
	late := build(start + "w lock mu a.go:8\nw store x=1 a.go:9\n")
	f := &finder{Cause: &Cause{t: fails, end: len(fails.Events), Late: late}}
	cost := f.costs([]Literal{{Before: 2, After: 2, Late: true}, {Before: 2, After: 3, Late: true}})
	if cost[0] >= literalCost || cost[1] < lateCost {
		t.Errorf("costs %v", cost)
	}
	handed := build(start + "main block c=0/0 a.go:3\nw unblock -=0/1 a.go:8\nw send c a.go:8\nmain recv c a.go:3\nw send c a.go:9\n")
	f = &finder{Cause: &Cause{t: handed, end: len(handed.Events)}}
	cost = f.costs([]Literal{{Before: 5, After: 4}, {Before: 5, After: 6}})
	if cost[0] != cost[1]+handedCost {
		t.Errorf("costs %v", cost)
	}
}
