package native

import (
	"math"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/native/sat"
)

// aim makes the literal of a goal. What an order can say of the goal is said at
// once; the rest comes from Explain.
func (t *theory) aim(goal constraint.Goal) sat.Lit {
	t.found = nil
	t.goal, t.goalLit = goal, t.plain()
	demand := func(l constraint.Lit) {
		t.add(constraint.Clause{l}, []sat.Lit{t.goalLit.Not()})
	}
	end := t.sys.End()
	for _, e := range goal.Happens() {
		demand(constraint.Lit{A: e, B: end})
	}
	for _, e := range goal.Stands() {
		for _, l := range t.standing(e) {
			demand(l)
		}
	}
	for _, d := range goal.Order {
		demand(constraint.Lit{A: d.Before, B: d.After})
	}
	t.player.aim(goal)
	return t.goalLit
}

// standing is what an order says of a thread that ends before e.
func (t *theory) standing(e constraint.EventID) []constraint.Lit {
	end := t.sys.End()
	lits := []constraint.Lit{{A: end, B: e}}
	prev := t.sys.Events[e].Prev
	if prev != constraint.NoEvent {
		lits = append(lits, constraint.Lit{A: prev, B: end})
		for _, k := range t.player.kids[prev] {
			lits = append(lits, constraint.Lit{A: end, B: k})
		}
		return lits
	}
	for o := range t.sys.Events {
		switch ev := &t.sys.Events[o]; {
		case ev.Thread == t.sys.Events[e].Thread && ev.Prev == constraint.NoEvent:
			lits = append(lits, constraint.Lit{A: end, B: constraint.EventID(o)})
		case ev.Op == constraint.Spawn && ev.Child == t.sys.Events[e].Thread && t.spawns[ev.Child] == 1:
			lits = append(lits, constraint.Lit{A: constraint.EventID(o), B: end})
		}
	}
	return lits
}

// aim sets up to where threads run that the goal does not ask for: as far as the
// goal's events are in the recorded run, to the end if it is about the end.
func (p *player) aim(goal constraint.Goal) {
	p.horizon, p.trace = -1, 0
	for _, e := range append(goal.Happens(), goal.Stands()...) {
		for e != constraint.NoEvent && p.sys.Events[e].At < 0 {
			e = p.sys.Events[e].Prev
		}
		if e != constraint.NoEvent && p.rank[e] > p.horizon {
			p.horizon, p.trace = p.rank[e], p.sys.Events[e].Origin.Trace
		}
	}
	if goal.Stuck || p.horizon < 0 {
		p.horizon = math.MaxInt64
	}
}
