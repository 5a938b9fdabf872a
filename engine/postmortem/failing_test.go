package postmortem

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/dump"
)

// In a deadlock nobody failed: who waits for a lock tells more than who waits for all.
func TestFailingOf(t *testing.T) {
	at := func(id int64, reason, fn string, failing bool) dump.Goroutine {
		return dump.Goroutine{ID: id, Count: 1, Reason: reason, Failing: failing, Frames: []dump.Frame{{Func: fn, File: "/m/a.go", Line: 3}}}
	}
	all := []dump.Goroutine{at(1, "sync.WaitGroup.Wait", "main.main", false), at(2, "chan receive", "main.f", false),
		{ID: 3, Count: 1, Reason: "sync.Mutex.Lock", Frames: []dump.Frame{{Func: "runtime.gopark", File: "/usr/local/go/src/runtime/proc.go", Line: 3}}}, at(4, "sync.Mutex.Lock", "main.g", false)}
	for _, c := range []struct {
		kind dump.Kind
		all  []dump.Goroutine
		want int64
	}{
		{dump.Deadlock, all, 4},
		{dump.Deadlock, all[:2], 2},
		{dump.Deadlock, all[:1], 1},
		{dump.Quit, all, 0},
		{dump.Panic, append(all[:2:2], at(5, "running", "main.h", true)), 5},
	} {
		got := int64(0)
		if g := failingOf(&dump.State{Kind: c.kind, Goroutines: c.all}); g != nil {
			got = g.ID
		}
		if got != c.want {
			t.Errorf("%s: goroutine %d, want %d", c.kind, got, c.want)
		}
	}
}
