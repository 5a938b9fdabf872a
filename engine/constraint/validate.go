package constraint

import (
	"errors"
	"fmt"
)

// Bounds of a valid system; they keep all sums within their types.
const (
	maxEvents = 1 << 30
	maxDelta  = 1 << 31
)

// kindOf is the kind of object that an operation is on; ok is false for those
// on none.
func (op Op) kindOf() (k Kind, ok bool) {
	switch op {
	case Read, Write, RMW:
		return Location, true
	case Lock, Unlock, RLock, RUnlock, TryLock, TryRLock:
		return Mutex, true
	case Add, Wait:
		return WaitGroup, true
	case CondWait, CondWake, Signal, Broadcast:
		return Cond, true
	case Send, Recv, Close:
		return Channel, true
	}
	return 0, false
}

func (op Op) hasObject() bool { _, ok := op.kindOf(); return ok }

// symbolic operations have a value for Sym.
func (op Op) symbolic() bool { return op == Read || op == RMW || op == Recv }

// Validate says what is wrong with a system: ids out of range, events that are
// not trees per thread, objects of the wrong kind, outcomes that don't exist,
// conditions over values that the thread does not have by then. Everything else
// of the package needs a valid system.
func (s *System) Validate() error {
	if len(s.Events) >= maxEvents {
		return fmt.Errorf("system has %d events, at most %d are possible", len(s.Events), maxEvents)
	}
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Kind > Channel || o.Cap < 0 {
			return fmt.Errorf("object %d: kind %d, capacity %d", i, o.Kind, o.Cap)
		}
	}
	for i := range s.Events {
		if err := s.validEvent(&s.Events[i]); err != nil {
			return fmt.Errorf("event %d of thread %d: %w", i, s.Events[i].Thread, err)
		}
	}
	if err := s.validTrees(); err != nil {
		return err
	}
	x := newPaths(s)
	for i := range s.Events {
		if err := x.validUses(EventID(i)); err != nil {
			return fmt.Errorf("event %d of thread %d: %w", i, s.Events[i].Thread, err)
		}
	}
	return nil
}

// validEvent checks what an event says by itself.
func (s *System) validEvent(ev *Event) error {
	if ev.Op > End {
		return fmt.Errorf("unknown operation %d", ev.Op)
	}
	if ev.Thread < 0 || int(ev.Thread) >= len(s.Threads) {
		return errors.New("no such thread")
	}
	if ev.Prev < NoEvent || int(ev.Prev) >= len(s.Events) {
		return fmt.Errorf("no event %d before it", ev.Prev)
	}
	if ev.Prev != NoEvent && s.Events[ev.Prev].Thread != ev.Thread {
		return fmt.Errorf("event %d before it is of another thread", ev.Prev)
	}
	if ev.Obj < 0 || int(ev.Obj) >= max(1, len(s.Objects)) {
		return fmt.Errorf("no object %d", ev.Obj)
	}
	if ev.Pending && len(ev.Cond) > 0 {
		return errors.New("a pending event has conditions")
	}
	if k, ok := ev.Op.kindOf(); ok {
		if err := s.validObject(ev.Obj, k); err != nil {
			return err
		}
	}
	return s.validOp(ev)
}

func (s *System) validObject(o ObjID, k Kind) error {
	if o <= 0 || int(o) >= len(s.Objects) {
		return fmt.Errorf("no object %d", o)
	}
	if s.Objects[o].Kind != k {
		return fmt.Errorf("object %d is a %v, not a %v", o, s.Objects[o].Kind, k)
	}
	return nil
}

// validOp checks the fields that only some operations have.
func (s *System) validOp(ev *Event) error {
	switch ev.Op {
	case TryLock, TryRLock:
		if ev.Outcome != 0 && ev.Outcome != 1 {
			return fmt.Errorf("outcome %d of a try", ev.Outcome)
		}
	case Recv:
		if ev.Outcome != Received && ev.Outcome != Closed {
			return fmt.Errorf("outcome %d of a receive", ev.Outcome)
		}
	case Add:
		if ev.Delta < -maxDelta || ev.Delta > maxDelta {
			return fmt.Errorf("delta %d", ev.Delta)
		}
	case Spawn:
		if ev.Child < 0 || int(ev.Child) >= len(s.Threads) {
			return fmt.Errorf("starts thread %d, which does not exist", ev.Child)
		}
	case Start:
		if ev.Prev != NoEvent {
			return errors.New("a start is the first of its thread")
		}
	case Default:
		for _, c := range ev.Cases {
			if err := s.validObject(c.Obj, Channel); err != nil {
				return err
			}
		}
	}
	if ev.Val != nil && ev.Op != Write && ev.Op != RMW && ev.Op != Send {
		return errors.New("has a value but writes nothing")
	}
	return nil
}

// validTrees finds cycles of Prev and successors of what has none.
func (s *System) validTrees() error {
	const open, done = 1, 2
	state := make([]uint8, len(s.Events))
	var path []EventID
	for i := range s.Events {
		path = path[:0]
		e := EventID(i)
		for e != NoEvent && state[e] == 0 {
			state[e] = open
			path = append(path, e)
			e = s.Events[e].Prev
		}
		if e != NoEvent && state[e] == open {
			return fmt.Errorf("event %d is before itself", e)
		}
		for _, p := range path {
			state[p] = done
		}
	}
	for i := range s.Events {
		if p := s.Events[i].Prev; p != NoEvent && (s.Events[p].Op == End || s.Events[p].Pending) {
			return fmt.Errorf("event %d follows event %d, which is the last of its path", i, p)
		}
	}
	return nil
}

// newPaths is an index that knows only the trees: enough for before.
func newPaths(s *System) *index {
	x := &index{
		s:      s,
		roots:  make([][]EventID, len(s.Threads)),
		spawns: make([][]EventID, len(s.Threads)),
		in:     make([]int32, len(s.Events)),
		out:    make([]int32, len(s.Events)),
	}
	x.link()
	x.number()
	return x
}

// validUses checks what an event says of others of its thread.
func (x *index) validUses(e EventID) error {
	ev := &x.s.Events[e]
	if ev.Op == CondWake {
		w := ev.Partner
		if w < 0 || int(w) >= len(x.s.Events) || !x.before(w, e) ||
			x.s.Events[w].Op != CondWait || x.s.Events[w].Obj != ev.Obj {
			return fmt.Errorf("event %d is not an earlier wait of its thread on its Cond", w)
		}
	}
	for _, c := range ev.Cond {
		if err := x.validAt(c, e, true); err != nil {
			return fmt.Errorf("condition: %w", err)
		}
	}
	if ev.Val == nil {
		return nil
	}
	if err := x.validAt(ev.Val, e, ev.Op == RMW); err != nil {
		return fmt.Errorf("value: %w", err)
	}
	return nil
}

// validAt checks a term used at e, which may be over e itself if self.
func (x *index) validAt(t *Term, e EventID, self bool) error {
	return validTerm(t, func(r EventID) error { return x.validSymbol(r, e, self) })
}

func (x *index) validSymbol(r, e EventID, self bool) error {
	if r < 0 || int(r) >= len(x.s.Events) || !x.s.Events[r].Op.symbolic() {
		return fmt.Errorf("event %d has no value", r)
	}
	if !x.before(r, e) && (!self || r != e) {
		return fmt.Errorf("event %d is not before it", r)
	}
	return nil
}

// arity is how many arguments an operation may have; hi < lo if there is no
// such operation.
func (op TermOp) arity() (lo, hi int) {
	const many = 1 << 30
	switch op {
	case Const, Sym:
		return 0, 0
	case TAdd, TMul, TAnd, TOr, TXor:
		return 2, many
	case TSub, TEq, TNe, TLt, TLe, TULt, TULe:
		return 2, 2
	case TNot:
		return 1, 1
	case TAllOf, TAnyOf:
		return 0, many
	case TIte:
		return 3, 3
	}
	return 1, 0
}
