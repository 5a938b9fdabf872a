package native

import (
	"context"
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/enumerate"
	"pgregory.net/rapid"
)

// objects of every kind; 0 is none.
var objects = []constraint.Object{
	{},
	{Kind: constraint.Location, Name: "x"},
	{Kind: constraint.Location, Name: "y", Init: constraint.Value{Bits: 1}},
	{Kind: constraint.Mutex, Name: "mu"},
	{Kind: constraint.Mutex, Name: "rw"},
	{Kind: constraint.WaitGroup, Name: "wg"},
	{Kind: constraint.Cond, Name: "cond"},
	{Kind: constraint.Channel, Name: "sync"},
	{Kind: constraint.Channel, Name: "one", Cap: 1},
	{Kind: constraint.Channel, Name: "two", Cap: 2},
}

// builder makes a random system, valid by construction.
type builder struct {
	t   *rapid.T
	sys *constraint.System
	ops []func() constraint.Event
}

// randomSystem has up to n events of two or three threads.
func randomSystem(t *rapid.T, n int) *constraint.System {
	b := &builder{t: t, sys: &constraint.System{Objects: objects}}
	threads := rapid.IntRange(2, 3).Draw(t, "threads")
	b.sys.Threads = make([]constraint.Thread, threads)
	// A few kinds at a time, or nothing ever meets.
	families := []string{"memory", "mutex", "rw", "group", "cond", "rendezvous", "channel"}
	some := rapid.SliceOfNDistinct(rapid.SampledFrom(families), 1, 3, rapid.ID).Draw(t, "families")
	for _, f := range some {
		b.ops = append(b.ops, b.family(f)...)
	}
	first := 0
	if rapid.Bool().Draw(t, "spawns") {
		first = b.add(constraint.Event{Thread: 0, Op: constraint.Spawn, Child: 1}, constraint.NoEvent)
	} else {
		first = b.step(0, constraint.NoEvent)
	}
	tips := make([][]constraint.EventID, threads) // where each thread may go on
	tips[0] = []constraint.EventID{constraint.EventID(first)}
	for len(b.sys.Events) < n {
		th := rapid.IntRange(0, threads-1).Draw(t, "thread")
		prev := constraint.NoEvent
		if k := len(tips[th]); k > 0 {
			prev = tips[th][k-1]
			if rapid.IntRange(0, 4).Draw(t, "branch") == 0 {
				prev = rapid.SampledFrom(tips[th]).Draw(t, "prev")
			}
		}
		tips[th] = append(tips[th], constraint.EventID(b.step(constraint.ThreadID(th), prev)))
	}
	for i := range b.sys.Threads {
		b.sys.Threads[i].Open = rapid.IntRange(0, 3).Draw(t, "open") == 0
	}
	if err := b.sys.Validate(); err != nil {
		t.Fatal(err)
	}
	return b.sys
}

func (b *builder) add(ev constraint.Event, prev constraint.EventID) int {
	e := len(b.sys.Events)
	ev.Prev, ev.At = prev, e
	if rapid.IntRange(0, 3).Draw(b.t, "unseen") == 0 {
		ev.At = -1
	}
	if ev.Op != constraint.Spawn {
		ev.Child = -1
	}
	if ev.Op != constraint.CondWake {
		ev.Partner = constraint.NoEvent
	}
	b.sys.Events = append(b.sys.Events, ev)
	return e
}

// step adds a random event, with a condition on or a sum over what was read.
func (b *builder) step(th constraint.ThreadID, prev constraint.EventID) int {
	ev := rapid.SampledFrom(b.ops).Draw(b.t, "op")()
	ev.Thread = th
	if ev.Op == constraint.CondWake {
		w := b.before(prev, func(o *constraint.Event) bool { return o.Op == constraint.CondWait })
		if w == constraint.NoEvent {
			ev.Op = constraint.CondWait
		} else {
			ev.Partner = w
		}
	}
	self := constraint.EventID(len(b.sys.Events))
	read := self
	if ev.Op != constraint.Read && ev.Op != constraint.RMW {
		read = b.before(prev, func(o *constraint.Event) bool {
			return o.Op == constraint.Read || o.Op == constraint.RMW || o.Op == constraint.Recv
		})
	}
	if read != constraint.NoEvent {
		if rapid.IntRange(0, 2).Draw(b.t, "cond") == 0 {
			op := rapid.SampledFrom([]constraint.TermOp{constraint.TEq, constraint.TNe}).Draw(b.t, "compare")
			ev.Cond = append(ev.Cond, term(op, symbol(read), b.small()))
		}
		writes := ev.Op == constraint.Write || ev.Op == constraint.Send || ev.Op == constraint.RMW
		if writes && rapid.Bool().Draw(b.t, "sum") {
			ev.Val = term(constraint.TAdd, symbol(read), b.small())
		}
	}
	return b.add(ev, prev)
}

func (b *builder) before(e constraint.EventID, is func(*constraint.Event) bool) constraint.EventID {
	for ; e != constraint.NoEvent; e = b.sys.Events[e].Prev {
		if is(&b.sys.Events[e]) {
			return e
		}
	}
	return constraint.NoEvent
}

func (b *builder) small() *constraint.Term {
	return &constraint.Term{Op: constraint.Const, Value: constraint.Value{Bits: rapid.Uint64Range(0, 2).Draw(b.t, "constant")}}
}

func symbol(e constraint.EventID) *constraint.Term {
	return &constraint.Term{Op: constraint.Sym, Event: e}
}

func term(op constraint.TermOp, args ...*constraint.Term) *constraint.Term {
	return &constraint.Term{Op: op, Args: args}
}

// family is the operations of a kind of object.
func (b *builder) family(name string) (ops []func() constraint.Event) {
	plain := func(o constraint.ObjID, list ...constraint.Op) {
		for _, op := range list {
			ops = append(ops, func() constraint.Event { return constraint.Event{Op: op, Obj: o} })
		}
	}
	with := func(f func() constraint.Event) { ops = append(ops, f) }
	outcome := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(b.t, "outcome") }
	channel := func(o constraint.ObjID) {
		plain(o, constraint.Send, constraint.Close)
		with(func() constraint.Event { return constraint.Event{Op: constraint.Send, Obj: o, Val: b.small()} })
		with(func() constraint.Event { return constraint.Event{Op: constraint.Recv, Obj: o, Outcome: outcome(1, 2)} })
		with(func() constraint.Event {
			return constraint.Event{Op: constraint.Recv, Obj: o, Outcome: constraint.Received}
		})
		with(func() constraint.Event {
			return constraint.Event{Op: constraint.Default, Cases: []constraint.Case{{Obj: o, Send: rapid.Bool().Draw(b.t, "send")}}}
		})
	}
	switch name {
	case "memory":
		for _, o := range []constraint.ObjID{1, 2} {
			plain(o, constraint.Read, constraint.Write, constraint.RMW)
			with(func() constraint.Event { return constraint.Event{Op: constraint.Write, Obj: o, Val: b.small()} })
			with(func() constraint.Event { return constraint.Event{Op: constraint.RMW, Obj: o, Val: b.small()} })
		}
	case "mutex":
		plain(3, constraint.Lock, constraint.Lock, constraint.Unlock, constraint.Unlock)
		with(func() constraint.Event {
			return constraint.Event{Op: constraint.TryLock, Obj: 3, Outcome: outcome(0, 1)}
		})
	case "rw":
		plain(4, constraint.Lock, constraint.Unlock, constraint.RLock, constraint.RUnlock)
		with(func() constraint.Event {
			return constraint.Event{Op: constraint.TryRLock, Obj: 4, Outcome: outcome(0, 1)}
		})
		with(func() constraint.Event {
			return constraint.Event{Op: constraint.TryLock, Obj: 4, Outcome: outcome(0, 1)}
		})
	case "group":
		plain(5, constraint.Wait)
		with(func() constraint.Event {
			return constraint.Event{Op: constraint.Add, Obj: 5, Delta: int64(2*outcome(0, 1) - 1)}
		})
	case "cond":
		plain(6, constraint.CondWait, constraint.CondWake, constraint.CondWake, constraint.Signal, constraint.Broadcast)
	case "rendezvous":
		channel(7)
	case "channel":
		channel(8)
		channel(9)
	}
	return ops
}

func randomGoal(t *rapid.T, sys *constraint.System) constraint.Goal {
	event := rapid.Map(rapid.IntRange(0, len(sys.Events)-1), func(e int) constraint.EventID { return constraint.EventID(e) })
	var g constraint.Goal
	switch rapid.SampledFrom([]string{"none", "include", "stop", "blocked", "stuck", "order", "cond"}).Draw(t, "goal") {
	case "include":
		g.Include = rapid.SliceOfN(event, 1, 3).Draw(t, "events")
	case "stop":
		g.Stop = rapid.SliceOfN(event, 1, 2).Draw(t, "events")
	case "blocked":
		g.Blocked = rapid.SliceOfN(event, 1, 2).Draw(t, "events")
	case "stuck":
		g.Stuck = true
	case "order":
		g.Order = []constraint.Edge{{Before: event.Draw(t, "before"), After: event.Draw(t, "after")}}
	case "cond":
		for e := range sys.Events {
			if op := sys.Events[e].Op; op == constraint.Read || op == constraint.RMW || op == constraint.Recv {
				n := &constraint.Term{Op: constraint.Const, Value: constraint.Value{Bits: rapid.Uint64Range(0, 2).Draw(t, "value")}}
				g.Cond = []*constraint.Term{term(constraint.TEq, symbol(constraint.EventID(e)), n)}
				break
			}
		}
	}
	return g
}

func randomClauses(t *rapid.T, sys *constraint.System, most int) []constraint.Clause {
	event := func(name string, n int) constraint.EventID {
		return constraint.EventID(rapid.IntRange(0, n-1).Draw(t, name))
	}
	var reads []constraint.EventID
	for e := range sys.Events {
		switch ev := &sys.Events[e]; {
		case ev.Op == constraint.Read, ev.Op == constraint.RMW, ev.Op == constraint.Recv && ev.Outcome == constraint.Received:
			reads = append(reads, constraint.EventID(e))
		}
	}
	var clauses []constraint.Clause
	for range rapid.IntRange(0, most).Draw(t, "clauses") {
		var c constraint.Clause
		for range rapid.IntRange(1, 3).Draw(t, "literals") {
			l := constraint.Lit{Neg: rapid.Bool().Draw(t, "neg"), A: event("a", len(sys.Events)+1), B: event("b", len(sys.Events)+1)}
			if len(reads) > 0 && rapid.Bool().Draw(t, "from") {
				l.From, l.B = true, rapid.SampledFrom(reads).Draw(t, "read")
				l.A = event("writer", len(sys.Events)+1) - 1
			} else if l.A == l.B {
				continue
			}
			c = append(c, l)
		}
		if len(c) > 0 {
			clauses = append(clauses, c)
		}
	}
	return clauses
}

// agree checks one question against enumeration, and a core by asking again.
func agree(t *rapid.T, s solve.Session, sys *constraint.System, goal constraint.Goal, added []constraint.Clause, assume []solve.Assumption) {
	res, err := s.Check(budget.Unlimited(context.Background()), goal, assume...)
	if err != nil {
		t.Fatalf("%v\nof the system\n%v\ngoal %+v", err, sys, goal)
	}
	all := added[:len(added):len(added)]
	for _, a := range assume {
		all = append(all, a.Clauses...)
	}
	want, err := enumerate.Reachable(context.Background(), sys, goal, all, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case (want != nil) != (res.Status == solve.Sat) || res.Status == solve.Unknown:
		t.Fatalf("status %v, enumeration finds %v\nsystem\n%v\ngoal %+v\nclauses %v", res.Status, want, sys, goal, all)
	case res.Status == solve.Sat:
		if v := sys.Meets(res.Schedule, goal); v != nil {
			t.Fatalf("the schedule %v is not valid: %v", res.Schedule.Order, v)
		}
		if c := solve.Place(sys, res.Schedule.Order).First(all); c != nil {
			t.Fatalf("the schedule %v does not meet %v\nsystem\n%v", res.Schedule.Order, c, sys)
		}
	case len(assume) > 0:
		rest := added[:len(added):len(added)]
		for _, a := range assume {
			for _, n := range res.Core {
				if n == a.Name {
					rest = append(rest, a.Clauses...)
				}
			}
		}
		if sch, err := enumerate.Reachable(context.Background(), sys, goal, rest, 1<<20); err != nil || sch != nil {
			t.Fatalf("core %v can be met: %v, %v", res.Core, sch, err)
		}
	}
}

// compareWithEnumeration asks a session several questions, with scopes.
func compareWithEnumeration(t *testing.T, events int, check func(*constraint.System) checker) {
	rapid.Check(t, func(t *rapid.T) {
		sys := randomSystem(t, rapid.IntRange(2, events).Draw(t, "events"))
		s := &session{t: newTheory(sys, check)}
		var added [][]constraint.Clause
		added = append(added, nil)
		for range rapid.IntRange(1, 4).Draw(t, "questions") {
			switch top := len(added) - 1; rapid.IntRange(0, 3).Draw(t, "scope") {
			case 0:
				s.Push()
				added = append(added, nil)
			case 1:
				if top > 0 {
					s.Pop()
					added = added[:top]
				}
			}
			fresh := randomClauses(t, sys, 1)
			s.Add(fresh...)
			added[len(added)-1] = append(added[len(added)-1], fresh...)
			var all []constraint.Clause
			for _, a := range added {
				all = append(all, a...)
			}
			var assume []solve.Assumption
			for i := range rapid.IntRange(0, 3).Draw(t, "assumptions") {
				assume = append(assume, solve.Assumption{Name: string(rune('a' + i)), Clauses: randomClauses(t, sys, 2)})
			}
			agree(t, s, sys, randomGoal(t, sys), all, assume)
		}
	})
}

func TestAgainstEnumerationWithExactLemmas(t *testing.T) { compareWithEnumeration(t, 6, newExact) }

func TestAgainstEnumeration(t *testing.T) { compareWithEnumeration(t, 8, explainer) }
