package z3

import (
	"math/rand/v2"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// Objects of a random system.
const (
	objKnown = constraint.ObjID(iota + 1)
	objFresh
	objLock
	objLock2
	objGroup
	objCond
	objUnbuffered
	objOne
	objTwo
	objNil
	objUnbuffered2
)

func objects() []constraint.Object {
	return []constraint.Object{
		{},
		{Kind: constraint.Location, Name: "known"},
		{Kind: constraint.Location, Name: "fresh", Init: constraint.Value{Fresh: -1}},
		{Kind: constraint.Mutex, Name: "lock"},
		{Kind: constraint.Mutex, Name: "lock2"},
		{Kind: constraint.WaitGroup, Name: "group"},
		{Kind: constraint.Cond, Name: "cond"},
		{Kind: constraint.Channel, Name: "unbuffered"},
		{Kind: constraint.Channel, Name: "one", Cap: 1},
		{Kind: constraint.Channel, Name: "two", Cap: 2},
		{Kind: constraint.Channel, Name: "nil", Nil: true},
		{Kind: constraint.Channel, Name: "unbuffered2"},
	}
}

// maker makes random systems, goals and clauses.
type maker struct {
	*rand.Rand
	sys  *constraint.System
	path []eventID // of the thread that is being made
	// Focus: most operations are on these, so that threads meet.
	focus []constraint.Op
}

var families = [][]constraint.Op{
	{constraint.Read, constraint.Write, constraint.RMW},
	{constraint.Lock, constraint.Unlock, constraint.RLock, constraint.RUnlock, constraint.TryLock, constraint.TryRLock},
	{constraint.Add, constraint.Add, constraint.Wait},
	{constraint.CondWait, constraint.CondWake, constraint.Signal, constraint.Broadcast},
	{constraint.Send, constraint.Recv, constraint.Send, constraint.Recv, constraint.Close, constraint.Default},
}

// randomSystem has at most about most events in two or three threads.
func randomSystem(r *rand.Rand, most int) *maker {
	m := &maker{Rand: r, sys: &constraint.System{Objects: objects()}}
	for range 1 + r.IntN(2) {
		m.focus = append(m.focus, families[r.IntN(len(families))]...)
	}
	threads := 2 + r.IntN(2)
	for t := range threads {
		m.sys.Threads = append(m.sys.Threads, constraint.Thread{Name: string(rune('a' + t)), Open: r.IntN(4) == 0})
	}
	for t := range threads {
		m.path = nil
		m.grow(constraint.ThreadID(t), constraint.NoEvent, most/threads)
	}
	return m
}

// grow adds a subtree of a thread behind prev.
func (m *maker) grow(t constraint.ThreadID, prev eventID, depth int) {
	if depth == 0 {
		return
	}
	branches := 1
	if depth > 1 && m.IntN(6) == 0 {
		branches = 2
	}
	for range branches {
		e := m.add(t, prev)
		if m.sys.Events[e].Pending {
			continue
		}
		m.path = append(m.path, e)
		m.grow(t, e, (depth-1)/branches)
		m.path = m.path[:len(m.path)-1]
	}
}

func (m *maker) add(t constraint.ThreadID, prev eventID) eventID {
	e := eventID(len(m.sys.Events))
	ev := constraint.Event{Thread: t, Prev: prev, Op: m.op(), Partner: constraint.NoEvent, Child: -1, At: int(e)}
	m.details(&ev)
	m.sys.Events = append(m.sys.Events, ev)
	p := &m.sys.Events[e]
	switch p.Op {
	case constraint.Write, constraint.Send:
		p.Val = m.written(m.path)
	case constraint.RMW:
		p.Val = m.written(append(m.path, e))
	}
	switch {
	case m.IntN(12) == 0:
		p.Pending = true
	case m.IntN(3) == 0 || p.Op == constraint.Read:
		p.Cond = append(p.Cond, m.condition(append(m.path, e)))
	}
	return e
}

func (m *maker) op() constraint.Op {
	switch m.IntN(10) {
	case 0:
		f := families[m.IntN(len(families))]
		return f[m.IntN(len(f))]
	case 1:
		return [...]constraint.Op{constraint.Nop, constraint.Spawn}[m.IntN(2)]
	}
	return m.focus[m.IntN(len(m.focus))]
}

// details chooses what an operation has besides values.
func (m *maker) details(ev *constraint.Event) {
	oneOf := func(os ...constraint.ObjID) constraint.ObjID { return os[m.IntN(len(os))] }
	channel := func() constraint.ObjID {
		if m.IntN(12) == 0 {
			return objNil
		}
		return oneOf(objUnbuffered, objUnbuffered, objUnbuffered2, objOne, objOne, objTwo)
	}
	switch ev.Op {
	case constraint.Read, constraint.Write, constraint.RMW:
		ev.Obj = oneOf(objKnown, objKnown, objFresh)
	case constraint.Lock, constraint.Unlock, constraint.RLock, constraint.RUnlock:
		ev.Obj = oneOf(objLock, objLock, objLock2)
	case constraint.TryLock, constraint.TryRLock:
		ev.Obj, ev.Outcome = oneOf(objLock, objLock, objLock2), m.IntN(2)
	case constraint.Add:
		ev.Obj, ev.Delta = objGroup, [...]int64{1, 1, 2, -1, -1}[m.IntN(5)]
	case constraint.Wait:
		ev.Obj = objGroup
	case constraint.CondWait, constraint.Signal, constraint.Broadcast:
		ev.Obj = objCond
	case constraint.CondWake:
		ev.Obj = objCond
		for _, w := range m.path {
			if m.sys.Events[w].Op == constraint.CondWait {
				ev.Partner = w
			}
		}
		if ev.Partner == constraint.NoEvent {
			ev.Op = constraint.CondWait
		}
	case constraint.Send, constraint.Close:
		ev.Obj = channel()
	case constraint.Recv:
		ev.Obj, ev.Outcome = channel(), constraint.Received
		if m.IntN(4) == 0 {
			ev.Outcome = constraint.Closed
		}
	case constraint.Default:
		for range 1 + m.IntN(2) {
			ev.Cases = append(ev.Cases, constraint.Case{Obj: channel(), Send: m.IntN(2) == 0})
		}
	case constraint.Spawn:
		if ev.Child = constraint.ThreadID(len(m.sys.Threads) - 1); ev.Thread == ev.Child {
			ev.Op, ev.Child = constraint.Nop, -1
		}
	}
}

// written is what is written by an event that knows the symbols of path.
func (m *maker) written(path []eventID) *constraint.Term {
	switch m.IntN(5) {
	case 0:
		return nil
	case 1, 2:
		return number(uint64(m.IntN(3)))
	}
	return m.term(path, 2)
}

func number(n uint64) *constraint.Term {
	return &constraint.Term{Op: constraint.Const, Value: constraint.Value{Bits: n}}
}

// condition is often one that can hold.
func (m *maker) condition(path []eventID) *constraint.Term {
	if m.IntN(2) == 0 {
		op := [...]constraint.TermOp{constraint.TEq, constraint.TNe}[m.IntN(2)]
		return &constraint.Term{Op: op, Args: []*constraint.Term{m.term(path, 0), m.term(path, 1)}}
	}
	return m.term(path, 3)
}

// term is over the symbols of path.
func (m *maker) term(path []eventID, depth int) *constraint.Term {
	width := [...]uint8{0, 0, 0, 8, 32, 1}[m.IntN(6)]
	if depth == 0 || m.IntN(4) == 0 {
		var symbols []eventID
		for _, e := range path {
			switch m.sys.Events[e].Op {
			case constraint.Read, constraint.RMW, constraint.Recv:
				symbols = append(symbols, e)
			}
		}
		if len(symbols) > 0 && m.IntN(4) > 0 {
			return &constraint.Term{Op: constraint.Sym, Width: width, Event: symbols[len(symbols)-1-m.IntN(min(2, len(symbols)))]}
		}
		v := constraint.Value{Bits: [...]uint64{0, 1, 2, 255, 256, 1 << 63, ^uint64(0)}[m.IntN(7)]}
		if m.IntN(12) == 0 {
			v = constraint.Value{Fresh: -1}
		}
		return &constraint.Term{Op: constraint.Const, Width: width, Value: v}
	}
	t := &constraint.Term{Op: constraint.TAdd + constraint.TermOp(m.IntN(int(constraint.TIte-constraint.TAdd)+1)), Width: width}
	args := 2
	switch t.Op {
	case constraint.TNot:
		args = 1
	case constraint.TIte:
		args = 3
	}
	for range args {
		t.Args = append(t.Args, m.term(path, depth-1))
	}
	return t
}

func (m *maker) event() eventID { return eventID(m.IntN(len(m.sys.Events))) }

// goal is a random one of any kind.
func (m *maker) goal() constraint.Goal {
	var g constraint.Goal
	switch m.IntN(7) {
	case 0:
		g.Stuck = true
	case 1:
		g.Blocked = []eventID{m.event()}
	case 2:
		g.Stop = []eventID{m.event(), m.event()}
	case 3:
		g.Order = []constraint.Edge{{Before: m.event(), After: m.event()}}
	case 4:
		e := m.event()
		if op := m.sys.Events[e].Op; op == constraint.Read || op == constraint.RMW || op == constraint.Recv {
			g.Cond = []*constraint.Term{m.condition([]eventID{e})}
		} else {
			g.Include = []eventID{e}
		}
	case 5:
		g.Include = []eventID{m.event(), m.event()}
	default:
		g.Include, g.Blocked = []eventID{m.event()}, []eventID{m.event()}
	}
	return g
}

func (m *maker) clause() constraint.Clause {
	var c constraint.Clause
	for range 1 + m.IntN(2) {
		l := constraint.Lit{A: m.event(), B: m.event(), Neg: m.IntN(2) == 0}
		switch op := m.sys.Events[l.B].Op; {
		case m.IntN(4) == 0:
			l.B = m.sys.End()
		case m.IntN(8) == 0:
			l.A = m.sys.End()
		case op == constraint.Read || op == constraint.RMW || op == constraint.Recv:
			if l.From = m.IntN(2) == 0; l.From && m.IntN(3) == 0 {
				l.A = constraint.NoEvent
			}
		}
		c = append(c, l)
	}
	return c
}
