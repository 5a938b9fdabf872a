package trace

import "slices"

// Linear returns the indices of t.Events in the order in which the operations
// took effect. Events are recorded when an operation returns, but one that
// blocked may have been completed by another goroutine long before: a waiting
// receiver is handed the value by the sender, a waiting writer the lock by the
// last reader. In the order of Linear
//
//   - a blocked send, receive or select, WaitGroup.Wait and RWMutex.RLock, and
//     an RWMutex.Lock that waited for readers, come right after the operation
//     that completed them;
//   - the send on an unbuffered channel comes right before its receive,
//     whichever of the two waited;
//   - everything else is where it was recorded.
//
// So each operation is possible at its place without waiting, as in
// linearizability (Herlihy and Wing, TOPLAS 1990). Events of one goroutine keep
// their order.
func (t *Trace) Linear() []int {
	l := &linear{t: t, at: make([]place, len(t.Events)), caps: t.capacities(), waits: map[GID]wait{}, cases: map[GID][]int{}}
	for i := range t.Events {
		l.at[i] = place{event: i}
		l.step(i)
	}
	order := make([]int, len(t.Events))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return l.at[a].compare(l.at[b]) })
	return order
}

// place is a position in the linear order: at an event or next to it.
type place struct {
	event int
	side  int // -1 before it, 1 after it
	nth   int // among those on this side
}

func (p place) compare(q place) int {
	switch {
	case p.event != q.event:
		return p.event - q.event
	case p.side != q.side:
		return p.side - q.side
	}
	return p.nth - q.nth
}

// wait is a blocked operation of a goroutine, and what ended it.
type wait struct {
	op      Op
	by      GID
	woken   int // the OpUnblock, -1 while blocked
	partner int // the operation of by during which it was, -1 if not recorded yet
}

type linear struct {
	t     *Trace
	at    []place
	caps  map[ObjID]int64
	waits map[GID]wait
	cases map[GID][]int // of a select that has not chosen yet
	open  []GID         // woken by an operation that is not recorded yet
}

func (l *linear) step(i int) {
	e := l.t.Events[i]
	switch e.Op {
	case OpBlock:
		l.waits[e.G] = wait{op: Op(e.Aux), woken: -1, partner: -1}
		return
	case OpUnblock:
		if w, ok := l.waits[GID(e.Aux)]; ok && e.G != 0 {
			w.by, w.woken = e.G, i
			l.waits[GID(e.Aux)] = w
			l.open = append(l.open, GID(e.Aux))
		}
		return
	}
	l.open = slices.DeleteFunc(l.open, func(g GID) bool {
		w, ok := l.waits[g]
		if ok && w.by == e.G {
			w.partner = i
			l.waits[g] = w
		}
		return !ok || w.by == e.G
	})
	if e.Op == OpSelectCase {
		l.cases[e.G] = append(l.cases[e.G], i)
		return
	}
	if e.Op == OpSelect { // its cases stay with it
		defer func() {
			for _, c := range l.cases[e.G] {
				l.at[c] = l.at[i]
			}
			delete(l.cases, e.G)
		}()
	}
	w, waited := l.waits[e.G]
	if !waited {
		return
	}
	delete(l.waits, e.G)
	if w.woken < 0 || w.partner < 0 || w.op != e.Op || !completedBy(e.Op, l.t.Events[w.partner].Op) {
		return
	}
	// What the partner did was itself placed, perhaps, by its own partner.
	p := l.at[w.partner]
	l.at[i] = place{p.event, 1, w.woken}
	if send, _ := channelRole(e); send && l.caps[e.Obj] == 0 {
		l.at[i] = place{p.event, -1, w.woken}
	}
}

// completedBy says whether a waiting op is completed by the operation that wakes
// it, rather than tried again by its goroutine.
func completedBy(op, by Op) bool {
	switch op {
	case OpSend, OpRecv, OpSelect, OpWGWait, OpRLock:
		return true
	case OpLock:
		return by == OpRUnlock
	}
	return false
}

// capacities are those of the channels, as far as events show them.
func (t *Trace) capacities() map[ObjID]int64 {
	caps := map[ObjID]int64{}
	for _, e := range t.Events {
		switch e.Op {
		case OpSend, OpRecv, OpClose, OpSelectCase:
			if e.Obj != 0 {
				caps[e.Obj] = int64(e.Aux >> 32)
			}
		}
	}
	return caps
}
