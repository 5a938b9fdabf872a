package native

import (
	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/native/sat"
)

// equals are variables for "both reads happen and take equal values".
//
// A goal may be that two values differ which always change together. Each order
// of the changes gives other values; to refute all, one has to say that the
// values are equal whatever they are: they are if the reads take from writes of
// terms of one shape over values that are equal (congruence). So the proof is as
// long as the chain of writes, not as the number of orders.
//
// All clauses say what makes a variable true. One that is true need not mean
// anything.
type equals struct {
	t       *theory
	lits    map[pair]sat.Lit
	failed  map[pair]bool // pairs that induct did not prove
	coupled map[coupling]bool
	told    map[pair]bool // pairs explained in the current order
	todo    []pair
}

func newEquals(t *theory) equals {
	return equals{t: t, lits: map[pair]sat.Lit{}, failed: map[pair]bool{}, coupled: map[coupling]bool{}}
}

func (q *equals) lit(p pair) sat.Lit {
	if p.a == p.b {
		return always
	}
	l, ok := q.lits[p]
	if !ok && q.proved(p) {
		return always
	}
	if !ok {
		l = q.t.plain()
		q.lits[p] = l
	}
	return l
}

func ordered(a, b constraint.EventID) pair {
	if a > b {
		a, b = b, a
	}
	return pair{int32(a), int32(b)}
}

// miss explains, in the order just played, the conditions of the goal by which
// two terms of one shape have to differ and do not. It returns the other ones.
func (q *equals) miss() (others []*constraint.Term) {
	q.told = map[pair]bool{}
	for _, c := range q.t.goal.Cond {
		if pairs, ok := q.refuted(c); ok {
			q.t.say(sat.None, append(q.unequal(pairs), q.t.goalLit.Not()))
		} else {
			others = append(others, c)
		}
	}
	for len(q.todo) > 0 {
		p := q.todo[len(q.todo)-1]
		q.todo = q.todo[:len(q.todo)-1]
		if !q.t.budget.Spend(1) {
			q.todo = q.todo[:0] // lemmas reports it; what is not told is told anew by the next order
			break
		}
		q.explain(p)
	}
	return others
}

// refuted says that a condition "differ" fails in the current order because the
// values of pairs of reads are equal.
func (q *equals) refuted(c *constraint.Term) ([]pair, bool) {
	a, b, ok := differ(c)
	if !ok {
		return nil, false
	}
	pairs, ok := q.alike(a, b)
	for _, p := range pairs {
		ok = ok && q.happened(p)
	}
	return pairs, ok
}

// differ are the terms that a condition "differ" is over.
func differ(c *constraint.Term) (a, b *constraint.Term, ok bool) {
	switch {
	case c.Op == constraint.TNot && c.Args[0].Op == constraint.TEq:
		c = c.Args[0]
	case c.Op != constraint.TNe:
		return nil, nil, false
	}
	return c.Args[0], c.Args[1], true
}

// never says that an event can't happen, since it demands that two values differ
// which are equal in every schedule.
func (q *equals) never(e constraint.EventID) bool {
	if e == q.t.sys.End() {
		return false
	}
	for _, c := range q.t.sys.Events[e].Cond {
		a, b, ok := differ(c)
		if !ok {
			continue
		}
		pairs, ok := shape(a, b, nil)
		for _, p := range pairs {
			ok = ok && q.proved(p)
		}
		if ok {
			return true
		}
	}
	return false
}

// proved says that two reads take equal values whenever both happen.
func (q *equals) proved(p pair) bool {
	if p.a == p.b || q.lits[p] == always {
		return true
	}
	if q.failed[p] {
		return false
	}
	if q.induct(p) {
		return true
	}
	q.failed[p] = q.t.budget.Spend(1)
	return false
}

func (q *equals) happened(p pair) bool {
	m := q.t.player.m
	return m.Happened(constraint.EventID(p.a)) && m.Happened(constraint.EventID(p.b))
}

// alike pairs the reads of two terms of one shape whose values are equal in the
// current order.
func (q *equals) alike(a, b *constraint.Term) ([]pair, bool) {
	pairs, ok := shape(a, b, nil)
	for _, p := range pairs {
		ok = ok && q.t.player.m.Value(constraint.EventID(p.a)) == q.t.player.m.Value(constraint.EventID(p.b))
	}
	return pairs, ok
}

// unequal are the literals that say that one of some pairs differs.
func (q *equals) unequal(pairs []pair) (lits []sat.Lit) {
	for _, p := range pairs {
		lits = append(lits, not(q.lit(p)))
		if p.a != p.b && !q.told[p] && q.lits[p] != always {
			q.told[p] = true
			q.todo = append(q.todo, p)
		}
	}
	return lits
}

// explain says why two reads take equal values.
func (q *equals) explain(p pair) {
	m := q.t.player.m
	w, o := m.From(constraint.EventID(p.a)), m.From(constraint.EventID(p.b))
	lits := []sat.Lit{q.lit(p), not(q.t.from(int32(w), p.a, 0)), not(q.t.from(int32(o), p.b, 0))}
	if w != o || w == constraint.NoEvent {
		why, ok := q.because(w, o)
		if !ok {
			why = q.chain(p.b, q.chain(p.a, nil))
		}
		lits = append(lits, why...)
	}
	q.t.say(sat.None, lits)
}

// because is why two writes, which give equal values, do so, beside what they
// are.
func (q *equals) because(w, o constraint.EventID) (lits []sat.Lit, ok bool) {
	a, b := q.term(w), q.term(o)
	if a == nil || b == nil {
		return nil, (a == nil || len(a.Symbols()) == 0) && (b == nil || len(b.Symbols()) == 0)
	}
	if len(a.Symbols())+len(b.Symbols()) == 0 {
		return nil, true
	}
	pairs, ok := q.alike(a, b)
	if !ok {
		return nil, false
	}
	return q.unequal(pairs), true
}

// term is what is written; nil for the initial value or one of its own.
func (q *equals) term(w constraint.EventID) *constraint.Term {
	if w == constraint.NoEvent {
		return nil
	}
	return q.t.sys.Events[w].Val
}

// chain adds, for the reads that a read's value comes from, that they take from
// another.
func (q *equals) chain(r int32, lits []sat.Lit) []sat.Lit {
	seen, stack := map[int32]bool{r: true}, []int32{r}
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		w := q.t.player.m.From(constraint.EventID(r))
		lits = append(lits, not(q.t.from(int32(w), r, 0)))
		if v := q.term(w); v != nil {
			for _, s := range v.Symbols() {
				if !seen[int32(s)] {
					seen[int32(s)] = true
					stack = append(stack, int32(s))
				}
			}
		}
	}
	return lits
}
