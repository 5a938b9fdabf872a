package z3

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// permitted is: e's object permits it when it happens.
func (n *encoder) permitted(e eventID) term {
	ev := &n.sys.Events[e]
	if n.unbuffered(ev) {
		return n.meets(e)
	}
	return n.possible(e, e)
}

// possible is: the state that the events before at leave permits e, whatever its
// conditions. The point is e or the end.
func (n *encoder) possible(e, at eventID) term {
	ev := &n.sys.Events[e]
	switch ev.Op {
	case constraint.Lock, constraint.Unlock, constraint.RLock, constraint.RUnlock, constraint.TryLock, constraint.TryRLock:
		return n.lock(ev, at)
	case constraint.Add:
		return n.atLeast(n.sumAt(ev.Obj, at, delta), -ev.Delta)
	case constraint.Wait:
		return n.atMost(n.sumAt(ev.Obj, at, delta), 0)
	case constraint.CondWake:
		return n.called(ev.Partner, at)
	case constraint.Send, constraint.Recv, constraint.Close:
		return n.channel(e, at)
	case constraint.Default:
		return n.gaveUp(ev, at)
	}
	return n.yes
}

func delta(ev *constraint.Event) int64 {
	if ev.Op == constraint.Add {
		return ev.Delta
	}
	return 0
}

// writers and readers are who holds a lock.
func writers(ev *constraint.Event) int64 {
	switch {
	case ev.Op == constraint.Lock, ev.Op == constraint.TryLock && ev.Outcome == 1:
		return 1
	case ev.Op == constraint.Unlock:
		return -1
	}
	return 0
}

func readers(ev *constraint.Event) int64 {
	switch {
	case ev.Op == constraint.RLock, ev.Op == constraint.TryRLock && ev.Outcome == 1:
		return 1
	case ev.Op == constraint.RUnlock:
		return -1
	}
	return 0
}

func (n *encoder) lock(ev *constraint.Event, at eventID) term {
	free := func() term {
		return n.and(n.atMost(n.sumAt(ev.Obj, at, writers), 0), n.atMost(n.sumAt(ev.Obj, at, readers), 0))
	}
	noWriter := func() term { return n.atMost(n.sumAt(ev.Obj, at, writers), 0) }
	switch ev.Op {
	case constraint.Lock:
		return free()
	case constraint.TryLock:
		return n.is(free(), ev.Outcome == 1)
	case constraint.RLock:
		return noWriter()
	case constraint.TryRLock:
		return n.is(noWriter(), ev.Outcome == 1)
	case constraint.Unlock:
		return n.not(noWriter())
	default: // RUnlock
		return n.atLeast(n.sumAt(ev.Obj, at, readers), 1)
	}
}

// is: t has the truth value.
func (n *encoder) is(t term, truth bool) term {
	if truth {
		return t
	}
	return n.not(t)
}

// called is: before at, the ticket of w has been called: by a signal that chose
// it, or by a broadcast that came after it.
func (n *encoder) called(w, at eventID) term {
	o := n.sys.Events[w].Obj
	n.defineCalls(o)
	var any []term
	for _, g := range n.tree.on[o] {
		switch n.sys.Events[g].Op {
		case constraint.Signal:
			any = append(any, n.and(n.calls(g, w), n.seen(g, at)))
		case constraint.Broadcast:
			any = append(any, n.and(n.seen(w, g), n.seen(g, at)))
		}
	}
	return n.or(any...)
}

// calls is: signal g calls the ticket of w.
func (n *encoder) calls(g, w eventID) term {
	return n.Const(fmt.Sprintf("calls%d-%d", g, w), n.Bools())
}

// defineCalls asserts whom each signal of a Cond calls: the oldest ticket that
// has not been called before.
func (n *encoder) defineCalls(o constraint.ObjID) {
	if !n.once(fact{what: tickets, a: eventID(o)}, value{}) {
		return
	}
	for _, g := range n.tree.on[o] {
		if n.sys.Events[g].Op != constraint.Signal {
			continue
		}
		for _, w := range n.tree.on[o] {
			if n.sys.Events[w].Op == constraint.CondWait {
				n.solver.Assert(n.Iff(n.calls(g, w), n.and(n.happens(g), n.oldest(w, g))))
			}
		}
	}
}

// oldest is: when g happens, w is the oldest wait whose ticket has not been
// called.
func (n *encoder) oldest(w, g eventID) term {
	all := []term{n.seen(w, g), n.not(n.called(w, g))}
	for _, v := range n.tree.on[n.sys.Events[w].Obj] {
		if n.sys.Events[v].Op == constraint.CondWait && v != w {
			all = append(all, n.or(n.not(n.seen(v, w)), n.called(v, g)))
		}
	}
	return n.and(all...)
}
