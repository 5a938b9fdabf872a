package z3

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/constraint"
)

func (n *encoder) isSend(e eventID) bool { return n.sys.Events[e].Op == constraint.Send }
func (n *encoder) isRecv(e eventID) bool {
	return n.sys.Events[e].Op == constraint.Recv && n.sys.Events[e].Outcome == constraint.Received
}

// unbuffered says that ev is half of a rendezvous.
func (n *encoder) unbuffered(ev *constraint.Event) bool {
	half := ev.Op == constraint.Send || ev.Op == constraint.Recv && ev.Outcome == constraint.Received
	return half && n.sys.Objects[ev.Obj].Cap == 0
}

// items is what is in a channel.
func items(ev *constraint.Event) int64 {
	switch {
	case ev.Op == constraint.Send:
		return 1
	case ev.Op == constraint.Recv && ev.Outcome == constraint.Received:
		return -1
	}
	return 0
}

// closed is: before at, the channel has been closed.
func (n *encoder) closed(o constraint.ObjID, at eventID) term {
	var any []term
	for _, c := range n.tree.on[o] {
		if n.sys.Events[c].Op == constraint.Close && c != at {
			any = append(any, n.seen(c, at))
		}
	}
	return n.or(any...)
}

// channel is possible for operations on channels.
func (n *encoder) channel(e, at eventID) term {
	ev := &n.sys.Events[e]
	c := &n.sys.Objects[ev.Obj]
	inside := func() sum { return n.sumAt(ev.Obj, at, items) }
	open := func() term { return n.not(n.closed(ev.Obj, at)) }
	switch {
	case c.Nil:
		return n.no
	case ev.Op == constraint.Close:
		return open()
	case ev.Op == constraint.Recv && ev.Outcome == constraint.Closed:
		return n.and(n.closed(ev.Obj, at), n.drained(ev.Obj, at))
	case c.Cap == 0:
		return n.and(open(), n.partnerStands(ev))
	case ev.Op == constraint.Send:
		return n.and(open(), n.atMost(inside(), int64(c.Cap)-1))
	default:
		return n.atLeast(inside(), 1)
	}
}

// drained is: before at, all that was sent has been received; of capacity 0
// nothing ever stays inside.
func (n *encoder) drained(o constraint.ObjID, at eventID) term {
	if n.sys.Objects[o].Cap == 0 {
		return n.yes
	}
	return n.atMost(n.sumAt(o, at, items), 0)
}

// gaveUp is: no case of a Default can go on by itself.
func (n *encoder) gaveUp(ev *constraint.Event, at eventID) term {
	var all []term
	for _, c := range ev.Cases {
		o := &n.sys.Objects[c.Obj]
		if o.Nil {
			continue
		}
		all = append(all, n.not(n.closed(c.Obj, at)))
		switch {
		case o.Cap == 0: // a partner need not wait yet
		case c.Send:
			all = append(all, n.atLeast(n.sumAt(c.Obj, at, items), int64(o.Cap)))
		default:
			all = append(all, n.drained(c.Obj, at))
		}
	}
	return n.and(all...)
}

// partners are the other halves that e, half of a rendezvous, may have.
func (n *encoder) partners(e eventID) []eventID {
	var ps []eventID
	for _, p := range n.tree.on[n.sys.Events[e].Obj] {
		if (n.isSend(e) && n.isRecv(p) || n.isRecv(e) && n.isSend(p)) && n.sys.Events[p].Thread != n.sys.Events[e].Thread {
			ps = append(ps, p)
		}
	}
	return ps
}

// pair is: s and r meet, which is that r follows s at once.
func (n *encoder) pair(s, r eventID) term {
	t := n.Const(fmt.Sprintf("pair%d-%d", s, r), n.Bools())
	if n.once(fact{meeting, s, r}, value{}) {
		n.solver.Assert(n.Implies(t, n.and(n.happens(s), n.happens(r), n.Eq(n.pos[r], n.Add(n.pos[s], n.Int(1))))))
	}
	return t
}

// meets is: e, half of a rendezvous, meets one of its partners on an open
// channel.
func (n *encoder) meets(e eventID) term {
	o := n.sys.Events[e].Obj
	if n.sys.Objects[o].Nil {
		return n.no
	}
	var any []term
	for _, p := range n.partners(e) {
		if n.isSend(e) {
			any = append(any, n.pair(e, p))
		} else {
			any = append(any, n.pair(p, e))
		}
	}
	return n.and(n.or(any...), n.not(n.closed(o, e)))
}

// rendezvousApart keeps events from the position of a rendezvous where they
// could be neither before nor after it: those on the same channel, and the
// sends of others. Anything else at the same position goes before the send, or
// behind the receive.
func (n *encoder) rendezvousApart() {
	var sends []eventID
	for i := range n.sys.Events {
		if ev := &n.sys.Events[i]; n.unbuffered(ev) && ev.Op == constraint.Send {
			sends = append(sends, eventID(i))
		}
	}
	for i, s := range sends {
		for _, t := range sends[:i] {
			n.differ(s, t)
		}
	}
	for _, on := range n.tree.on {
		for i, a := range on {
			for _, b := range on[:i] {
				if n.unbuffered(&n.sys.Events[a]) && n.unbuffered(&n.sys.Events[b]) {
					n.differ(a, b)
				}
			}
		}
	}
}

func (n *encoder) differ(a, b eventID) {
	if n.sys.Events[a].Thread != n.sys.Events[b].Thread && !n.stop() {
		n.apart(a, b)
	}
}

// partnerStands is: at the end, another thread stands before the other half of
// ev.
func (n *encoder) partnerStands(ev *constraint.Event) term {
	var any []term
	for _, p := range n.tree.on[ev.Obj] {
		pe := &n.sys.Events[p]
		if pe.Thread != ev.Thread && pe.Op != ev.Op && n.unbuffered(pe) {
			any = append(any, n.stands(p))
		}
	}
	return n.or(any...)
}
