package gen

import (
	"fmt"
	"math/rand/v2"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
)

// Question is a random system with something to ask of it. Nothing is known of
// the answer; about half of the questions have a schedule.
type Question struct {
	System *constraint.System
	Goal   constraint.Goal
	Given  []constraint.Clause // added before the check
	Assume []solve.Assumption
}

// Random makes a question over all kinds of events and goals, with up to events
// events: alternatives, conditions over terms, values of which only identity is
// known, threads that are started, and ones that stand before what nobody did.
func Random(rng *rand.Rand, events int) *Question {
	r := &random{Rand: rng, sys: &constraint.System{Objects: append([]constraint.Object(nil), randomObjects...)}}
	r.sys.Objects[1].Init = r.value()
	r.sys.Objects[2].Init = r.value()
	r.sys.Objects[2].Width = []int{0, 1, 8, 32}[rng.IntN(4)]
	r.families()
	r.threads(events)
	q := &Question{System: r.sys, Goal: r.goal()}
	for range rng.IntN(3) {
		q.Given = append(q.Given, r.clause())
	}
	for i := range rng.IntN(4) {
		a := solve.Assumption{Name: fmt.Sprintf("a%d", i)}
		for range 1 + rng.IntN(2) {
			a.Clauses = append(a.Clauses, r.clause())
		}
		q.Assume = append(q.Assume, a)
	}
	return q
}

var randomObjects = []constraint.Object{
	{},
	{Kind: constraint.Location, Name: "x"},
	{Kind: constraint.Location, Name: "y"},
	{Kind: constraint.Mutex, Name: "mu"},
	{Kind: constraint.Mutex, Name: "rw"},
	{Kind: constraint.WaitGroup, Name: "wg"},
	{Kind: constraint.Cond, Name: "cond"},
	{Kind: constraint.Channel, Name: "meet"},
	{Kind: constraint.Channel, Name: "one", Cap: 1},
	{Kind: constraint.Channel, Name: "two", Cap: 2},
	{Kind: constraint.Channel, Name: "nil", Nil: true},
}

type random struct {
	*rand.Rand
	sys *constraint.System
	ops []func() constraint.Event
}

// families picks a few kinds of operations, or nothing would ever meet.
func (r *random) families() {
	on := func(o constraint.ObjID, ops ...constraint.Op) func() {
		return func() {
			for _, op := range ops {
				r.ops = append(r.ops, func() constraint.Event { return constraint.Event{Op: op, Obj: o} })
			}
		}
	}
	channel := func(o constraint.ObjID) func() {
		return on(o, constraint.Send, constraint.Send, constraint.Recv, constraint.Recv, constraint.Recv, constraint.Close)
	}
	all := []func(){
		on(1, constraint.Read, constraint.Write, constraint.RMW), on(2, constraint.Read, constraint.Write),
		on(3, constraint.Lock, constraint.Unlock, constraint.TryLock), on(3, constraint.Lock, constraint.Unlock),
		on(4, constraint.Lock, constraint.Unlock, constraint.RLock, constraint.RUnlock, constraint.TryLock, constraint.TryRLock),
		on(4, constraint.Lock, constraint.Unlock, constraint.RLock, constraint.RLock, constraint.RUnlock),
		on(5, constraint.Add, constraint.Add, constraint.Wait),
		on(6, constraint.CondWait, constraint.CondWake, constraint.Signal, constraint.Broadcast),
		channel(7), channel(7), channel(8), channel(9), channel(10),
		on(0, constraint.Default, constraint.Nop),
	}
	for _, i := range r.Perm(len(all))[:1+r.IntN(3)] {
		all[i]()
	}
}

// threads makes the events, thread by thread: mostly chains, with alternatives.
func (r *random) threads(events int) {
	n := 2 + r.IntN(2)
	r.sys.Threads = make([]constraint.Thread, n)
	spawner := constraint.NoEvent
	started := r.IntN(3) == 0
	at := r.Perm(events + 2*n)
	for t := range r.sys.Threads {
		r.sys.Threads[t] = constraint.Thread{Name: fmt.Sprintf("t%d", t), Open: r.IntN(6) == 0}
		var mine []constraint.EventID
		add := func(ev constraint.Event, prev constraint.EventID) {
			ev.Thread, ev.Prev, ev.At = constraint.ThreadID(t), prev, at[len(r.sys.Events)]
			if r.IntN(4) == 0 {
				ev.At = -1
			}
			if ev.Op != constraint.Spawn {
				ev.Child = -1
			}
			mine = append(mine, constraint.EventID(len(r.sys.Events)))
			r.sys.Events = append(r.sys.Events, ev)
		}
		if started && t > 0 && r.IntN(2) == 0 {
			add(constraint.Event{Op: constraint.Start, Partner: constraint.NoEvent}, constraint.NoEvent)
		}
		if started && t == 0 {
			for child := 1; child < n; child++ {
				add(constraint.Event{Op: constraint.Spawn, Child: constraint.ThreadID(child), Partner: constraint.NoEvent}, spawner)
				spawner = mine[len(mine)-1]
			}
		}
		for range 1 + r.IntN(max(1, 2*events/n-1)) {
			prev := constraint.NoEvent
			if len(mine) > 0 {
				prev = mine[len(mine)-1]
			}
			if len(mine) > 0 && r.IntN(5) == 0 { // an alternative
				prev = r.sys.Events[mine[r.IntN(len(mine))]].Prev
				if prev == constraint.NoEvent && r.sys.Events[mine[0]].Op == constraint.Start {
					prev = mine[0]
				}
			}
			if prev != constraint.NoEvent && r.sys.Events[prev].Pending {
				prev = r.sys.Events[prev].Prev
			}
			add(r.event(prev), prev)
			if len(r.sys.Events) >= events {
				break
			}
		}
	}
}

// event makes what may follow prev.
func (r *random) event(prev constraint.EventID) constraint.Event {
	ev := r.ops[r.IntN(len(r.ops))]()
	ev.Partner = constraint.NoEvent
	self := constraint.EventID(len(r.sys.Events))
	symbols := r.before(prev, func(op constraint.Op) bool {
		return op == constraint.Read || op == constraint.RMW || op == constraint.Recv
	})
	switch ev.Op {
	case constraint.CondWake:
		w := r.before(prev, func(op constraint.Op) bool { return op == constraint.CondWait })
		if len(w) == 0 {
			ev.Op = constraint.CondWait
		} else {
			ev.Partner = w[0]
		}
	case constraint.TryLock, constraint.TryRLock:
		ev.Outcome = r.IntN(2)
	case constraint.Recv:
		ev.Outcome = []int{constraint.Received, constraint.Received, constraint.Closed}[r.IntN(3)]
	case constraint.Add:
		ev.Delta = []int64{1, 1, 2, -1, -1, -2}[r.IntN(6)]
	case constraint.Default:
		for range 1 + r.IntN(2) {
			ev.Cases = append(ev.Cases, constraint.Case{Obj: constraint.ObjID(7 + r.IntN(4)), Send: r.IntN(2) == 0})
		}
	}
	own := ev.Op == constraint.Read || ev.Op == constraint.RMW || ev.Op == constraint.Recv
	if own {
		symbols = append(symbols, self)
	}
	if ev.Op == constraint.Write || ev.Op == constraint.RMW || ev.Op == constraint.Send {
		over := symbols
		if ev.Op != constraint.RMW && own {
			over = symbols[:len(symbols)-1]
		}
		switch r.IntN(6) {
		case 0: // a value that only this event makes
		case 1, 2:
			ev.Val = r.term(over, 2)
		default:
			ev.Val = constant(r.value())
		}
	}
	if len(symbols) > 0 && r.IntN(3) == 0 {
		ev.Cond = append(ev.Cond, r.condition(symbols))
	}
	if len(ev.Cond) == 0 && r.IntN(12) == 0 {
		ev.Pending = true
	}
	return ev
}

// before lists events of the path to e, latest first.
func (r *random) before(e constraint.EventID, is func(constraint.Op) bool) (out []constraint.EventID) {
	for ; e != constraint.NoEvent; e = r.sys.Events[e].Prev {
		if is(r.sys.Events[e].Op) {
			out = append(out, e)
		}
	}
	return out
}

// value is small, or one of which only identity is known.
func (r *random) value() constraint.Value {
	if r.IntN(8) == 0 {
		return constraint.Value{Fresh: -1 - int32(r.IntN(2))}
	}
	return constraint.Value{Bits: uint64(r.IntN(3))}
}

func constant(v constraint.Value) *constraint.Term {
	return &constraint.Term{Op: constraint.Const, Value: v}
}

// condition is mostly a comparison of a symbol with a constant.
func (r *random) condition(symbols []constraint.EventID) *constraint.Term {
	s := &constraint.Term{Op: constraint.Sym, Event: symbols[r.IntN(len(symbols))]}
	if r.IntN(3) > 0 {
		v := r.value()
		if r.IntN(5) == 0 && len(r.sys.Events) > 0 {
			v = constraint.Value{Fresh: 1 + int32(r.IntN(len(r.sys.Events)))}
		}
		op := []constraint.TermOp{constraint.TEq, constraint.TEq, constraint.TNe}[r.IntN(3)]
		return &constraint.Term{Op: op, Args: []*constraint.Term{s, constant(v)}}
	}
	return r.term(symbols, 3)
}

// term is any term, of the operations' own arities and widths.
func (r *random) term(symbols []constraint.EventID, depth int) *constraint.Term {
	if depth == 0 || r.IntN(4) == 0 {
		if len(symbols) > 0 && r.IntN(3) > 0 {
			return &constraint.Term{Op: constraint.Sym, Event: symbols[r.IntN(len(symbols))], Width: r.width()}
		}
		return constant(r.value())
	}
	t := &constraint.Term{Op: constraint.TAdd + constraint.TermOp(r.IntN(int(constraint.TIte-constraint.TAdd)+1)), Width: r.width()}
	n := 2
	switch t.Op {
	case constraint.TNot:
		n = 1
	case constraint.TIte:
		n = 3
	case constraint.TAllOf, constraint.TAnyOf:
		n = 1 + r.IntN(3)
	}
	for range n {
		t.Args = append(t.Args, r.term(symbols, depth-1))
	}
	return t
}

func (r *random) width() uint8 { return []uint8{0, 0, 0, 1, 8, 16, 32, 64}[r.IntN(8)] }

// goal asks for one or two things.
func (r *random) goal() constraint.Goal {
	g := constraint.Goal{Name: "random"}
	for range r.IntN(3) {
		e := r.any()
		switch r.IntN(9) {
		case 0, 1:
			g.Include = append(g.Include, e)
		case 2:
			g.Stop = append(g.Stop, e)
		case 3, 4:
			g.Blocked = append(g.Blocked, e)
		case 5, 6:
			g.Stuck = true
		case 7:
			g.Order = append(g.Order, constraint.Edge{Before: e, After: r.any()})
		case 8:
			var symbols []constraint.EventID
			for i := range r.sys.Events {
				if op := r.sys.Events[i].Op; op == constraint.Read || op == constraint.RMW || op == constraint.Recv {
					symbols = append(symbols, constraint.EventID(i))
				}
			}
			if len(symbols) > 0 {
				g.Cond = append(g.Cond, r.condition(symbols))
			}
		}
	}
	if len(g.Include) == 0 {
		g.Include = append(g.Include, r.any())
	}
	return g
}

func (r *random) any() constraint.EventID { return constraint.EventID(r.IntN(len(r.sys.Events))) }

// clause is a disjunction over orders of events, End among them, and over who
// reads from whom. Of some literals it says besides that they ask nothing of what
// does not happen, as the clauses that solvers make do.
func (r *random) clause() (c constraint.Clause) {
	for range 1 + r.IntN(3) {
		l := constraint.Lit{A: r.any(), B: r.any(), Neg: r.IntN(3) == 0}
		switch r.IntN(5) {
		case 0:
			l.B = r.sys.End()
		case 1:
			if a, b, ok := r.pair(); ok {
				l.From, l.A, l.B = true, a, b
			}
		}
		if l.A == l.B {
			continue
		}
		c = append(c, l)
		if r.IntN(2) == 0 {
			continue
		}
		if end := r.sys.End(); l.From {
			c = append(c, constraint.Lit{A: end, B: l.B})
		} else if l.B != end {
			c = append(c, constraint.Lit{A: end, B: l.A})
		}
	}
	if len(c) == 0 {
		c = constraint.Clause{{A: r.any(), B: r.sys.End()}}
	}
	return c
}

// pair is a writer, or none, and a reader of the same object.
func (r *random) pair() (from, to constraint.EventID, ok bool) {
	for range 10 {
		a, b := r.any(), r.any()
		x, y := &r.sys.Events[a], &r.sys.Events[b]
		reads := y.Op == constraint.Read || y.Op == constraint.RMW
		switch writes := x.Op == constraint.Write || x.Op == constraint.RMW; {
		case a == b || x.Obj != y.Obj:
		case reads && writes, y.Op == constraint.Recv && y.Outcome == constraint.Received && x.Op == constraint.Send:
			return a, b, true
		case reads && r.IntN(4) == 0:
			return constraint.NoEvent, b, true
		}
	}
	return 0, 0, false
}
