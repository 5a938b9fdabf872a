package z3

import "github.com/hocket-dev/hocket/engine/constraint"

// brute looks for a schedule by trying all: the definition of what a solver
// should answer.
type brute struct {
	sys     *constraint.System
	goal    constraint.Goal
	clauses []constraint.Clause
	m       *constraint.Machine
	seen    map[[2]uint64]bool
	found   bool
}

// satisfiable says whether a valid schedule meets the goal and the clauses.
func satisfiable(sys *constraint.System, goal constraint.Goal, clauses []constraint.Clause) bool {
	b := &brute{sys: sys, goal: goal, clauses: clauses, m: constraint.NewMachine(sys)}
	if len(goal.Order)+len(clauses) == 0 { // equal states have equal futures
		b.seen = map[[2]uint64]bool{}
	}
	b.walk()
	return b.found
}

func (b *brute) walk() {
	if b.seen != nil {
		if k := b.m.Key(); b.seen[k] {
			return
		} else {
			b.seen[k] = true
		}
	}
	if b.m.Meets(b.goal) == nil && b.holds() {
		b.found = true
	}
	for t := range b.sys.Threads {
		for _, e := range b.m.Next(constraint.ThreadID(t)) {
			if !b.found && b.m.Perform(e) == nil {
				b.walk()
				b.m.Undo()
			}
		}
	}
}

// holds says whether the clauses do. Literals about events that don't happen are
// free where the end does not decide them.
func (b *brute) holds() bool {
	place := make([]int, len(b.sys.Events)+1)
	order := b.m.Performed()
	for e := range place {
		place[e] = len(order) + 1
	}
	place[b.sys.End()] = len(order)
	for i, e := range order {
		place[e] = i
	}
	for _, c := range b.clauses {
		ok := false
		for _, l := range c {
			ok = ok || b.lit(l, place)
		}
		if !ok {
			return false
		}
	}
	return true
}

func (b *brute) lit(l constraint.Lit, place []int) bool {
	if l.From {
		return !b.m.Happened(l.B) || (b.m.From(l.B) == l.A) != l.Neg
	}
	if l.Neg {
		l.A, l.B = l.B, l.A
	}
	end := place[b.sys.End()]
	return place[l.A] < place[l.B] || place[l.A] > end && place[l.B] > end
}
