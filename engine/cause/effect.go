package cause

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Effects are where the events of a run took effect, by event, as indexes of events: who
// waits for a channel operation records it when it goes on, but it was done when the
// other side woke it. What a Once ran is recorded when Do returns, but others go on as soon
// as it is marked as done.
func Effects(t *trace.Trace) []int {
	out := make([]int, len(t.Events))
	woken, marked := map[trace.GID]int{}, map[trace.GID]int{}
	for i := range t.Events {
		e := &t.Events[i]
		out[i] = i
		switch e.Op {
		case trace.OpAtomicStore:
			marked[e.G] = i
		case trace.OpUnlock:
		case trace.OpOnceDo:
			if at, ok := marked[e.G]; ok && e.Value == 1 {
				out[i] = at
			}
			fallthrough
		default:
			delete(marked, e.G)
		}
		switch e.Op {
		case trace.OpBlock:
			delete(woken, e.G)
		case trace.OpUnblock:
			if e.G != 0 { // by a timer: nothing was handed over
				woken[trace.GID(e.Aux)] = i
			}
		case trace.OpSend, trace.OpRecv, trace.OpSelect:
			if at, ok := woken[e.G]; ok {
				out[i] = at
			}
			fallthrough
		default:
			if Counts(e.Op) {
				delete(woken, e.G)
			}
		}
	}
	return out
}

// inEffect lists the events up to one in the order in which they took effect: what was
// woken comes before what the other side did then.
func inEffect(effect []int, end int) []int {
	woken := make(map[int][]int, len(effect)/8)
	for i, at := range effect[:end] {
		if at != i {
			woken[at] = append(woken[at], i)
		}
	}
	out := make([]int, 0, end)
	for i := range end {
		if effect[i] == i {
			out = append(out, i)
		}
		out = append(out, woken[i]...)
	}
	return out
}

// entered makes what a writer does in another run stand for its wait in the failing one,
// where it did not have to wait there: it took the lock.
func (c *Cause) entered(o *observed, m *Matching, other *signer) {
	for w := range c.t.Events {
		e := &c.t.Events[w]
		if o.to[w] >= 0 || !waitsToWrite(e, c.readLocked) || !hasGoroutine(c.t, w) {
			continue
		}
		mine, theirs := c.signer.byPath[c.t.Goroutines[e.G].Path], other.byPath[c.t.Goroutines[e.G].Path]
		before := None // where the other run's goroutine stands
		for k, _ := slices.BinarySearch(mine, w); k > 0 && before == None; k-- {
			before = m.To[mine[k-1]]
		}
		first, _ := slices.BinarySearch(theirs, before+1)
		if first == len(theirs) {
			continue
		}
		x := theirs[first]
		if t := &other.t.Events[x]; t.Op == trace.OpLock && at(other.stacks, int(t.Stack)) == at(c.signer.stacks, int(e.Stack)) && at(other.objects, int(t.Obj)) == at(c.signer.objects, int(e.Obj)) {
			o.to[w] = x
		}
	}
}

// instead is the event of another run that did what the failing run failed in: the send
// on a channel that was still open. -1 if there is none.
func (c *Cause) instead(m *Matching, other *signer) int {
	op, obj, ok := FailedOn(c.t)
	if !ok || c.end >= len(c.t.Events) || !hasGoroutine(c.t, c.end) {
		return None
	}
	e := &c.t.Events[c.end]
	mine, theirs := c.signer.byPath[c.t.Goroutines[e.G].Path], other.byPath[c.t.Goroutines[e.G].Path]
	before := None
	for _, x := range mine {
		if x < c.end && m.To[x] > before {
			before = m.To[x]
		}
	}
	for _, x := range theirs {
		o := &other.t.Events[x]
		if x > before && o.Op == op && at(other.stacks, int(o.Stack)) == at(c.signer.stacks, int(e.Stack)) && at(other.objects, int(o.Obj)) == at(c.signer.objects, int(obj)) {
			return x
		}
	}
	return None
}
