// Package constrainttest makes random systems, of all operations and shapes
// that constraint knows, for tests of what works on them.
//
// The systems are small and their conditions, locks and channels are likely
// enough to be met that many schedules are valid and many are not.
package constrainttest

import (
	"fmt"
	"math/rand/v2"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// Shape bounds a random system.
type Shape struct {
	Threads int // at least 1
	Events  int // at most; at least one per thread
	Objects int // at least 1
	// Branch is the chance, in percent, that an event is an alternative of the
	// last one instead of its successor.
	Branch int
}

// Small is a shape whose schedules can be listed.
func Small(r *rand.Rand) Shape {
	threads := 2 + r.IntN(3)
	return Shape{Threads: threads, Events: threads + 2 + r.IntN(10-threads), Objects: 1 + r.IntN(3), Branch: 15}
}

// System is a random valid system.
func System(r *rand.Rand, shape Shape) *constraint.System {
	m := &maker{Rand: r, s: &constraint.System{Objects: make([]constraint.Object, 1)}, shape: shape}
	for i := range shape.Objects {
		m.object(i)
	}
	m.tips = make([][]constraint.EventID, shape.Threads)
	for i := range shape.Threads {
		m.s.Threads = append(m.s.Threads, constraint.Thread{Name: fmt.Sprintf("g%d", i), Open: r.IntN(6) == 0})
	}
	for i := range shape.Events {
		t := i % shape.Threads
		if i >= shape.Threads {
			t = r.IntN(shape.Threads)
		}
		m.event(constraint.ThreadID(t))
	}
	for i := range m.s.Events {
		if p := m.s.Events[i].Prev; p != constraint.NoEvent {
			m.s.Events[p].Pending = false
		}
	}
	return m.s
}

type maker struct {
	*rand.Rand
	s     *constraint.System
	shape Shape
	tips  [][]constraint.EventID // per thread: its events
}

func (m *maker) object(i int) {
	o := constraint.Object{Name: fmt.Sprintf("o%d", i)}
	o.Kind = constraint.Kind(m.IntN(int(constraint.Channel) + 1))
	switch o.Kind {
	case constraint.Channel:
		o.Cap = m.IntN(3)
		o.Nil = m.IntN(12) == 0
	case constraint.Location:
		o.Init = constraint.Value{Bits: uint64(m.IntN(2))}
		if m.IntN(4) == 0 {
			o.Init = constraint.Value{Fresh: -1 - int32(i)}
		}
	}
	m.s.Objects = append(m.s.Objects, o)
}

// event adds one to a thread: after its last, or as another alternative.
func (m *maker) event(t constraint.ThreadID) {
	ev := constraint.Event{Thread: t, Prev: constraint.NoEvent, Partner: constraint.NoEvent, Child: -1, At: len(m.s.Events)}
	if n := len(m.tips[t]); n > 0 {
		ev.Prev = m.tips[t][n-1]
		if m.IntN(100) < m.shape.Branch {
			ev.Prev = m.s.Events[ev.Prev].Prev
		}
	}
	if ev.Prev != constraint.NoEvent && m.s.Events[ev.Prev].Op == constraint.End {
		ev.Prev = m.s.Events[ev.Prev].Prev
	}
	path := m.path(ev.Prev)
	m.operation(&ev, path)
	e := constraint.EventID(len(m.s.Events))
	symbols := m.symbols(path)
	if ev.Op == constraint.Write || ev.Op == constraint.Send || ev.Op == constraint.RMW {
		inner := symbols
		if ev.Op == constraint.RMW {
			inner = append(inner, e)
		}
		ev.Val = m.written(inner)
	}
	if ev.Op == constraint.Read || ev.Op == constraint.RMW || ev.Op == constraint.Recv {
		symbols = append(symbols, e)
	}
	if ev.Pending = m.IntN(12) == 0; !ev.Pending && len(symbols) > 0 && m.IntN(2) == 0 {
		ev.Cond = append(ev.Cond, m.condition(symbols))
	}
	m.s.Events = append(m.s.Events, ev)
	m.tips[t] = append(m.tips[t], e)
}

// path are the events up to e, last first.
func (m *maker) path(e constraint.EventID) []constraint.EventID {
	var path []constraint.EventID
	for ; e != constraint.NoEvent; e = m.s.Events[e].Prev {
		path = append(path, e)
	}
	return path
}

func (m *maker) symbols(path []constraint.EventID) []constraint.EventID {
	var out []constraint.EventID
	for _, e := range path {
		switch m.s.Events[e].Op {
		case constraint.Read, constraint.RMW, constraint.Recv:
			out = append(out, e)
		}
	}
	return out
}

func (m *maker) operation(ev *constraint.Event, path []constraint.EventID) {
	if len(path) == 0 && m.IntN(3) == 0 {
		ev.Op = constraint.Start
		return
	}
	if m.IntN(10) == 0 {
		ev.Op = pick(m, constraint.Nop, constraint.Spawn, constraint.End)
		if ev.Op == constraint.Spawn {
			ev.Child = constraint.ThreadID(m.IntN(m.shape.Threads))
		}
		return
	}
	ev.Obj = constraint.ObjID(1 + m.IntN(m.shape.Objects))
	switch m.s.Objects[ev.Obj].Kind {
	case constraint.Location:
		ev.Op = pick(m, constraint.Read, constraint.Read, constraint.Write, constraint.RMW)
	case constraint.Mutex:
		m.lock(ev, path)
	case constraint.WaitGroup:
		ev.Op = pick(m, constraint.Add, constraint.Add, constraint.Wait)
		if ev.Op == constraint.Add {
			ev.Delta = pick[int64](m, 1, 1, 2, -1, -1, -2)
		}
	case constraint.Cond:
		m.cond(ev, path)
	case constraint.Channel:
		m.channel(ev)
	}
}

// lock mostly releases what the path holds.
func (m *maker) lock(ev *constraint.Event, path []constraint.EventID) {
	last := constraint.Nop
	for _, e := range path {
		if m.s.Events[e].Obj == ev.Obj {
			last = m.s.Events[e].Op
			break
		}
	}
	switch {
	case last == constraint.Lock && m.IntN(5) > 0:
		ev.Op = constraint.Unlock
	case last == constraint.RLock && m.IntN(5) > 0:
		ev.Op = constraint.RUnlock
	default:
		ev.Op = pick(m, constraint.Lock, constraint.Lock, constraint.Lock, constraint.RLock, constraint.RLock,
			constraint.TryLock, constraint.TryRLock, constraint.Unlock, constraint.RUnlock)
	}
	if ev.Op == constraint.TryLock || ev.Op == constraint.TryRLock {
		ev.Outcome = m.IntN(2)
	}
}

func (m *maker) cond(ev *constraint.Event, path []constraint.EventID) {
	for _, e := range path {
		if m.s.Events[e].Op == constraint.CondWait && m.s.Events[e].Obj == ev.Obj && m.IntN(3) > 0 {
			ev.Op, ev.Partner = constraint.CondWake, e
			return
		}
	}
	ev.Op = pick(m, constraint.CondWait, constraint.CondWait, constraint.Signal, constraint.Signal, constraint.Broadcast)
}

func (m *maker) channel(ev *constraint.Event) {
	ev.Op = pick(m, constraint.Send, constraint.Send, constraint.Send, constraint.Recv, constraint.Recv,
		constraint.Recv, constraint.Close, constraint.Default)
	switch ev.Op {
	case constraint.Recv:
		ev.Outcome = pick(m, constraint.Received, constraint.Received, constraint.Closed)
	case constraint.Default:
		for i := range m.s.Objects {
			if m.s.Objects[i].Kind == constraint.Channel && m.IntN(2) == 0 {
				ev.Cases = append(ev.Cases, constraint.Case{Obj: constraint.ObjID(i), Send: m.IntN(2) == 0})
			}
		}
		ev.Obj = 0
	}
}

func pick[T any](m *maker, of ...T) T { return of[m.IntN(len(of))] }

func (m *maker) number() *constraint.Term {
	return &constraint.Term{Op: constraint.Const, Value: constraint.Value{Bits: uint64(m.IntN(3))}}
}

func (m *maker) symbol(symbols []constraint.EventID) *constraint.Term {
	if len(symbols) == 0 {
		return m.number()
	}
	return &constraint.Term{Op: constraint.Sym, Event: symbols[m.IntN(len(symbols))]}
}

// written is nil (a fresh value), a number, or made from what was read.
func (m *maker) written(symbols []constraint.EventID) *constraint.Term {
	switch m.IntN(6) {
	case 0:
		return nil
	case 1:
		return m.symbol(symbols)
	case 2:
		return m.term(constraint.TAdd, m.symbol(symbols), m.number())
	}
	return m.number()
}

func (m *maker) term(op constraint.TermOp, args ...*constraint.Term) *constraint.Term {
	return &constraint.Term{Op: op, Args: args}
}

// condition is mostly of the kind that holds for one of a few values.
func (m *maker) condition(symbols []constraint.EventID) *constraint.Term {
	a := m.symbol(symbols)
	switch m.IntN(8) {
	case 0:
		return m.term(constraint.TLt, a, m.symbol(symbols))
	case 1:
		return m.term(constraint.TNe, a, m.symbol(symbols))
	case 2:
		return m.term(constraint.TAnyOf, m.term(constraint.TEq, a, m.number()), m.term(constraint.TEq, m.symbol(symbols), m.number()))
	case 3:
		return m.term(constraint.TIte, m.term(constraint.TEq, a, m.number()), m.symbol(symbols), m.term(constraint.TNot, a))
	case 4:
		return m.term(constraint.TNe, a, m.number())
	}
	return m.term(constraint.TEq, a, m.number())
}

// Goal is a random goal over a system's events.
func Goal(r *rand.Rand, s *constraint.System) constraint.Goal {
	some := func() constraint.EventID { return constraint.EventID(r.IntN(len(s.Events))) }
	var g constraint.Goal
	switch r.IntN(7) {
	case 0:
		g.Include = append(g.Include, some())
	case 1:
		g.Stop = append(g.Stop, some(), some())
	case 2:
		g.Blocked = append(g.Blocked, some())
		if r.IntN(2) == 0 {
			g.Blocked = append(g.Blocked, some())
		}
	case 3, 4:
		g.Stuck = true
	case 5:
		g.Order = append(g.Order, constraint.Edge{Before: some(), After: some()})
	case 6:
		m := &maker{Rand: r, s: s}
		for e := range s.Events {
			if ev := &s.Events[e]; ev.Op == constraint.Read || ev.Op == constraint.Recv {
				g.Cond = []*constraint.Term{m.condition([]constraint.EventID{constraint.EventID(e)})}
			}
		}
	}
	return g
}
