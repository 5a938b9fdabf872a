package z3

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
)

// Objects of the systems here.
const (
	objKnown = constraint.ObjID(iota + 1)
	objFresh
	objLock
	objCond
	objUnbuffered
	objUnbuffered2
	objOne
	objTwo
)

func objects() []constraint.Object {
	return []constraint.Object{
		{},
		{Kind: constraint.Location, Name: "known"},
		{Kind: constraint.Location, Name: "fresh", Init: constraint.Value{Fresh: -1}},
		{Kind: constraint.Mutex, Name: "lock"},
		{Kind: constraint.Cond, Name: "cond"},
		{Kind: constraint.Channel, Name: "unbuffered"},
		{Kind: constraint.Channel, Name: "unbuffered2"},
		{Kind: constraint.Channel, Name: "one", Cap: 1},
		{Kind: constraint.Channel, Name: "two", Cap: 2},
	}
}

// threads makes a system of chains.
func threads(chains ...[]constraint.Event) *constraint.System {
	sys := &constraint.System{Objects: objects()}
	for t, chain := range chains {
		sys.Threads = append(sys.Threads, constraint.Thread{Name: string(rune('a' + t))})
		prev := constraint.NoEvent
		for _, ev := range chain {
			ev.Thread, ev.Prev, ev.Child, ev.Partner = constraint.ThreadID(t), prev, -1, constraint.NoEvent
			if ev.Op == constraint.CondWake {
				ev.Partner = prev
			}
			prev = eventID(len(sys.Events))
			sys.Events = append(sys.Events, ev)
		}
	}
	return sys
}

func ev(op constraint.Op, o constraint.ObjID) constraint.Event {
	return constraint.Event{Op: op, Obj: o}
}

func recv(o constraint.ObjID, outcome int) constraint.Event {
	return constraint.Event{Op: constraint.Recv, Obj: o, Outcome: outcome}
}

func number(n uint64) *constraint.Term {
	return &constraint.Term{Op: constraint.Const, Value: constraint.Value{Bits: n}}
}

func sym(e eventID) *constraint.Term { return &constraint.Term{Op: constraint.Sym, Event: e} }

func op(o constraint.TermOp, args ...*constraint.Term) *constraint.Term {
	return &constraint.Term{Op: o, Args: args}
}

// plus1 compares two reads of one thread after adding 1 to each.
func plus1(o constraint.TermOp, a, b eventID) constraint.Event {
	return constraint.Event{Op: constraint.Nop, Cond: []*constraint.Term{
		op(o, op(constraint.TAdd, sym(a), number(1)), op(constraint.TAdd, sym(b), number(1)))}}
}

// made is: read or receive r took what event w made.
func made(r, w eventID) *constraint.Term {
	return op(constraint.TEq, sym(r), &constraint.Term{Op: constraint.Const, Value: constraint.FreshOf(w)})
}

// TestRules are what random systems seldom come to.
func TestRules(t *testing.T) {
	type events = []constraint.Event
	var (
		lock, unlock   = ev(constraint.Lock, objLock), ev(constraint.Unlock, objLock)
		rlock, runlock = ev(constraint.RLock, objLock), ev(constraint.RUnlock, objLock)
		wait, wake     = ev(constraint.CondWait, objCond), ev(constraint.CondWake, objCond)
		signal         = ev(constraint.Signal, objCond)
		readFresh      = ev(constraint.Read, objFresh)
		one            = events{ev(constraint.Send, objOne), ev(constraint.Send, objOne)}
	)
	two := events{ev(constraint.Send, objTwo), ev(constraint.Send, objTwo)}
	twice := events{recv(objTwo, constraint.Received), recv(objTwo, constraint.Received)}
	for _, c := range []struct {
		name string
		sys  *constraint.System
		goal constraint.Goal
		want solve.Status
	}{
		{"a reader waits behind a writer that waits", threads(events{rlock, runlock}, events{lock, unlock}, events{rlock, runlock}),
			constraint.Goal{Include: []eventID{0}, Stop: []eventID{1}, Blocked: []eventID{4}}, solve.Sat},
		{"a reader does not wait for a reader", threads(events{rlock, runlock}, events{rlock, runlock}),
			constraint.Goal{Stop: []eventID{1}, Blocked: []eventID{2}}, solve.Unsat},
		{"a read lock taken twice, and a writer between: stuck", threads(events{rlock, rlock, runlock, runlock}, events{lock, unlock}),
			constraint.Goal{Stuck: true}, solve.Sat},
		{"a read lock taken twice", threads(events{rlock, rlock, runlock, runlock}, events{rlock, runlock}),
			constraint.Goal{Stuck: true}, solve.Unsat},
		{"a lock taken twice", threads(events{lock, lock, unlock}), constraint.Goal{Stuck: true}, solve.Sat},
		{"a lock freed by another thread", threads(events{lock, lock}, events{unlock}), constraint.Goal{Include: []eventID{1}}, solve.Sat},
		{"the same sum of one unknown value", threads(events{readFresh, readFresh, plus1(constraint.TEq, 0, 1)}),
			constraint.Goal{Include: []eventID{2}}, solve.Sat},
		{"another sum of one unknown value", threads(events{readFresh, readFresh, plus1(constraint.TNe, 0, 1)}),
			constraint.Goal{Include: []eventID{2}}, solve.Unsat},
		{"another sum of two unknown values", threads(events{readFresh, readFresh, plus1(constraint.TNe, 0, 1)}, events{ev(constraint.Write, objFresh)}),
			constraint.Goal{Include: []eventID{2}}, solve.Sat},
		{"crossed rendezvous", threads(events{ev(constraint.Send, objUnbuffered), recv(objUnbuffered2, constraint.Received)},
			events{ev(constraint.Send, objUnbuffered2), recv(objUnbuffered, constraint.Received)}),
			constraint.Goal{Include: []eventID{1, 3}}, solve.Unsat},
		{"crossed rendezvous on one channel", threads(events{ev(constraint.Send, objUnbuffered), recv(objUnbuffered, constraint.Received)},
			events{ev(constraint.Send, objUnbuffered), recv(objUnbuffered, constraint.Received)}),
			constraint.Goal{Include: []eventID{1, 3}}, solve.Unsat},
		{"one send for two receives", threads(events{ev(constraint.Send, objUnbuffered)}, events{recv(objUnbuffered, constraint.Received)}, events{recv(objUnbuffered, constraint.Received)}),
			constraint.Goal{Include: []eventID{1, 2}}, solve.Unsat},
		{"two sends for one receive", threads(events{ev(constraint.Send, objUnbuffered)}, events{ev(constraint.Send, objUnbuffered)}, events{recv(objUnbuffered, constraint.Received)}),
			constraint.Goal{Include: []eventID{0, 1}}, solve.Unsat},
		{"nothing between the halves", threads(events{ev(constraint.Send, objUnbuffered)}, events{recv(objUnbuffered, constraint.Received)}, events{ev(constraint.Nop, 0)}),
			constraint.Goal{Order: []constraint.Edge{{Before: 0, After: 2}, {Before: 2, After: 1}}}, solve.Unsat},
		{"the second before the first", threads(two, twice),
			constraint.Goal{Cond: []*constraint.Term{made(2, 1)}}, solve.Unsat},
		{"two in the wrong order", threads(two, twice),
			constraint.Goal{Cond: []*constraint.Term{made(2, 1), made(3, 0)}}, solve.Unsat},
		{"first in, first out", threads(two, twice),
			constraint.Goal{Cond: []*constraint.Term{made(2, 0), made(3, 1)}}, solve.Sat},
		{"closed, but not drained", threads(append(one[:1:1], ev(constraint.Close, objOne), recv(objOne, constraint.Closed))),
			constraint.Goal{Include: []eventID{2}}, solve.Unsat},
		{"a full channel", threads(one), constraint.Goal{Stuck: true}, solve.Sat},
		{"a signal that came too early", threads(events{wait, wake}, events{signal}), constraint.Goal{Stuck: true}, solve.Sat},
		{"a signal for the younger of two", threads(events{wait, wake}, events{wait, wake}, events{signal}),
			constraint.Goal{Include: []eventID{3}, Order: []constraint.Edge{{Before: 0, After: 2}, {Before: 2, After: 4}}}, solve.Unsat},
		{"two signals for two", threads(events{wait, wake}, events{wait, wake}, events{signal, signal}),
			constraint.Goal{Include: []eventID{3}, Order: []constraint.Edge{{Before: 0, After: 2}, {Before: 2, After: 4}}}, solve.Sat},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := both(t, Options{}, c.sys).ask(c.name, c.goal); r.Status != c.want {
				t.Errorf("status %v, want %v", r.Status, c.want)
			}
		})
	}
}
