package z3

import "github.com/hocket-dev/hocket/engine/constraint"

// happens is: e is before the end.
func (n *encoder) happens(e eventID) term { return n.precedes(e, n.end) }

// precedes is: the position of a is below that of b, which may be the end.
func (n *encoder) precedes(a, b eventID) term {
	f := fact{order, a, b}
	if known, ok := n.done[f]; ok {
		return known.bits
	}
	t := n.Lt(n.pos[a], n.pos[b])
	n.once(f, value{bits: t})
	return t
}

// seen is: a comes before the point at, given that at happens (or is the end).
// Events of one thread are decided by its tree.
func (n *encoder) seen(a, at eventID) term {
	switch {
	case at == n.end:
		return n.happens(a)
	case n.tree.before(a, at):
		return n.yes
	case n.sys.Events[a].Thread == n.sys.Events[at].Thread:
		return n.no
	}
	n.apart(a, at)
	return n.precedes(a, at)
}

// apart asserts that a and b, of different threads, are not at one position, so
// that "not before" is "after".
func (n *encoder) apart(a, b eventID) {
	if a > b {
		a, b = b, a
	}
	if n.once(fact{distinct, a, b}, value{}) {
		n.solver.Assert(n.or(n.precedes(a, b), n.precedes(b, a),
			n.not(n.happens(a)), n.not(n.happens(b))))
	}
}

// stands is: at the end, e's thread stands before it.
func (n *encoder) stands(e eventID) term {
	ev := &n.sys.Events[e]
	var all []term
	if ev.Prev != constraint.NoEvent {
		all = append(all, n.happens(ev.Prev))
	} else {
		all = append(all, n.begun(ev.Thread, n.end))
	}
	for _, s := range n.tree.siblings(e) {
		all = append(all, n.not(n.happens(s)))
	}
	return n.and(all...)
}

// and, or and not simplify what is decided, so that formulas stay small.
func (n *encoder) and(ts ...term) term {
	var open []term
	for _, t := range ts {
		switch t {
		case n.no:
			return n.no
		case n.yes:
		default:
			open = append(open, t)
		}
	}
	if len(open) == 0 {
		return n.yes
	}
	return n.And(open...)
}

func (n *encoder) or(ts ...term) term {
	var open []term
	for _, t := range ts {
		switch t {
		case n.yes:
			return n.yes
		case n.no:
		default:
			open = append(open, t)
		}
	}
	if len(open) == 0 {
		return n.no
	}
	return n.Or(open...)
}

func (n *encoder) not(t term) term {
	switch t {
	case n.yes:
		return n.no
	case n.no:
		return n.yes
	}
	return n.Not(t)
}
