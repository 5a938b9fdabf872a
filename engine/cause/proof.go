package cause

import (
	"github.com/hocket-dev/hocket/engine/trace"
)

// Provable reports whether all orders of the core are of events whose places in a schedule
// are where they stand in its trace. What a select took, what the failing run had not come
// to, and messages, which take effect when the other side completes them, are not.
func (c *Cause) Provable() bool {
	if !c.Settled() {
		return false
	}
	for _, l := range c.Core {
		if l.Late || l.Before == None || l.After >= len(c.t.Events) || l.After == c.end || !stays(c.t.Events[l.Before].Op) || !stays(c.t.Events[l.After].Op) {
			return false
		}
	}
	return true
}

// stays is true of operations that take effect where they are recorded.
func stays(op trace.Op) bool {
	switch op {
	case trace.OpRead, trace.OpWrite, trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW, trace.OpAtomicCAS,
		trace.OpLock, trace.OpRLock, trace.OpUnlock, trace.OpRUnlock, trace.OpClose, trace.OpWGAdd, trace.OpWGDone, trace.OpWGWait:
		return true
	}
	return false
}

// Occurrences are, by order of the core, the events of a run that could be matched with
// either side: those of the same goroutine with the same operation, calls and object.
func (c *Cause) Occurrences(t *trace.Trace) (before, after [][]int) {
	other := newSigner(t, Counts)
	like := func(ev int) (out []int) {
		for _, x := range other.byPath[c.t.Goroutines[c.t.Events[ev].G].Path] {
			if other.sigs[x] == c.signer.sigs[ev] {
				out = append(out, x)
			}
		}
		return out
	}
	for _, l := range c.Core {
		before, after = append(before, like(l.Before)), append(after, like(l.After))
	}
	return before, after
}

// FailedTest is the goroutine that told of the failing run that its test failed, by its
// path, and where it did so in another run, -1 if it did not; ok is false if the failure
// is another.
func (c *Cause) FailedTest() (in func(t *trace.Trace) (path string, at int), ok bool) {
	if c.t.Outcome.Kind != trace.TestFailed || c.end >= len(c.t.Events) {
		return nil, false
	}
	path := c.t.Goroutines[c.t.Events[c.end].G].Path
	return func(t *trace.Trace) (string, int) {
		for i := range t.Events {
			if e := &t.Events[i]; e.Op == trace.OpTestFail && t.Goroutines[e.G].Path == path {
				return path, i
			}
		}
		return path, -1
	}, true
}
