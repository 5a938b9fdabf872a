package native

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/native/order"
	"github.com/hocket-dev/hocket/engine/solve/native/sat"
)

// reach is how many nodes a search for implied atoms looks at, each way.
const reach = 150

// theory is the T of CDCL(T). It implements sat.Theory.
type theory struct {
	sys *constraint.System
	sat *sat.Solver
	g   *order.Graph // over events and End, by EventID
	atoms
	feasible *feasible
	locked   *locked
	equals   equals

	undo  []int32 // per literal taken: number of edges before it
	marks []int32 // scratch of implications: node seen backwards in search number
	mark  int32
	up    []int32
	down  []int32

	budget    *budget.Budget // of the current check
	goal      constraint.Goal
	goalLit   sat.Lit
	player    *player
	check     checker
	closed    bool                         // must-happen-before is in the graph
	place     []int32                      // by event: position in the last order that was explained
	sourced   map[int32]bool               // reads for which someSource was said
	spawns    []int32                      // by thread: number of Spawn events
	giving    map[constraint.ObjID][]int32 // writes of a location, sends of a channel
	moving    map[constraint.ObjID][]int32 // sends and successful receives of a channel
	found     *constraint.Schedule
	simulated int
}

func newTheory(sys *constraint.System, check func(*constraint.System) checker) *theory {
	t := &theory{sys: sys, budget: betweenChecks(), goalLit: sat.None}
	t.sat = sat.New(t)
	t.atoms = newAtoms(t)
	t.g = order.New(recorded(sys))
	t.marks = make([]int32, t.g.Len())
	t.check = check(sys)
	t.feasible = newFeasible(t)
	t.locked = newLocked(t)
	t.equals = newEquals(t)
	t.sourced = map[int32]bool{}
	t.file()
	t.player = newPlayer(t)
	t.programOrder()
	return t
}

// recorded is all events by At, then End, then those never seen, each behind its
// Prev and Spawn.
func recorded(sys *constraint.System) []int32 {
	n := len(sys.Events)
	seen := make([]int32, 0, n+1)
	for e := range sys.Events {
		if sys.Events[e].At >= 0 {
			seen = append(seen, int32(e))
		}
	}
	slices.SortStableFunc(seen, func(a, b int32) int { return cmp.Compare(sys.Events[a].At, sys.Events[b].At) })
	seen = append(seen, int32(n))
	for e := range sys.Events {
		if sys.Events[e].At < 0 {
			seen = append(seen, int32(e))
		}
	}
	return seen
}

// file finds who gives values, by object, and who spawns.
func (t *theory) file() {
	t.spawns = make([]int32, len(t.sys.Threads))
	t.giving, t.moving = map[constraint.ObjID][]int32{}, map[constraint.ObjID][]int32{}
	for e := range t.sys.Events {
		ev := &t.sys.Events[e]
		switch ev.Op {
		case constraint.Spawn:
			t.spawns[ev.Child]++
		case constraint.Write, constraint.RMW, constraint.Send:
			t.giving[ev.Obj] = append(t.giving[ev.Obj], int32(e))
		}
		if ev.Op == constraint.Send || ev.Op == constraint.Recv && ev.Outcome == constraint.Received {
			t.moving[ev.Obj] = append(t.moving[ev.Obj], int32(e))
		}
	}
}

// programOrder adds what always holds (Φ_mo). Where several events may start a
// thread, which one it was is left to lemmas.
func (t *theory) programOrder() {
	spawn := make([]int32, len(t.sys.Threads))
	for e := range t.sys.Events {
		if ev := &t.sys.Events[e]; ev.Op == constraint.Spawn {
			spawn[ev.Child] = int32(e)
		}
	}
	for e := range t.sys.Events {
		ev := &t.sys.Events[e]
		before := int32(ev.Prev)
		if ev.Prev == constraint.NoEvent && t.spawns[ev.Thread] == 1 {
			before = spawn[ev.Thread]
		}
		if before >= 0 && !t.g.Add(before, int32(e), order.Permanent) {
			t.sat.Add() // a thread that starts itself
		}
	}
}

// Assign implements sat.Theory: an order literal becomes an edge.
func (t *theory) Assign(l sat.Lit) []sat.Lit {
	v := l.Var()
	edges := int32(t.g.Edges())
	switch t.kinds[v] {
	case before:
		from, to := t.ends(l)
		if t.sat.ByTheory(l) {
			break // a path says it already
		}
		label := int32(l)
		if t.sat.LevelOf(v) == 0 {
			label = order.Permanent
		}
		if !t.g.Add(from, to, label) {
			return t.cycle(l, from, to)
		}
		t.imply(from, to)
	case from:
		if conflict := t.only(l); conflict != nil {
			return conflict
		}
	}
	t.undo = append(t.undo, edges)
	return nil
}

// Undo implements sat.Theory.
func (t *theory) Undo(sat.Lit) {
	t.g.Cut(int(t.undo[len(t.undo)-1]))
	t.undo = t.undo[:len(t.undo)-1]
}

// Explain implements sat.Theory: the edges of a path that was there when l was
// implied.
func (t *theory) Explain(l sat.Lit) []sat.Lit {
	from, to := t.ends(l)
	labels, ok := t.g.Path(from, to, int(t.stamps[l.Var()]), nil)
	if !ok {
		panic("native: no path for an implied literal")
	}
	return negated([]sat.Lit{l}, labels)
}

func (t *theory) cycle(l sat.Lit, from, to int32) []sat.Lit {
	labels, ok := t.g.Path(to, from, t.g.Edges(), nil)
	if !ok {
		panic("native: no path closes a cycle")
	}
	return negated([]sat.Lit{l.Not()}, labels)
}

func negated(lits []sat.Lit, labels []int32) []sat.Lit {
	for _, l := range labels {
		lits = append(lits, sat.Lit(l).Not())
	}
	return lits
}

// imply finds open atoms that the new edge decides: one end leads to its source,
// its target leads to the other end. The search is bounded: what it misses is
// found as a conflict.
func (t *theory) imply(from, to int32) {
	t.up = t.g.Around(from, false, reach, t.up[:0])
	t.down = t.g.Around(to, true, reach, t.down[:0])
	end := int32(t.sys.End())
	t.mark++
	atoms := 0 // of down; up is searched instead if it has fewer
	for _, w := range t.down {
		atoms += len(t.atomsAt[w])
	}
	for _, v := range t.up {
		atoms -= len(t.atomsAt[v])
		if v == end {
			t.happen(t.down, false)
		}
	}
	for _, w := range t.down {
		if w == end {
			t.happen(t.up, true)
		}
	}
	if atoms < 0 {
		t.implyBetween(t.up, t.down, false)
	} else {
		t.implyBetween(t.down, t.up, true)
	}
}

// happen makes events happen, or not.
func (t *theory) happen(events []int32, yes bool) {
	for _, e := range events {
		if v := t.atEnd[e]; v >= 0 && t.sat.Value(v.Pos()) == sat.Open {
			if yes {
				t.implyNow(v.Pos())
			} else {
				t.implyNow(v.Neg())
			}
		}
	}
}

// implyBetween goes through the atoms of some nodes and makes those true whose
// other end is among the others, which come before them (after), or behind.
func (t *theory) implyBetween(nodes, others []int32, after bool) {
	for _, v := range others {
		t.marks[v] = t.mark
	}
	for _, w := range nodes {
		for _, v := range t.atomsAt[w] {
			if t.sat.Value(v.Pos()) != sat.Open {
				continue
			}
			other := t.a[v] + t.b[v] - w
			if t.marks[other] != t.mark {
				continue
			}
			if (other == t.a[v]) == after {
				t.implyNow(v.Pos())
			} else {
				t.implyNow(v.Neg())
			}
		}
	}
}

func (t *theory) implyNow(l sat.Lit) {
	t.stamps[l.Var()] = int32(t.g.Edges())
	t.sat.Imply(l)
}

// forGood takes a clause of one order literal as an edge without a variable. It
// has to be strict also of events that don't happen, see clause: harmless if it
// agrees with the recorded order, in which they can then stand.
func (t *theory) forGood(c constraint.Clause) bool {
	if len(c) != 1 || c[0].From {
		return false
	}
	a, b := c[0].A, c[0].B
	if c[0].Neg {
		a, b = b, a
	}
	end := t.sys.End()
	if a != end && b != end && (t.sys.Events[a].At < 0 || t.sys.Events[a].At >= t.sys.Events[b].At) {
		return false
	}
	t.sat.Rest()
	if a != end && b != end {
		t.check.base().Given(constraint.Edge{Before: a, After: b})
		t.feasible.more()
		t.closed = false
	}
	switch {
	case t.g.Add(int32(a), int32(b), order.Permanent):
	case a == end || b == end:
		t.sat.Add()
	default:
		t.impossible(int32(b)) // and with it a, which comes behind it
	}
	return true
}

// errClose asks solve to close the order and to begin again.
var errClose = errors.New("native: the order is not closed")

// betweenChecks is the budget of what is done while no check is made.
func betweenChecks() *budget.Budget { return budget.Unlimited(context.Background()) }

// solve runs the core.
func (t *theory) solve(b *budget.Budget, assumptions []sat.Lit) (sat.Value, error) {
	t.budget = b
	defer func() { t.budget = betweenChecks() }()
	answer, err := t.sat.Solve(b, assumptions...)
	if err == errClose {
		if err = t.close(); err == nil {
			answer, err = t.sat.Solve(b, assumptions...)
		}
	}
	t.sat.Rest()
	return answer, err
}

// close adds must-happen-before to the graph, of which it knows program order and
// what was added for good. It is left until an order fails, since many goals are
// met at once.
func (t *theory) close() error {
	t.sat.Rest()
	must := t.check.must(t.budget)
	if !t.budget.Spend(1) {
		return t.budget.Err()
	}
	n := 0
	must.Edges(func(a, b constraint.EventID) bool {
		if !t.g.Add(int32(a), int32(b), order.Permanent) {
			t.impossible(int32(b)) // a cycle
		}
		n++
		return n%256 != 0 || t.budget.Spend(1)
	})
	// Cut short, it is done again: an edge that is there twice does no harm.
	t.closed = t.budget.Spend(2)
	return t.budget.Err()
}

// impossible says that an event never happens.
func (t *theory) impossible(e int32) {
	switch x := t.happens(e, 0); x {
	case never:
	case always:
		t.sat.Add()
	default:
		t.sat.Add(x.Not())
	}
}

func (t *theory) stats() solve.Stats {
	s := t.sat.Stats()
	return solve.Stats{Lemmas: s.Lemmas, Decisions: s.Decisions, Conflicts: s.Conflicts, Simulated: t.simulated}
}
