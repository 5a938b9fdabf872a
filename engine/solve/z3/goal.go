package z3

import "github.com/hocket-dev/hocket/engine/constraint"

// goal asserts that the goal is met at the end.
func (n *encoder) goal(g *constraint.Goal) {
	for _, e := range g.Happens() {
		n.solver.Assert(n.happens(e))
	}
	for _, e := range g.Stop {
		n.solver.Assert(n.stands(e))
	}
	for _, e := range g.Blocked {
		n.solver.Assert(n.blocked(e))
	}
	for _, d := range g.Order {
		n.solver.Assert(n.precedes(d.Before, d.After))
	}
	for _, c := range g.Cond {
		n.solver.Assert(n.truth(c))
	}
	if g.Stuck {
		n.stuck()
	}
}

// blocked is: at the end, e's thread stands before it and can't go on.
func (n *encoder) blocked(e eventID) term { return n.and(n.stands(e), n.cant(e)) }

// cant is: at the end, e is not possible, or it is a reader that Go holds back
// because a writer waits for others.
func (n *encoder) cant(e eventID) term {
	ev := &n.sys.Events[e]
	t := n.not(n.possible(e, n.end))
	if ev.Op != constraint.RLock {
		return t
	}
	var writer []term
	for _, w := range n.tree.on[ev.Obj] {
		if n.sys.Events[w].Op == constraint.Lock {
			writer = append(writer, n.and(n.stands(w), n.not(n.possible(w, n.end))))
		}
	}
	return n.or(append(writer, t)...)
}

// stuck asserts that no thread can go on though some is not at its end, and
// that it is known of all how they go on.
func (n *encoder) stuck() {
	var waits []term
	for i := range n.sys.Events {
		if n.stop() {
			return
		}
		e := eventID(i)
		stands := n.stands(e)
		waits = append(waits, stands)
		n.solver.Assert(n.or(n.not(stands), n.cant(e)))
		if ev := &n.sys.Events[e]; len(n.tree.next[e]) == 0 && (ev.Pending || n.sys.Threads[ev.Thread].Open) {
			n.solver.Assert(n.not(n.happens(e)))
		}
	}
	for t := range n.sys.Threads {
		if n.sys.Threads[t].Open && len(n.tree.roots[t]) == 0 {
			n.solver.Assert(n.not(n.begun(constraint.ThreadID(t), n.end)))
		}
	}
	n.solver.Assert(n.or(waits...))
}

// clause is a clause of the order theory.
func (n *encoder) clause(c constraint.Clause) term {
	var any []term
	for _, l := range c {
		any = append(any, n.lit(l))
	}
	return n.or(any...)
}

// lit is a literal. Nothing is said of the order of two events that don't happen,
// nor of what a read takes that does not: any literal about them holds.
func (n *encoder) lit(l constraint.Lit) term {
	if l.From {
		return n.or(n.not(n.happens(l.B)), n.is(n.takesFrom(l.B, l.A), !l.Neg))
	}
	if l.Neg {
		l.A, l.B = l.B, l.A
	}
	before := n.precedes(l.A, l.B)
	if l.A == n.end || l.B == n.end {
		if l.A == n.end && l.B != n.end { // not before the end is after it
			return n.not(n.happens(l.B))
		}
		return before
	}
	neither := n.and(n.not(n.happens(l.A)), n.not(n.happens(l.B)))
	return n.or(before, neither)
}

// takesFrom is: r, which happens, takes its value from w.
func (n *encoder) takesFrom(r, w eventID) term {
	for _, s := range n.sources(r) {
		if s.event == w {
			return s.when
		}
	}
	return n.no
}
