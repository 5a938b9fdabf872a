package native

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/native/order"
	"github.com/hocket-dev/hocket/engine/solve/native/sat"
)

// kind of a variable.
type kind uint8

const (
	plain  kind = iota // activates clauses: a scope, the goal, an assumption
	before             // event a is before event b, a < b
	from               // b takes its value from a; a is -1 for the initial value
)

// Literals that hold always or never and have no variable.
const (
	always sat.Lit = -2
	never  sat.Lit = -3
)

// known is how many nodes are searched for a path that decides a new atom.
const known = 400

type pair struct{ a, b int32 }

// atoms are the variables, made on demand: one for each unordered pair of
// events asked about, one for each From.
type atoms struct {
	t       *theory
	orders  map[pair]sat.Lit // a < b
	froms   map[pair]sat.Lit
	kinds   []kind // by variable, as all below
	a, b    []int32
	stamps  []int32     // of a literal implied by a path: number of edges then
	atomsAt [][]sat.Var // order atoms by node, but for those with End
	atEnd   []sat.Var   // by event: its atom with End; -1: none
	takers  map[int32][]sat.Var
	givers  map[int32][]sat.Var // of channels: by send
	fromAll []sat.Var
	side    []sat.Lemma // what new variables mean, not yet given to the core
}

func newAtoms(t *theory) atoms {
	return atoms{
		t: t, orders: map[pair]sat.Lit{}, froms: map[pair]sat.Lit{},
		atomsAt: make([][]sat.Var, len(t.sys.Events)+1),
		atEnd:   slices.Repeat([]sat.Var{-1}, len(t.sys.Events)+1),
		takers:  map[int32][]sat.Var{}, givers: map[int32][]sat.Var{},
	}
}

func (t *atoms) newVar(k kind, a, b int32, early float64) sat.Var {
	v := t.t.sat.NewVar(sat.Open, early)
	t.kinds = append(t.kinds, k)
	t.a = append(t.a, a)
	t.b = append(t.b, b)
	t.stamps = append(t.stamps, 0)
	return v
}

// plain makes a literal that activates clauses.
func (t *atoms) plain() sat.Lit { return t.newVar(plain, -1, -1, 0).Pos() }

// retire ends what a plain literal activates.
func (t *theory) retire(l sat.Lit) { t.sat.Add(l.Not()) }

// ends are the events that a true order literal puts in order.
func (t *atoms) ends(l sat.Lit) (int32, int32) {
	a, b := t.a[l.Var()], t.b[l.Var()]
	if l.Negated() {
		return b, a
	}
	return a, b
}

// lit is the literal for a constraint.Lit; always or never if what holds for
// good decides it.
func (t *theory) lit(l constraint.Lit, early float64) sat.Lit {
	var x sat.Lit
	if l.From {
		x = t.from(int32(l.A), int32(l.B), early)
	} else {
		x = t.before(int32(l.A), int32(l.B), early)
	}
	if l.Neg {
		return not(x)
	}
	return x
}

func not(x sat.Lit) sat.Lit {
	switch x {
	case always:
		return never
	case never:
		return always
	}
	return x.Not()
}

// before is the literal a < b.
func (t *theory) before(a, b int32, early float64) sat.Lit {
	if a == b {
		return never
	}
	if a > b {
		return not(t.before(b, a, early))
	}
	if x, ok := t.orders[pair{a, b}]; ok {
		return x
	}
	x, implied := t.decided(a, b)
	if x == sat.None {
		v := t.newVar(before, a, b, early)
		if int(b) == len(t.sys.Events) {
			t.atEnd[a] = v
		} else {
			t.atomsAt[a] = append(t.atomsAt[a], v)
			t.atomsAt[b] = append(t.atomsAt[b], v)
		}
		x = v.Pos()
		switch implied {
		case order.Yes:
			t.implyNow(x)
		case order.No:
			t.implyNow(x.Not())
		}
	}
	t.orders[pair{a, b}] = x
	return x
}

// decided says whether a path decides a < b: for good (always, never), or as
// long as the edges of now stand (Yes, No).
func (t *theory) decided(a, b int32) (sat.Lit, order.Answer) {
	lit, answer := always, order.Yes
	if t.g.Pos(a) > t.g.Pos(b) {
		a, b = b, a
		lit, answer = never, order.No
	}
	if t.g.ReachesForGood(a, b, known) == order.Yes {
		return lit, answer
	}
	if t.g.Reaches(a, b, known) == order.Yes {
		return sat.None, answer
	}
	return sat.None, order.Unknown
}

// from is the literal "r takes its value from w", w = -1 for the initial one.
func (t *theory) from(w, r int32, early float64) sat.Lit {
	if x, ok := t.froms[pair{w, r}]; ok {
		return x
	}
	x := never
	if happens := t.happens(r, early); happens != never && t.gives(w, r) && !t.feasible.ruledOut(w, r) && !t.locked.ruledOut(w, r) {
		order := always
		if w >= 0 {
			order = t.before(w, r, early)
		}
		if order != never {
			v := t.newVar(from, w, r, early)
			x = v.Pos()
			t.define(v, order, happens)
			t.register(v)
		}
	}
	t.froms[pair{w, r}] = x
	return x
}

func (t *theory) happens(e int32, early float64) sat.Lit {
	return t.before(e, int32(t.sys.End()), early)
}

// gives says that w may be what r takes its value from, by kind.
func (t *theory) gives(w, r int32) bool {
	to := &t.sys.Events[r]
	if w < 0 {
		return to.Op == constraint.Read || to.Op == constraint.RMW
	}
	by := &t.sys.Events[w]
	switch {
	case by.Obj != to.Obj || w == r:
		return false
	case to.Op == constraint.Read || to.Op == constraint.RMW:
		return by.Op == constraint.Write || by.Op == constraint.RMW
	}
	return by.Op == constraint.Send && to.Op == constraint.Recv && to.Outcome == constraint.Received
}

// define says what a From variable implies for the order.
func (t *theory) define(v sat.Var, order, happens sat.Lit) {
	t.means(v, order)
	t.means(v, happens)
	t.locked.source(v)
	w, r := t.a[v], t.b[v]
	if w < 0 || t.sys.Events[r].Op != constraint.Recv || t.sys.Objects[t.sys.Events[r].Obj].Cap > 0 {
		return
	}
	// A rendezvous: nothing is between the two, so each thread's neighbours are
	// on the outside of both.
	if p := t.sys.Events[r].Prev; p != constraint.NoEvent {
		t.means(v, t.before(int32(p), w, 0))
	}
	for _, k := range t.player.kids[w] {
		t.means(v, t.before(r, int32(k), 0))
	}
}

// means adds that v implies any of some literals.
func (t *theory) means(v sat.Var, any ...sat.Lit) {
	t.say(v.Neg(), append([]sat.Lit{v.Neg()}, any...))
}

// say adds a clause that holds always. Where its guard is not false, no literal
// of it is decided.
func (t *theory) say(guard sat.Lit, any []sat.Lit) {
	lemma := sat.Lemma{Guard: guard}
	for _, x := range any {
		if x == always {
			return
		}
		if x != never {
			lemma.Lits = append(lemma.Lits, x)
		}
	}
	t.side = append(t.side, lemma)
}

// register makes v exclude the other sources of its read.
func (t *theory) register(v sat.Var) {
	w, r := t.a[v], t.b[v]
	t.fromAll = append(t.fromAll, v)
	t.takers[r] = append(t.takers[r], v)
	if t.sys.Events[r].Op == constraint.Recv {
		t.givers[w] = append(t.givers[w], v)
	}
	t.others(v, func(o sat.Var) {
		if t.sat.Value(o.Pos()) == sat.True {
			t.sat.ImplyBy(v.Neg(), o.Pos())
		}
	})
}

// others calls f with the variables that can't be true with v.
func (t *theory) others(v sat.Var, f func(sat.Var)) {
	for _, group := range [...][]sat.Var{t.takers[t.b[v]], t.givers[t.a[v]]} {
		for _, o := range group {
			if o != v {
				f(o)
			}
		}
	}
}

// only makes a true From exclude the others.
func (t *theory) only(l sat.Lit) (conflict []sat.Lit) {
	if l.Negated() {
		return nil
	}
	t.others(l.Var(), func(o sat.Var) {
		if t.sat.Value(o.Pos()) == sat.True {
			conflict = []sat.Lit{l.Not(), o.Neg()}
		} else {
			t.sat.ImplyBy(o.Neg(), l)
		}
	})
	return conflict
}
