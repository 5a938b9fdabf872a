package z3

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/z3/libz3"
)

// formula is a system as Z3 has it: the engine of a session.
type formula struct {
	o        Options
	sys      *constraint.System
	enc      *encoder // nil: not made
	asserted []int    // clauses that enc has, by scope; the first is not on a push
	checks   int      // of enc
}

// renewal is after how many checks the encoder is made anew: Z3 keeps some
// hundred bytes of each check for as long as its context lives.
const renewal = 3000

func (f *formula) close() {
	if f.enc != nil {
		f.enc.close()
		f.enc = nil
	}
}

// check makes what of the formula is not made yet and asks Z3.
func (f *formula) check(ctx context.Context, q question) (r solve.Result, err error) {
	if f.checks++; f.checks > renewal {
		f.close()
	}
	if err := f.catchUp(ctx, q); err != nil {
		return r, err
	}
	f.enc.push()
	f.enc.goal(&q.goal)
	names := f.enc.assume(q.assume)
	if err := f.enc.failed(); err != nil {
		return r, err
	}
	answer, err := f.enc.solver.Check(ctx, names...)
	if err == nil && answer == libz3.Unknown {
		err, r.Reason = ctx.Err(), f.enc.solver.Reason()
	}
	if err != nil {
		return r, err
	}
	defer f.enc.pop()
	r.Stats = f.enc.stats()
	switch answer {
	case libz3.Unsat:
		r.Status, r.Core = solve.Unsat, f.enc.core(q.assume, names)
	case libz3.Sat:
		r.Status = solve.Sat
		r.Schedule, err = f.enc.schedule(&q.goal)
	}
	return r, err
}

// catchUp brings the encoder to the scopes of a question.
func (f *formula) catchUp(ctx context.Context, q question) (err error) {
	if f.enc == nil {
		if f.enc, err = newEncoder(ctx, f.sys, f.o); err != nil {
			return err
		}
		f.asserted, f.checks = []int{0}, 1
	}
	f.enc.ctx = ctx
	for len(f.asserted) > max(1, q.kept) {
		f.enc.pop()
		f.asserted = f.asserted[:len(f.asserted)-1]
	}
	for i, clauses := range q.scopes {
		if i == len(f.asserted) {
			f.enc.push()
			f.asserted = append(f.asserted, 0)
		}
		for _, c := range clauses[f.asserted[i]:] {
			if f.enc.stop() {
				break
			}
			f.enc.solver.Assert(f.enc.clause(c))
		}
		f.asserted[i] = len(clauses)
	}
	return f.enc.failed()
}

// assume asserts the clauses of assumptions, each under a name of its own.
func (n *encoder) assume(assume []solve.Assumption) []term {
	var names []term
	for i, a := range assume {
		name := n.Const(fmt.Sprintf("assume%d", i), n.Bools())
		for _, c := range a.Clauses {
			n.solver.Assert(n.Implies(name, n.clause(c)))
		}
		names = append(names, name)
	}
	return names
}

func (n *encoder) core(assume []solve.Assumption, names []term) []string {
	var core []string
	for _, t := range n.solver.Core() {
		core = append(core, assume[slices.Index(names, t)].Name)
	}
	return core
}

func (n *encoder) stats() solve.Stats {
	m := n.solver.Stats()
	return solve.Stats{Decisions: int(m["decisions"]), Conflicts: int(m["conflicts"])}
}

// schedule reads the model and has it judged: by a machine that knows nothing of
// the formula.
func (n *encoder) schedule(goal *constraint.Goal) (*constraint.Schedule, error) {
	order, err := n.order()
	if err != nil {
		return nil, err
	}
	sch, v := constraint.Simulate(n.sys, order)
	if v == nil {
		v = n.sys.Meets(sch, *goal)
	}
	if v != nil {
		return nil, fmt.Errorf("z3: its schedule %v is not accepted: %w\ngoal %v of\n%v", order, v, goal, n.sys)
	}
	return sch, nil
}

// order is the events that happen by position. The halves of a rendezvous go
// together, behind what else is at the send's position.
func (n *encoder) order() ([]eventID, error) {
	m, err := n.solver.Model()
	if err != nil {
		return nil, err
	}
	defer m.Close()
	at := make([]int64, len(n.pos))
	for e, p := range n.pos {
		if at[e], err = m.Int(p); err != nil {
			return nil, err
		}
	}
	type key struct {
		at   int64
		half int // 0: alone, 1: send, 2: receive
	}
	keyOf := func(e eventID) key {
		switch ev := &n.sys.Events[e]; {
		case !n.unbuffered(ev):
			return key{at[e], 0}
		case ev.Op == constraint.Send:
			return key{at[e], 1}
		default:
			return key{at[e] - 1, 2}
		}
	}
	var order []eventID
	for e := range n.end {
		if at[e] < at[n.end] {
			order = append(order, e)
		}
	}
	slices.SortStableFunc(order, func(a, b eventID) int {
		x, y := keyOf(a), keyOf(b)
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.half, y.half))
	})
	return order, nil
}
