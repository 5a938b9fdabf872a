package constraint

import "fmt"

// maxChoices bounds how many writers a clause names as the ones that a read may
// take from; with more it names only the one that it may not.
const maxChoices = 128

// holds says whether a condition holds with what was taken so far.
func (c *Checker) holds(t *Term) bool {
	if t.Op == TEq && t.Args[0].Op == Sym && t.Args[1].Op == Const {
		return wrap(wrap(c.took[t.Args[0].Event], t.Args[0].Width), t.Width) ==
			wrap(wrap(t.Args[1].Value, t.Args[1].Width), t.Width)
	}
	return t.Eval(c.val).True()
}

// path reports a condition that fails at e, or at the end as part of the goal.
// The scratch clause says already that e does not happen. With one symbol the
// clause names the writers that can make the condition hold; with more, those
// that make it fail: one of the reads that it comes from takes another value.
func (c *Checker) path(e EventID, cond *Term, rule string) {
	start := len(c.lits)
	c.ids = cond.symbols(c.ids[:0])
	ok := len(c.ids) == 1 && c.choices(c.ids[0], cond)
	if !ok {
		c.lits = c.lits[:start]
		c.round++
		ok = c.why(cond)
	}
	if ok {
		c.report(e, rule, fmt.Sprintf("%v does not hold", cond))
	}
}

// choices adds From literals for the writers that give r a value with which the
// condition holds. The writer of the current order is not among them; if its
// value comes from other reads one of those may change. It is false if there
// are too many, or r took from nobody.
func (c *Checker) choices(r EventID, cond *Term) bool {
	f := c.from[r]
	if f == unknownFrom {
		return false
	}
	if c.x.s.Events[r].Op == Recv && c.x.s.Events[r].Outcome == Closed {
		return true
	}
	n := 0
	c.budget -= len(c.x.ofObj[c.x.s.Events[r].Obj]) / eventsPerLiteral
	c.eachServer(r, func(w EventID) bool {
		c.budget -= literalsPerWriter
		if w != f && c.gives(w, r, cond) {
			c.lits = append(c.lits, Lit{From: true, A: w, B: r})
			n++
		}
		return n <= maxChoices
	})
	if n > maxChoices {
		return false
	}
	if f == NoEvent || c.x.s.Events[f].Val == nil {
		return true
	}
	c.round++
	return c.why(c.x.s.Events[f].Val)
}

// gives says that a condition over r alone holds, or may hold, if r takes from w.
func (c *Checker) gives(w, r EventID, cond *Term) bool {
	v, known := c.x.written(w, r)
	return !known || cond.Eval(func(EventID) Value { return v }).True()
}

// written is what w gives to r, if that is known whatever the order.
func (x *index) written(w, r EventID) (v Value, known bool) {
	if w == NoEvent {
		return x.s.Objects[x.s.Events[r].Obj].Init, true
	}
	t := x.s.Events[w].Val
	switch {
	case t == nil:
		return FreshOf(w), true
	case t.Op == Const:
		return wrap(t.Value, t.Width), true
	case t.Op == Sym || t.hasSymbol():
		return Value{}, false
	}
	return t.Eval(nil), true
}

func (t *Term) hasSymbol() bool {
	if t.Op == Sym {
		return true
	}
	for _, a := range t.Args {
		if a.hasSymbol() {
			return true
		}
	}
	return false
}

// why adds the reads that a term's value comes from in the current order, each
// as "it takes from another", with those that what they read comes from. It
// leaves out what the value does not depend on. It is false if one of them took
// from nobody.
func (c *Checker) why(t *Term) bool {
	switch t.Op {
	case Const:
		return true
	case Sym:
		return c.whyRead(t.Event)
	case TAllOf, TAnyOf:
		for _, a := range t.Args {
			if a.Eval(c.val).True() == (t.Op == TAnyOf) {
				return c.why(a)
			}
		}
	case TIte:
		taken := t.Args[2]
		if t.Args[0].Eval(c.val).True() {
			taken = t.Args[1]
		}
		return c.why(t.Args[0]) && c.why(taken)
	}
	for _, a := range t.Args {
		if !c.why(a) {
			return false
		}
	}
	return true
}

func (c *Checker) whyRead(r EventID) bool {
	if c.seen[r] == c.round {
		return true
	}
	c.seen[r] = c.round
	ev, f := &c.x.s.Events[r], c.from[r]
	switch {
	case f == unknownFrom:
		return false
	case ev.Op == Recv && ev.Outcome == Closed:
		return true
	}
	c.lits = append(c.lits, Lit{From: true, Neg: true, A: f, B: r})
	if f == NoEvent || c.x.s.Events[f].Val == nil {
		return true
	}
	return c.why(c.x.s.Events[f].Val)
}
