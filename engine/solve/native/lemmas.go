package native

import (
	"errors"
	"fmt"
	"math"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/native/sat"
)

// lemmasAtOnce bounds the violations that are taken from one order.
const lemmasAtOnce = 64

// Final implements sat.Theory: it plays the order of the graph.
func (t *theory) Final() ([]sat.Lemma, error) {
	t.simulated++
	complete, err := t.player.play()
	if err != nil {
		return nil, err
	}
	if complete {
		if v := t.player.m.Meets(t.goal); v == nil {
			t.found = t.player.m.Schedule()
			return nil, nil
		}
	}
	if !t.closed {
		return nil, errClose
	}
	at := t.player.order()
	t.view(at)
	if !complete {
		lemmas, err := t.stuck(at)
		if err != nil || len(lemmas) > 0 {
			return lemmas, err
		}
	}
	return t.missed(at, complete)
}

// view remembers the positions of an order, for what is near in it.
func (t *theory) view(at []constraint.EventID) {
	if t.place == nil {
		t.place = make([]int32, len(at))
	}
	for i, e := range at {
		t.place[e] = int32(i)
	}
}

// stuck says what rules of the system an order breaks. None means that the
// order is valid though the player, which waits more than it has to, did not
// come through.
func (t *theory) stuck(at []constraint.EventID) ([]sat.Lemma, error) {
	t.wrongSources(at)
	violations, err := t.check.explain(t.budget, at, constraint.Goal{}, lemmasAtOnce)
	if err != nil {
		return nil, err
	}
	if len(violations) == 0 && len(t.side) == 0 {
		t.apart(at)
	}
	return t.lemmas(violations, nil)
}

// missed says what of the goal a valid order does not show.
func (t *theory) missed(at []constraint.EventID, complete bool) ([]sat.Lemma, error) {
	goal := t.goal
	if complete {
		goal.Cond = t.equals.miss()
	}
	violations, err := t.check.explain(t.budget, at, goal, lemmasAtOnce)
	if err != nil {
		return nil, err
	}
	if len(violations) > 0 || len(t.side) > 0 {
		return t.lemmas(violations, []sat.Lit{t.goalLit.Not()})
	}
	sch, v, err := t.check.meets(t.budget, at, t.goal)
	if err != nil {
		return nil, err
	}
	if v != nil {
		return nil, fmt.Errorf("native: an order without violations is not valid or misses the goal: %w", v)
	}
	t.found = sch
	return nil, nil
}

// lemmas makes clauses of violations, behind those that say what the variables
// mean.
func (t *theory) lemmas(violations []*constraint.Violation, guard []sat.Lit) ([]sat.Lemma, error) {
	if !t.budget.Spend(1) {
		return nil, t.budget.Err()
	}
	news := false
	var out []sat.Lemma
	for _, v := range violations {
		if !t.budget.Spend(1) {
			return nil, t.budget.Err() // what side says is given to the core next time
		}
		if t.equals.never(v.Event) {
			t.say(sat.None, []sat.Lit{not(t.happens(int32(v.Event), 0))})
			continue
		}
		lits, holds := t.clause(v.Clause, guard)
		if !holds {
			out = append(out, sat.Lemma{Lits: lits, Guard: sat.None})
			news = news || !t.satisfied(lits)
		}
	}
	if !t.budget.Spend(1) {
		return nil, t.budget.Err()
	}
	if !news && len(t.side) == 0 && len(violations) > 0 {
		return nil, fmt.Errorf("native: no new clause: %w", errors.Join(asErrors(violations)...))
	}
	out = append(t.side, out...)
	t.side = nil
	return out, nil
}

func asErrors(violations []*constraint.Violation) (errs []error) {
	for _, v := range violations {
		errs = append(errs, fmt.Errorf("%w: clause %v", v, v.Clause))
	}
	return errs
}

func (t *theory) satisfied(lits []sat.Lit) bool {
	for _, l := range lits {
		if t.sat.Value(l) == sat.True {
			return true
		}
	}
	return false
}

// clause translates a clause behind some literals. holds: it always does.
//
// What a literal says of events that don't happen is open (solve.Placed): a < b
// holds if neither does, and From(w, r) and its negation hold if r does not. The
// core's literals are strict, so "End before the later event" is added to each.
func (t *theory) clause(c constraint.Clause, guard []sat.Lit) (lits []sat.Lit, holds bool) {
	lits = append(lits, guard...)
	for _, l := range c {
		later := l.B
		if !l.From && l.Neg {
			later = l.A
		}
		if !t.budget.Spend(1) {
			return nil, true // lemmas reports it
		}
		open := constraint.Lit{A: t.sys.End(), B: later}
		for _, l := range [...]constraint.Lit{l, open} {
			switch x := t.lit(l, t.nearness(l)); x {
			case always:
				if l.From {
					// Its conditions rule the source out. An order in which it takes
					// from it is none, which is told by those that it can take from.
					t.someSource(int32(l.B))
				}
				return nil, true
			case never:
			default:
				lits = append(lits, x)
			}
		}
	}
	return lits, false
}

// nearness, of 0 to 1, is high for a literal that is made true by a small move
// in the last order.
func (t *theory) nearness(l constraint.Lit) float64 {
	return t.near(int32(l.A), int32(l.B))
}

func (t *theory) near(a, b int32) float64 {
	if t.place == nil || a < 0 || b < 0 {
		return 0
	}
	d := math.Abs(float64(t.place[a]) - float64(t.place[b]))
	return 1 - d/float64(len(t.place)+1)
}

// add adds a clause between checks.
func (t *theory) add(c constraint.Clause, guard []sat.Lit) {
	t.sat.Rest()
	lits, holds := t.clause(c, guard)
	for _, l := range t.side {
		t.sat.AddLemma(l)
	}
	t.side = nil
	if !holds {
		t.sat.Add(lits...)
	}
}

// wrongSources adds what From atoms mean where an order is against them.
func (t *theory) wrongSources(at []constraint.EventID) {
	read := t.sourcesOf(at)
	for _, v := range t.fromAll[:len(t.fromAll):len(t.fromAll)] {
		if !t.budget.Spend(1) {
			return // lemmas reports it
		}
		w, r := t.a[v], t.b[v]
		got, happens := read[r]
		switch val := t.sat.Value(v.Pos()); {
		case !happens || got == nobody || val == sat.Open || (got == w) == (val == sat.True):
		case t.sys.Events[r].Op == constraint.Recv:
			t.wrongSend(v, val)
		case val == sat.True:
			t.overwritten(v)
		default:
			t.someSource(r)
		}
	}
}

// sourcesOf is whom each read with From atoms takes its value from in an order.
func (t *theory) sourcesOf(at []constraint.EventID) map[int32]int32 {
	read := make(map[int32]int32, len(t.takers))
	last := make(map[constraint.ObjID]int32)
	sends := make(map[constraint.ObjID][]int32)
	received := make(map[constraint.ObjID]int)
	for _, e := range at {
		if e == t.sys.End() {
			break
		}
		ev := &t.sys.Events[e]
		_, asked := t.takers[int32(e)]
		switch ev.Op {
		case constraint.Read, constraint.RMW:
			if w, ok := last[ev.Obj]; asked && ok {
				read[int32(e)] = w
			} else if asked {
				read[int32(e)] = -1
			}
		case constraint.Send:
			sends[ev.Obj] = append(sends[ev.Obj], int32(e))
		case constraint.Recv:
			if ev.Outcome != constraint.Received {
				continue
			}
			// Also in an order in which some receive comes too early, the
			// k-th one is about the k-th send.
			k := received[ev.Obj]
			received[ev.Obj]++
			if q := sends[ev.Obj]; asked && k < len(q) {
				read[int32(e)] = q[k]
			} else if asked {
				read[int32(e)] = nobody
			}
		}
		if ev.Op == constraint.Write || ev.Op == constraint.RMW {
			last[ev.Obj] = int32(e)
		}
	}
	return read
}

// overwritten: no other write is between a source and its read.
func (t *theory) overwritten(v sat.Var) {
	w, r := t.a[v], t.b[v]
	for _, o := range t.giving[t.sys.Events[r].Obj] {
		if o == w || o == r || t.place[o] > t.place[r] || w >= 0 && t.place[o] < t.place[w] {
			continue
		}
		t.locked.outside(v, o)
	}
}

// apart: nothing is between the halves of a rendezvous. Orders are explained as
// if the receive stood right behind its send, which the edges may not allow.
func (t *theory) apart(at []constraint.EventID) {
	sch, v, err := t.check.meets(t.budget, at, constraint.Goal{})
	if v != nil || err != nil {
		return // missed reports it
	}
	t.view(sch.Order)
	for i, e := range sch.Order {
		r := int32(e)
		if i == 0 || !t.player.rendezvous(r) || t.sys.Events[r].Op != constraint.Recv {
			continue
		}
		s := int32(sch.Order[i-1])
		t.g.Before(r, func(u int32) {
			if t.place[u] > t.place[r] {
				t.someSource(r)
				if x := t.from(s, r, 1); x >= 0 {
					t.means(x.Var(), t.before(u, s, t.near(u, s)), t.before(r, u, t.near(r, u)))
				}
			}
		})
	}
	t.view(at)
}

// someSource: a read that happens has a source.
func (t *theory) someSource(r int32) {
	if t.sourced[r] {
		return
	}
	t.sourced[r] = true
	lits := []sat.Lit{not(t.happens(r, 0))}
	if t.sys.Events[r].Op != constraint.Recv {
		lits = append(lits, t.from(-1, r, 0))
	}
	for _, w := range t.giving[t.sys.Events[r].Obj] {
		lits = append(lits, t.from(w, r, t.near(w, r)))
	}
	t.say(sat.None, lits)
}

// overtaken: two sends are received in their order. It says so for the pairs
// known to be in the wrong one, and whether there are any.
func (t *theory) overtaken(v sat.Var) (some bool) {
	s, r := t.a[v], t.b[v]
	for _, o := range t.moving[t.sys.Events[r].Obj] {
		for _, w := range t.takers[o] {
			s2, r2 := t.a[w], t.b[w]
			if w == v || t.sat.Value(w.Pos()) != sat.True || (t.place[s2] < t.place[s]) == (t.place[r2] < t.place[r]) {
				continue
			}
			some = true
			if t.place[s2] > t.place[s] {
				s2, s, r2, r = s, s2, r, r2
			}
			// s2 before s, but r before r2
			t.means(v, w.Neg(), t.before(s, s2, t.near(s, s2)), t.before(r2, r, t.near(r2, r)))
			s, r = t.a[v], t.b[v]
		}
	}
	return some
}

// wrongSend: first in, first out. A receive takes from a send iff as many sends
// come before the one as successful receives before the other.
func (t *theory) wrongSend(v sat.Var, val sat.Value) {
	s, r := t.a[v], t.b[v]
	if val == sat.False {
		t.someSource(r)
		return
	}
	if t.overtaken(v) {
		return
	}
	sends, recvs := 0, 0
	obj := t.sys.Events[r].Obj
	for _, e := range t.moving[obj] {
		switch {
		case t.sys.Events[e].Op == constraint.Send && t.place[e] < t.place[s]:
			sends++
		case t.sys.Events[e].Op == constraint.Recv && t.place[e] < t.place[r]:
			recvs++
		}
	}
	if sends == recvs {
		return
	}
	// Too few sends before s: another one comes before it, or a receive that
	// comes before r does not; and the other way round.
	var any []sat.Lit
	for _, e := range t.moving[obj] {
		than, early := s, t.place[e] < t.place[s]
		more := sends < recvs
		if t.sys.Events[e].Op == constraint.Recv {
			than, early, more = r, t.place[e] < t.place[r], sends > recvs
		}
		switch {
		case e == than:
		case more && !early:
			any = append(any, t.before(e, than, t.near(e, than)))
		case !more && early:
			any = append(any, t.before(than, e, t.near(than, e)))
		}
	}
	t.means(v, any...)
}
