package constraint

import (
	"fmt"
	"slices"
)

// Machine performs events one by one: the definition of a valid schedule as a
// program. It needs a valid System. Not safe for concurrent use.
type Machine struct {
	x       *index
	last    []EventID // per thread; NoEvent before its first
	happens []bool    // per event
	took    []Value   // per event: what a read or receive took
	made    []Value   // per event: what a write or send gave
	from    []EventID // per event: whom a read or receive took from
	ticket  []int32   // per event: of a CondWait
	objs    []object
	started []int32 // per thread: Spawn events that happened
	open    EventID // a send of capacity 0 whose receive has to follow at once
	log     []undo
	key     [2]uint64 // of thread positions and values taken; see Key
}

// undo is the state that an event changed.
type undo struct {
	event, last, open EventID
	obj               object
	key               [2]uint64
}

// NewMachine starts with nothing performed.
func NewMachine(s *System) *Machine { return newMachine(newIndex(s)) }

func newMachine(x *index) *Machine {
	n, threads := len(x.s.Events), len(x.s.Threads)
	m := &Machine{
		x:       x,
		last:    make([]EventID, threads),
		happens: make([]bool, n),
		took:    make([]Value, n),
		made:    make([]Value, n),
		from:    make([]EventID, n),
		ticket:  make([]int32, n),
		objs:    make([]object, max(1, len(x.s.Objects))),
		started: make([]int32, threads),
		open:    NoEvent,
	}
	for t := range m.last {
		m.last[t] = NoEvent
	}
	for i := range x.s.Objects {
		m.objs[i] = object{value: x.s.Objects[i].Init, writer: NoEvent}
	}
	return m
}

// Clone is a machine in the same state that goes its own way; its Undo reaches
// as far back.
func (m *Machine) Clone() *Machine {
	c := *m
	c.last = slices.Clone(m.last)
	c.happens = slices.Clone(m.happens)
	c.took = slices.Clone(m.took)
	c.made = slices.Clone(m.made)
	c.from = slices.Clone(m.from)
	c.ticket = slices.Clone(m.ticket)
	c.started = slices.Clone(m.started)
	c.log = slices.Clone(m.log)
	c.objs = slices.Clone(m.objs)
	for i := range c.objs {
		c.objs[i].own()
	}
	for i := range c.log {
		c.log[i].obj.own()
	}
	return &c
}

// Last is the event that thread t performed last; NoEvent if none.
func (m *Machine) Last(t ThreadID) EventID { return m.last[t] }

// Happened says that e has been performed.
func (m *Machine) Happened(e EventID) bool { return m.happens[e] }

// Value is what a performed read or receive took; the zero Value for others.
func (m *Machine) Value(e EventID) Value { return m.took[e] }

// From is whom a performed read or receive took its value from; NoEvent if it
// is the initial value, or none.
func (m *Machine) From(e EventID) EventID {
	if !m.happens[e] {
		return NoEvent
	}
	return m.from[e]
}

// Open is the performed send of capacity 0 whose receive has to be performed
// next; NoEvent if there is none. A schedule can't end while there is one.
func (m *Machine) Open() EventID { return m.open }

// Next is what thread t may perform next: the successors of its last event,
// its first events before it began, nothing as long as it is not started. The
// caller does not change it.
func (m *Machine) Next(t ThreadID) []EventID {
	if m.last[t] != NoEvent {
		return m.x.kids[m.last[t]]
	}
	if !m.begun(t) {
		return nil
	}
	return m.x.roots[t]
}

// begun says that thread t exists: it has been started, or no event starts it.
func (m *Machine) begun(t ThreadID) bool {
	return m.started[t] > 0 || len(m.x.spawns[t]) == 0
}

// Stands says that e's thread stands before it: what is before e has happened,
// e itself and its alternatives have not.
func (m *Machine) Stands(e EventID) bool {
	ev := &m.x.s.Events[e]
	return m.last[ev.Thread] == ev.Prev && (ev.Prev != NoEvent || m.begun(ev.Thread))
}

// Possible says that e's thread stands before it and its object permits it,
// whatever its conditions. A send or receive of capacity 0 is possible if
// another thread stands before the other half; the send is performed first.
func (m *Machine) Possible(e EventID) bool { return m.check(e) == nil }

// Blocked says that e's thread stands before it and it is not possible; a
// reader is also blocked behind a writer that waits for other readers.
func (m *Machine) Blocked(e EventID) bool {
	return m.Stands(e) && (m.check(e) != nil || m.behindWriter(e))
}

// Perform performs e. If that breaks a rule, the error is a *Violation without
// a clause and nothing changes.
func (m *Machine) Perform(e EventID) error {
	if v := m.perform(e); v != nil {
		return v
	}
	return nil
}

// Try is Perform for those who don't ask why not.
func (m *Machine) Try(e EventID) bool { return m.performs(e, false) == nil }

func (m *Machine) perform(e EventID) *Violation { return m.performs(e, true) }

// performs gives no reason why a condition does not hold if that is not to be
// told: to write a term takes longer than to perform an event.
func (m *Machine) performs(e EventID, tell bool) *Violation {
	if e < 0 || int(e) >= len(m.happens) {
		return violated(e, "event", "there is no such event")
	}
	if v := m.check(e); v != nil {
		return v
	}
	ev := &m.x.s.Events[e]
	if m.open == NoEvent && ev.Op == Recv && m.x.unbuffered(e) {
		return violated(e, ruleRendezvous, "its send comes first")
	}
	was := undo{event: e, last: m.last[ev.Thread], open: m.open, key: m.key}
	m.took[e], m.from[e] = m.take(e)
	for _, c := range ev.Cond {
		if !c.Eval(m.Value).True() {
			m.took[e] = Value{}
			if !tell {
				return unexplained
			}
			return violated(e, rulePath, fmt.Sprintf("%v does not hold", c))
		}
	}
	if ev.Op.hasObject() {
		was.obj = m.objs[ev.Obj]
		m.effect(e)
	}
	if ev.Op == Spawn {
		m.started[ev.Child]++
	}
	m.happens[e] = true
	m.last[ev.Thread] = e
	m.addKey(e)
	m.log = append(m.log, was)
	return nil
}

// Undo takes back the last Perform that succeeded; without one it does nothing.
func (m *Machine) Undo() {
	if len(m.log) == 0 {
		return
	}
	was := m.log[len(m.log)-1]
	m.log = m.log[:len(m.log)-1]
	ev := &m.x.s.Events[was.event]
	if ev.Op.hasObject() {
		m.objs[ev.Obj] = was.obj
	}
	if ev.Op == Spawn {
		m.started[ev.Child]--
	}
	m.took[was.event], m.happens[was.event] = Value{}, false
	m.last[ev.Thread], m.open, m.key = was.last, was.open, was.key
}

// Performed is the schedule so far, in a slice of the caller's.
func (m *Machine) Performed() []EventID {
	order := make([]EventID, len(m.log))
	for i := range m.log {
		order[i] = m.log[i].event
	}
	return order
}

// Schedule is what has been performed, with what was read.
func (m *Machine) Schedule() *Schedule {
	sch := &Schedule{Order: m.Performed(), Values: map[EventID]Value{}}
	for _, e := range sch.Order {
		if m.x.s.Events[e].Op.symbolic() {
			sch.Values[e] = m.took[e]
		}
	}
	return sch
}

// Key is equal for equal states: thread positions, values that terms may still
// use, memory and objects. Unequal states have equal keys with probability
// 2^-128.
func (m *Machine) Key() [2]uint64 {
	key := m.key
	for i := range m.objs {
		k := m.ObjectKey(ObjID(i))
		key[0], key[1] = key[0]+k[0], key[1]+k[1]
	}
	if m.open != NoEvent {
		for j := range key {
			key[j] ^= mix(seeds[j] ^ uint64(m.open)<<32)
		}
	}
	return key
}

// ObjectKey is equal for equal states of an object, and of different objects
// differs: what Key has of it.
func (m *Machine) ObjectKey(o ObjID) (key [2]uint64) {
	for j := range key {
		key[j] = mix(m.objs[o].hash(m, seeds[j]^uint64(o)))
	}
	return key
}

// unexplained is the violation for callers that do not ask for the reason.
var unexplained = violated(NoEvent, rulePath, "a condition does not hold")

var seeds = [2]uint64{0x243f6a8885a308d3, 0x13198a2e03707344}

// addKey counts e in: that it happened and, if a term is over it, what it took.
// Which event of a thread was last follows from those that happened.
func (m *Machine) addKey(e EventID) {
	for j := range m.key {
		h := mix(seeds[j] + uint64(e))
		if m.x.used[e] {
			h = mix(h ^ m.took[e].Bits ^ uint64(uint32(m.took[e].Fresh))<<17)
		}
		m.key[j] += h
	}
}

// Simulate performs an order and says what each read took, or the first rule
// that it breaks. The order may go on after System.End; that is left out. A
// receive of capacity 0 may stand anywhere after its send: it is performed
// right behind it, and the schedule has it there.
func Simulate(s *System, order []EventID) (*Schedule, *Violation) {
	return NewChecker(s).Simulate(order)
}
