package z3

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// takes is: receive r takes what send s gave to a channel that has a capacity.
func (n *encoder) takes(r, s eventID) term {
	if n.seen(s, r) == n.no {
		return n.no
	}
	n.match(n.sys.Events[r].Obj)
	return n.matched(r, s)
}

func (n *encoder) matched(r, s eventID) term {
	return n.Const(fmt.Sprintf("takes%d-%d", r, s), n.Bools())
}

// source is the position of the send that r takes from.
func (n *encoder) source(r eventID) term { return n.Const(fmt.Sprintf("source%d", r), n.Ints()) }

// match asserts that a channel gives out in the order in which it took in: each
// receive takes from one send, later receives from later sends, and no send is
// passed over.
func (n *encoder) match(o constraint.ObjID) {
	if !n.once(fact{what: matching, a: eventID(o)}, value{}) {
		return
	}
	var sends, recvs []eventID
	for _, e := range n.tree.on[o] {
		if n.isSend(e) {
			sends = append(sends, e)
		} else if n.isRecv(e) {
			recvs = append(recvs, e)
		}
	}
	for i, r := range recvs {
		n.fromOne(r, sends)
		for _, q := range recvs[:i] {
			n.inOrder(q, r)
			n.inOrder(r, q)
		}
	}
	for _, s := range sends {
		n.notPassedOver(s, recvs)
	}
}

func (n *encoder) fromOne(r eventID, sends []eventID) {
	var any []term
	for _, s := range sends {
		if n.stop() {
			return
		}
		if before := n.seen(s, r); before != n.no {
			m := n.matched(r, s)
			n.solver.Assert(n.Implies(m, n.and(before, n.Eq(n.source(r), n.pos[s]))))
			any = append(any, m)
		}
	}
	// Sends that happen have positions of their own, so r has one source.
	for i, s := range sends {
		for _, t := range sends[:i] {
			n.differ(s, t)
		}
	}
	n.ifHappens(r, n.or(any...))
}

// inOrder: if r comes after q, so does what it takes.
func (n *encoder) inOrder(q, r eventID) {
	if t := n.seen(q, r); t != n.no && !n.stop() {
		n.ifHappens(r, n.or(n.not(t), n.Lt(n.source(q), n.source(r))))
	}
}

// notPassedOver: a send before the source of a receive has been received.
func (n *encoder) notPassedOver(s eventID, recvs []eventID) {
	var any []term
	for _, r := range recvs {
		if n.seen(s, r) != n.no {
			any = append(any, n.and(n.happens(r), n.matched(r, s)))
		}
	}
	received := n.or(any...)
	for _, r := range recvs {
		if n.stop() {
			return
		}
		n.ifHappens(r, n.or(n.not(n.Lt(n.pos[s], n.source(r))), received))
	}
}
