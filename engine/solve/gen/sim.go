package gen

import (
	"math/rand/v2"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// sim runs a program of threads that plan their steps as they go, and keeps
// what they do as events.
type sim struct {
	sys       *constraint.System
	rng       *rand.Rand
	histories bool
	threads   []*thread
	state     []object // of sys.Objects
	now       int
	sent      map[constraint.EventID]uint64 // what sends sent, if asked for
}

// object is the state of one object.
type object struct {
	value  uint64   // Location; counter of a WaitGroup
	held   bool     // Mutex
	queue  []uint64 // Channel: what is in the buffer, or offered (capacity 0)
	closed bool
}

// thread plans ahead: steps are what it does next; plan is asked for more when
// there are none, and returns false when the thread is done.
type thread struct {
	id      constraint.ThreadID
	started bool
	done    bool
	last    constraint.EventID
	read    constraint.EventID // the last read or receive
	value   uint64             // what it took
	emitted int
	steps   []step
	plan    func(*thread) bool
}

// step is one event to be, or (op Nop) a mark in time that makes none.
type step struct {
	op    constraint.Op
	obj   constraint.ObjID
	plus  uint64 // written: this, added to the last read if sum
	sum   bool
	cond  condition
	delta int64
	child constraint.ThreadID
	id    *constraint.EventID // where the event's id goes
	set   *bool               // becomes true
	await *bool               // not possible before it is true
}

// condition is what a program asks of a value it read.
type condition int

const (
	free   condition = iota
	exact            // the value that was read
	parity           // one as odd as it
)

func (s *sim) object(o constraint.Object) constraint.ObjID {
	s.sys.Objects = append(s.sys.Objects, o)
	for len(s.state) < len(s.sys.Objects) {
		s.state = append(s.state, object{})
	}
	return constraint.ObjID(len(s.sys.Objects) - 1)
}

func (s *sim) thread(name string, plan func(*thread) bool) *thread {
	t := &thread{id: constraint.ThreadID(len(s.threads)), last: constraint.NoEvent, read: constraint.NoEvent, plan: plan}
	s.threads = append(s.threads, t)
	s.sys.Threads = append(s.sys.Threads, constraint.Thread{Name: name})
	return t
}

// run performs bursts of random threads until all are done; false: the program
// deadlocks, since threads that should meet never do.
func (s *sim) run() bool {
	s.threads[0].started = true
	for {
		moved, left := false, false
		for _, i := range s.rng.Perm(len(s.threads)) {
			t := s.threads[i]
			left = left || !t.done
			for burst := 1 + s.rng.IntN(8); burst > 0 && s.step(t); burst-- {
				moved = true
			}
		}
		if !left {
			return true
		}
		if !moved {
			return false
		}
	}
}

// step lets a thread do what it does next, if it can.
func (s *sim) step(t *thread) bool {
	if !t.started || t.done {
		return false
	}
	if len(t.steps) == 0 {
		t.done = !t.plan(t)
		return true // a thread that knows what it does next has moved
	}
	st := t.steps[0]
	if !s.perform(t, st) {
		return false
	}
	t.steps = t.steps[1:]
	if st.set != nil {
		*st.set = true
	}
	return true
}

// perform changes the state and records the event; false: not possible now.
func (s *sim) perform(t *thread, st step) bool {
	if st.await != nil && !*st.await {
		return false
	}
	if st.op == constraint.Nop {
		return true
	}
	o := &s.state[st.obj]
	capacity := s.sys.Objects[st.obj].Cap
	switch st.op {
	case constraint.Lock:
		if o.held {
			return false
		}
		o.held = true
	case constraint.Unlock:
		o.held = false
	case constraint.Add:
		o.value += uint64(st.delta)
	case constraint.Wait:
		if o.value != 0 {
			return false
		}
	case constraint.Spawn:
		s.threads[st.child].started = true
	case constraint.Close:
		o.closed = true
	case constraint.Send:
		if capacity == 0 {
			return s.rendezvous(t, st)
		}
		if len(o.queue) >= capacity {
			return false
		}
		o.queue = append(o.queue, s.written(t, st))
	case constraint.Recv:
		if len(o.queue) == 0 && !o.closed {
			return false
		}
	case constraint.Write, constraint.RMW:
		o.value = s.written(t, st) // no RMW with sum is planned: it would be of its own value
	}
	s.record(t, st)
	return true
}

// rendezvous sends to a thread that stands before its receive, at once.
func (s *sim) rendezvous(t *thread, st step) bool {
	for _, i := range s.rng.Perm(len(s.threads)) {
		r := s.threads[i]
		if r == t || !r.started || r.done {
			continue
		}
		if len(r.steps) == 0 {
			continue
		}
		next := r.steps[0]
		if next.op != constraint.Recv || next.obj != st.obj || next.await != nil && !*next.await {
			continue
		}
		o := &s.state[st.obj]
		o.queue = append(o.queue, s.written(t, st))
		s.record(t, st)
		s.record(r, next)
		r.steps = r.steps[1:]
		return true
	}
	return false
}

func (s *sim) written(t *thread, st step) uint64 {
	if st.sum {
		return t.value + st.plus
	}
	return st.plus
}

// record appends the event of a step that was performed.
func (s *sim) record(t *thread, st step) {
	e := constraint.EventID(len(s.sys.Events))
	ev := constraint.Event{
		Thread: t.id, Prev: t.last, Op: st.op, Obj: st.obj, Delta: st.delta,
		Partner: constraint.NoEvent, Child: -1, At: s.now,
		Origin: constraint.Origin{Seq: int(e)},
	}
	switch st.op {
	case constraint.Spawn:
		ev.Child = st.child
	case constraint.Write, constraint.RMW, constraint.Send:
		ev.Val = s.term(t, st)
		if st.id != nil {
			s.sent[e] = s.written(t, st)
		}
	case constraint.Read:
		t.read, t.value = e, s.state[st.obj].value
		ev.Cond = s.conditions(e, t.value, st.cond)
	case constraint.Recv:
		s.receive(t, st, e, &ev)
	}
	s.sys.Events = append(s.sys.Events, ev)
	t.last = e
	t.emitted++
	s.now++
	if st.id != nil {
		*st.id = e
	}
}

// receive takes the oldest value, or sees that there will be none; the thread's
// plan finds out by its value: the largest is no value.
func (s *sim) receive(t *thread, st step, e constraint.EventID, ev *constraint.Event) {
	o := &s.state[st.obj]
	if len(o.queue) == 0 {
		ev.Outcome, t.value = constraint.Closed, none
		return
	}
	ev.Outcome = constraint.Received
	t.read, t.value = e, o.queue[0]
	o.queue = o.queue[1:]
	ev.Cond = s.conditions(e, t.value, st.cond)
}

const none = ^uint64(0)

func (s *sim) term(t *thread, st step) *constraint.Term {
	if !st.sum {
		return bits(st.plus)
	}
	if s.histories {
		return bits(t.value + st.plus)
	}
	return &constraint.Term{Op: constraint.TAdd, Args: []*constraint.Term{symbol(t.read), bits(st.plus)}}
}

func (s *sim) conditions(e constraint.EventID, value uint64, c condition) []*constraint.Term {
	if s.histories {
		c = exact
	}
	switch c {
	case exact:
		return []*constraint.Term{compare(constraint.TEq, symbol(e), bits(value))}
	case parity:
		odd := &constraint.Term{Op: constraint.TAnd, Args: []*constraint.Term{symbol(e), bits(1)}}
		return []*constraint.Term{compare(constraint.TEq, odd, bits(value&1))}
	}
	return nil
}

// alternative adds a sibling of a read or receive with another condition.
func (s *sim) alternative(e constraint.EventID, cond *constraint.Term) constraint.EventID {
	id := constraint.EventID(len(s.sys.Events))
	ev := s.sys.Events[e]
	ev.At, ev.Origin = -1, constraint.Origin{Seq: -1}
	ev.Cond = nil
	if cond != nil {
		ev.Cond = []*constraint.Term{rename(cond, e, id)}
	}
	s.sys.Events = append(s.sys.Events, ev)
	return id
}

// rename replaces a symbol.
func rename(t *constraint.Term, from, to constraint.EventID) *constraint.Term {
	c := *t
	if c.Op == constraint.Sym && c.Event == from {
		c.Event = to
	}
	c.Args = nil
	for _, a := range t.Args {
		c.Args = append(c.Args, rename(a, from, to))
	}
	return &c
}

func bits(v uint64) *constraint.Term {
	return &constraint.Term{Op: constraint.Const, Value: constraint.Value{Bits: v}}
}

func symbol(e constraint.EventID) *constraint.Term {
	return &constraint.Term{Op: constraint.Sym, Event: e}
}

func compare(op constraint.TermOp, a, b *constraint.Term) *constraint.Term {
	return &constraint.Term{Op: op, Args: []*constraint.Term{a, b}}
}
