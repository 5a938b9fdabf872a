package z3

import "github.com/hocket-dev/hocket/engine/constraint"

// source is whom a read or receive may take its value from, and when it does;
// event NoEvent is the initial value.
type source struct {
	event eventID
	when  term // given that the read happens
}

// sources of a read, read-modify-write or receive.
func (n *encoder) sources(r eventID) []source {
	ev := &n.sys.Events[r]
	switch {
	case n.isRecv(r) && n.unbuffered(ev):
		return n.senders(r, func(s eventID) term { return n.pair(s, r) })
	case n.isRecv(r):
		return n.senders(r, func(s eventID) term { return n.takes(r, s) })
	case ev.Op == constraint.Recv:
		return []source{{constraint.NoEvent, n.yes}}
	}
	return n.writes(r)
}

func (n *encoder) senders(r eventID, when func(s eventID) term) []source {
	var ss []source
	for _, s := range n.tree.on[n.sys.Events[r].Obj] {
		if n.isSend(s) && !n.stop() && (!n.unbuffered(&n.sys.Events[s]) || n.sys.Events[s].Thread != n.sys.Events[r].Thread) {
			if t := when(s); t != n.no {
				ss = append(ss, source{s, t})
			}
		}
	}
	return ss
}

// writes are the writes of r's location; it takes from the one that comes before
// it with no other between, or else the initial value.
func (n *encoder) writes(r eventID) []source {
	var ws []eventID
	for _, w := range n.tree.on[n.sys.Events[r].Obj] {
		if op := n.sys.Events[w].Op; (op == constraint.Write || op == constraint.RMW) && w != r && n.seen(w, r) != n.no {
			ws = append(ws, w)
		}
	}
	none := make([]term, len(ws))
	for i, w := range ws {
		none[i] = n.not(n.seen(w, r))
	}
	ss := []source{{constraint.NoEvent, n.and(none...)}}
	for _, w := range ws {
		if n.stop() {
			break
		}
		last := []term{n.seen(w, r)}
		for i, other := range ws {
			if other != w {
				last = append(last, n.or(none[i], n.seen(other, w)))
			}
		}
		ss = append(ss, source{w, n.and(last...)})
	}
	return ss
}

// sym is the value of a read or receive.
func (n *encoder) sym(r eventID) value {
	if v, ok := n.done[fact{what: symbol, a: r}]; ok {
		return v
	}
	v := n.unknown(r)
	n.once(fact{what: symbol, a: r}, v)
	for _, s := range n.sources(r) {
		if n.stop() {
			break
		}
		n.solver.Assert(n.or(n.not(n.happens(r)), n.not(s.when), n.equal(v, n.given(s.event, r))))
	}
	return v
}

// given is what event w wrote or sent; NoEvent is what r finds without one.
func (n *encoder) given(w, r eventID) value {
	switch {
	case w != constraint.NoEvent:
		if val := n.sys.Events[w].Val; val != nil {
			return n.eval(val)
		}
		return n.constant(constraint.Value{Fresh: int32(w) + 1})
	case n.sys.Events[r].Op == constraint.Recv: // of a closed channel
		return n.zero
	}
	return n.constant(n.sys.Objects[n.sys.Events[r].Obj].Init)
}
