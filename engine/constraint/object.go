package constraint

// object is the state of an object; each kind uses its own fields.
type object struct {
	// Location.
	value  Value
	writer EventID // NoEvent: the initial value
	// Mutex.
	writers, readers int32
	// WaitGroup.
	counter int64
	// Cond: all waits in the order of their tickets, of which called are called.
	waits  []EventID
	called int32
	// Channel: all sends, of which the first received are received.
	sends    []EventID
	received int32
	closed   bool
}

// own makes appends safe: they never touch what a copy sees.
func (o *object) own() {
	o.waits = o.waits[:len(o.waits):len(o.waits)]
	o.sends = o.sends[:len(o.sends):len(o.sends)]
}

// check says why e is not possible now.
func (m *Machine) check(e EventID) *Violation {
	ev := &m.x.s.Events[e]
	switch {
	case m.last[ev.Thread] != ev.Prev:
		return violated(e, ruleProgram, "its thread does not stand before it")
	case ev.Prev == NoEvent && !m.begun(ev.Thread):
		return violated(e, ruleSpawn, "its thread has not been started")
	case m.open != NoEvent && !m.closesRendezvous(ev):
		return violated(e, ruleRendezvous, "a send waits for its receive")
	}
	if ev.Op == Default {
		return m.checkDefault(e, ev)
	}
	if k, ok := ev.Op.kindOf(); ok && k != Location {
		return m.permits(e, ev, &m.objs[ev.Obj])
	}
	return nil
}

// closesRendezvous says that ev is a receive for the open send.
func (m *Machine) closesRendezvous(ev *Event) bool {
	send := &m.x.s.Events[m.open]
	return ev.Op == Recv && ev.Outcome == Received && ev.Obj == send.Obj && ev.Thread != send.Thread
}

func (m *Machine) permits(e EventID, ev *Event, o *object) *Violation {
	held := o.writers + o.readers
	switch ev.Op {
	case Lock:
		return unless(held == 0, e, ruleLock, "somebody holds it")
	case TryLock:
		return unless((held == 0) == (ev.Outcome == 1), e, ruleLock, "the try has the other outcome")
	case RLock:
		return unless(o.writers == 0, e, ruleLock, "a writer holds it")
	case TryRLock:
		return unless((o.writers == 0) == (ev.Outcome == 1), e, ruleLock, "the try has the other outcome")
	case Unlock:
		return unless(o.writers > 0, e, ruleLock, "nobody holds it")
	case RUnlock:
		return unless(o.readers > 0, e, ruleLock, "no reader holds it")
	case Add:
		return unless(o.counter+ev.Delta >= 0, e, ruleWaitGroup, "the counter would be negative")
	case Wait:
		return unless(o.counter == 0, e, ruleWaitGroup, "the counter is not 0")
	case CondWake:
		return unless(m.ticket[ev.Partner] < o.called, e, ruleCond, "its ticket has not been called")
	case Send, Recv, Close:
		return m.permitsChannel(e, ev, o)
	}
	return nil // CondWait, Signal, Broadcast
}

func (m *Machine) permitsChannel(e EventID, ev *Event, o *object) *Violation {
	channel := &m.x.s.Objects[ev.Obj]
	count := len(o.sends) - int(o.received)
	switch {
	case channel.Nil:
		return violated(e, ruleChannel, "the channel is nil")
	case ev.Op == Recv && ev.Outcome == Closed:
		return unless(o.closed && count == 0, e, ruleChannel, "the channel is not closed and empty")
	case ev.Op == Recv && count > 0:
		return nil
	case ev.Op == Recv && channel.Cap > 0:
		return violated(e, ruleChannel, "the channel is empty")
	case o.closed:
		return violated(e, ruleClose, "the channel is closed")
	case ev.Op == Close:
		return nil
	case channel.Cap > 0:
		return unless(count < channel.Cap, e, ruleChannel, "the channel is full")
	}
	return unless(m.partner(e, ev), e, ruleRendezvous, "no other thread stands before the other half")
}

// partner says that a thread stands before the other half of e, a send or
// successful receive of capacity 0.
func (m *Machine) partner(e EventID, ev *Event) bool {
	for t := range m.last {
		if ThreadID(t) == ev.Thread {
			continue
		}
		for _, p := range m.Next(ThreadID(t)) {
			if o := &m.x.s.Events[p]; o.Obj == ev.Obj && o.Op != ev.Op && m.x.unbuffered(p) {
				return true
			}
		}
	}
	return false
}

func (m *Machine) checkDefault(e EventID, ev *Event) *Violation {
	for _, c := range ev.Cases {
		channel, o := &m.x.s.Objects[c.Obj], &m.objs[c.Obj]
		count := len(o.sends) - int(o.received)
		switch {
		case channel.Nil:
		case o.closed:
			return violated(e, ruleChannel, "a channel of its cases is closed")
		case channel.Cap > 0 && c.Send && count < channel.Cap:
			return violated(e, ruleChannel, "a channel of its cases has room")
		case channel.Cap > 0 && !c.Send && count > 0:
			return violated(e, ruleChannel, "a channel of its cases is not empty")
		}
	}
	return nil
}

// behindWriter says that e is an RLock that Go would not let pass because of a
// writer that waits: some thread stands before a Lock that is not possible.
func (m *Machine) behindWriter(e EventID) bool {
	ev := &m.x.s.Events[e]
	o := &m.objs[ev.Obj]
	if ev.Op != RLock || o.writers+o.readers == 0 {
		return false
	}
	for t := range m.last {
		for _, w := range m.Next(ThreadID(t)) {
			if o := &m.x.s.Events[w]; o.Op == Lock && o.Obj == ev.Obj {
				return true
			}
		}
	}
	return false
}

// take is what a possible e takes, and from whom.
func (m *Machine) take(e EventID) (Value, EventID) {
	ev := &m.x.s.Events[e]
	o := &m.objs[ev.Obj]
	switch {
	case ev.Op == Read || ev.Op == RMW:
		return o.value, o.writer
	case ev.Op == Recv && ev.Outcome == Received:
		s := o.sends[o.received]
		return m.made[s], s
	}
	return Value{}, NoEvent
}

// effect changes the object of e.
func (m *Machine) effect(e EventID) {
	ev := &m.x.s.Events[e]
	o := &m.objs[ev.Obj]
	switch ev.Op {
	case Write, RMW:
		o.value, o.writer = m.give(e, ev), e
	case Lock, TryLock, RLock, TryRLock, Unlock, RUnlock:
		o.writers += int32(weightOf(ev, countWriters))
		o.readers += int32(weightOf(ev, countReaders))
	case Add:
		o.counter += ev.Delta
	case CondWait:
		m.ticket[e] = int32(len(o.waits))
		o.waits = append(o.waits, e)
	case Signal:
		o.called = min(o.called+1, int32(len(o.waits)))
	case Broadcast:
		o.called = int32(len(o.waits))
	case Send:
		m.give(e, ev)
		o.sends = append(o.sends, e)
		if m.x.s.Objects[ev.Obj].Cap == 0 {
			m.open = e
		}
	case Recv:
		if ev.Outcome == Received {
			o.received++
			m.open = NoEvent
		}
	case Close:
		o.closed = true
	}
}

// give is what e writes or sends.
func (m *Machine) give(e EventID, ev *Event) Value {
	v := FreshOf(e)
	if ev.Val != nil {
		v = ev.Val.Eval(m.Value)
	}
	m.made[e] = v
	return v
}

// hash is of what is left to see of the state.
func (o *object) hash(m *Machine, h uint64) uint64 {
	h = hashValue(h, o.value)
	h = mix(h ^ uint64(o.writers)<<32 ^ uint64(o.readers))
	h = mix(h ^ uint64(o.counter))
	for _, w := range o.waits[o.called:] {
		h = mix(h ^ uint64(w))
	}
	for _, s := range o.sends[o.received:] {
		h = hashValue(h^uint64(1)<<40, m.made[s])
	}
	if o.closed {
		h = mix(h ^ 1)
	}
	return h
}

func hashValue(h uint64, v Value) uint64 { return mix(mix(h^v.Bits) ^ uint64(uint32(v.Fresh))) }
