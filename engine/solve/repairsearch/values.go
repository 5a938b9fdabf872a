package repairsearch

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// values proposes edges that change what reads and receives take, and then what
// was written to them, back along the chain of values.
func (b *blame) values(symbols []constraint.EventID) {
	todo := slices.Clone(symbols)
	for depth := 0; depth < 6 && len(todo) > 0 && len(b.edges) < b.width; depth++ {
		var back []constraint.EventID
		for _, r := range todo {
			if b.seen[r] && depth > 0 {
				continue
			}
			b.seen[r] = true
			w := b.source(r)
			b.other(r, w)
			if w != constraint.NoEvent {
				back = append(back, b.q.sys.Events[w].Val.Symbols()...)
			}
		}
		todo = back
	}
}

// source is whom r took its value from, or would now.
func (b *blame) source(r constraint.EventID) constraint.EventID {
	if b.m.Happened(r) {
		return b.m.From(r)
	}
	ev := &b.q.sys.Events[r]
	if w, ok := b.writer[ev.Obj]; ok && ev.Op != constraint.Recv {
		return w
	}
	if ev.Op == constraint.Recv {
		// The oldest that was sent and not received; if there is none, the next.
		n := 0
		for _, p := range b.q.receivers[ev.Obj] {
			if b.m.Happened(p) {
				n++
			}
		}
		if sends := b.q.writers[ev.Obj]; n < len(sends) {
			return sends[n]
		}
	}
	return constraint.NoEvent
}

// other proposes that r takes another value than that of w.
func (b *blame) other(r, w constraint.EventID) {
	ev := &b.q.sys.Events[r]
	writers := b.q.writers[ev.Obj]
	if ev.Op == constraint.Recv {
		b.otherSend(r, w, writers)
		return
	}
	// r comes before the write that it saw, or sees one that came later or earlier.
	if w != constraint.NoEvent {
		b.lifted(r, w)
	}
	at, _ := slices.BinarySearchFunc(writers, b.q.time[r], func(e constraint.EventID, t int32) int {
		return int(b.q.time[e]) - int(t)
	})
	for d := range near {
		if i := at + d; i < len(writers) {
			b.lifted(writers[i], r)
		}
		if i := at - 1 - d; i >= 0 && writers[i] != w {
			b.lifted(r, writers[i])
			if w != constraint.NoEvent {
				b.lifted(w, writers[i]) // the earlier one is then the last
			}
		}
	}
}

// otherSend proposes that other sends come before w, or other receives before r.
func (b *blame) otherSend(r, w constraint.EventID, sends []constraint.EventID) {
	if i := slices.Index(sends, w); i >= 0 {
		for d := 1; d <= near; d++ {
			if i+d < len(sends) {
				b.add(sends[i+d], w)
			}
			if i-d >= 0 {
				b.add(w, sends[i-d])
			}
		}
	}
	recvs := b.q.receivers[b.q.sys.Events[r].Obj]
	if i := slices.Index(recvs, r); i >= 0 {
		for d := 1; d <= near; d++ {
			if i+d < len(recvs) {
				b.add(recvs[i+d], r)
			}
			if i-d >= 0 {
				b.add(r, recvs[i-d])
			}
		}
	}
}

// lifted proposes an edge between accesses; inside regions of a common lock
// it is the regions that have an order.
func (b *blame) lifted(before, after constraint.EventID) {
	if b.q.sys.Events[before].Thread == b.q.sys.Events[after].Thread {
		return
	}
	outer := b.q.held(after)
	for _, mine := range b.q.held(before) {
		for _, its := range outer {
			if b.q.sys.Events[mine].Obj != b.q.sys.Events[its].Obj {
				continue
			}
			if rel := b.q.release(mine); rel != constraint.NoEvent {
				b.add(rel, its)
			} else {
				b.add(before, its)
			}
			return
		}
	}
	b.add(before, after)
}

// held are the acquisitions of the locks that e's thread holds at e, the
// outermost first.
func (q *question) held(e constraint.EventID) []constraint.EventID {
	released := map[constraint.ObjID]int{}
	var acqs []constraint.EventID
	for e = q.sys.Events[e].Prev; e != constraint.NoEvent; e = q.sys.Events[e].Prev {
		switch ev := &q.sys.Events[e]; {
		case ev.Op == constraint.Unlock || ev.Op == constraint.RUnlock:
			released[ev.Obj]++
		case !acquires(ev):
		case released[ev.Obj] > 0:
			released[ev.Obj]--
		default:
			acqs = append(acqs, e)
		}
	}
	slices.Reverse(acqs)
	return acqs
}

// release is where the region that begins with an acquisition ends on its
// thread's path; NoEvent: it does not.
func (q *question) release(acq constraint.EventID) constraint.EventID {
	obj, depth := q.sys.Events[acq].Obj, 0
	for e := q.next[acq]; e != constraint.NoEvent; e = q.next[e] {
		ev := &q.sys.Events[e]
		switch {
		case ev.Obj != obj:
		case acquires(ev):
			depth++
		case ev.Op == constraint.Unlock || ev.Op == constraint.RUnlock:
			if depth == 0 {
				return e
			}
			depth--
		}
	}
	return constraint.NoEvent
}

func acquires(ev *constraint.Event) bool {
	switch ev.Op {
	case constraint.Lock, constraint.RLock:
		return true
	case constraint.TryLock, constraint.TryRLock:
		return ev.Outcome == 1
	}
	return false
}
