package native

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// failureEnd is the number of events that lead to the failure: what follows a
// failed check, a panic, or the event at which the last goroutine blocks, needs
// no order.
func failureEnd(t *trace.Trace) int {
	stuck := map[trace.GID]bool{}
	for _, b := range t.Outcome.Blocked {
		stuck[b.G] = true
	}
	end := 0
	if t.Outcome.Kind == trace.Livelock {
		return lastChange(t)
	}
	for i, e := range t.Events {
		switch t.Outcome.Kind {
		case trace.TestFailed:
			if e.Op == trace.OpTestFail {
				return i + 1
			}
		case trace.Panicked:
			if e.Op == trace.OpPanicStart && e.G == t.Outcome.Goroutine && (end == 0 || samePlace(t, e.Stack, t.Outcome.Stack) && !panicsAgain(t, end-1, i)) {
				end = i + 1
			}
		case trace.Leaked, trace.Deadlocked:
			if e.Op == trace.OpBlock && stuck[e.G] {
				end = i + 1
			}
		}
	}
	if end > 0 {
		return end
	}
	return len(t.Events)
}

// samePlace reports whether two panics are at the same place: deferred calls
// may panic again elsewhere, as package testing does.
func samePlace(t *trace.Trace, a, b trace.StackID) bool {
	fa, ok := t.UserFrame(a)
	fb, _ := t.UserFrame(b)
	return ok && fa == fb
}

// panicsAgain reports whether a deferred call recovered the panic at from, and
// panics again at to, as sync.WaitGroup.Go does. All that the goroutine did in
// between was done on top of the frames that panicked.
func panicsAgain(t *trace.Trace, from, to int) bool {
	first := t.Stacks[t.Events[from].Stack]
	for _, e := range t.Events[from+1 : to+1] {
		if s := t.Stacks[e.Stack]; e.G == t.Events[from].G && len(s) > 0 && (len(s) < len(first) || !slices.Equal(s[len(s)-len(first):], first)) {
			return false
		}
	}
	return true
}
