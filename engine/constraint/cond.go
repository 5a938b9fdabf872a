package constraint

import "slices"

// condOps collects the operations on a Cond before a point in the current order.
func (c *Checker) condOps(obj ObjID, at EventID) []EventID {
	c.ids = c.ids[:0]
	c.budget -= len(c.x.ofObj[obj])
	for _, a := range c.x.ofObj[obj] {
		if c.pos[a] < c.pos[at] && c.x.s.Events[a].Op != CondWake {
			c.ids = append(c.ids, a)
		}
	}
	slices.SortFunc(c.ids, func(a, b EventID) int { return int(c.pos[a]) - int(c.pos[b]) })
	return c.ids
}

// notCalled reports a wake e whose ticket has not been called. Let d be the
// last event before its wait w that left no ticket uncalled: a broadcast or a
// signal in vain (if none, the beginning). Between d and e there are no more
// signals than waits between d and w, and no broadcast. The clause says that
// one of these sets changes, or w comes before d.
func (c *Checker) notCalled(e EventID, ev *Event) {
	w, d := ev.Partner, NoEvent
	waits, called := 0, 0
	for _, a := range c.condOps(ev.Obj, w) {
		switch c.x.s.Events[a].Op {
		case CondWait:
			waits++
		case Signal:
			if called == waits {
				d = a
			} else {
				called++
			}
		case Broadcast:
			called, d = waits, a
		}
	}
	c.begin(e)
	c.comeBefore(ev.Obj, e, true, c.pos[e])
	if d != NoEvent {
		c.or(w, d)
		c.stayBefore(ev.Obj, d, true, -1, c.pos[d])
		c.comeBeforeBetween(ev.Obj, d, c.pos[d], c.pos[w])
	}
	lo := int32(-1)
	if d != NoEvent {
		lo = c.pos[d]
	}
	c.stayBefore(ev.Obj, w, false, lo, c.pos[w])
	c.report(e, ruleCond, "its ticket has not been called")
}

// isCond says that a is a call (Signal, Broadcast) or, without callers, a wait.
func (c *Checker) isCond(a EventID, callers bool) bool {
	op := c.x.s.Events[a].Op
	return callers && (op == Signal || op == Broadcast) || !callers && op == CondWait
}

// comeBefore adds a < at for the callers (or waits) after from that could.
func (c *Checker) comeBefore(obj ObjID, at EventID, callers bool, from int32) {
	last := NoEvent
	for _, a := range c.x.ofObj[obj] {
		if !c.isCond(a, callers) || c.pos[a] <= from || c.after(at, a) || last != NoEvent && c.x.before(last, a) {
			continue
		}
		c.or(a, at)
		last = a
	}
}

// comeBeforeBetween adds a < at for the waits between two places.
func (c *Checker) comeBeforeBetween(obj ObjID, at EventID, lo, hi int32) {
	last := NoEvent
	for _, a := range c.x.ofObj[obj] {
		if !c.isCond(a, false) || c.pos[a] <= lo || c.pos[a] >= hi || last != NoEvent && c.x.before(last, a) {
			continue
		}
		c.or(a, at)
		last = a
	}
}

// stayBefore adds at < a for the callers (or waits) between two places.
func (c *Checker) stayBefore(obj ObjID, at EventID, callers bool, lo, hi int32) {
	events, last := c.x.ofObj[obj], NoEvent
	for i := len(events) - 1; i >= 0; i-- {
		a := events[i]
		if !c.isCond(a, callers) || c.pos[a] <= lo || c.pos[a] >= hi || c.after(a, at) ||
			last != NoEvent && c.x.before(a, last) {
			continue
		}
		c.or(at, a)
		last = a
	}
}

// after says that b follows a in their thread.
func (c *Checker) after(a, b EventID) bool {
	end := c.x.s.End()
	return a != end && b != end && c.x.before(a, b)
}

// uncall adds what would have to change for the ticket of wake x, which has been
// called at the end, not to be.
func (c *Checker) uncall(x EventID) {
	ev := &c.x.s.Events[x]
	w, end := ev.Partner, c.x.s.End()
	ops := slices.Clone(c.condOps(ev.Obj, end))
	var signals []EventID // behind w
	var reset EventID = NoEvent
	waits := 0 // between reset and w
	for _, a := range ops {
		op, after := c.x.s.Events[a].Op, c.pos[a] > c.pos[w]
		switch {
		case op == Broadcast && after:
			c.or(a, w)
			c.or(end, a)
			return
		case op == Broadcast:
			reset, waits = a, 0
		case op == Signal && after:
			signals = append(signals, a)
		case op == CondWait && c.pos[a] < c.pos[w]:
			waits++
		}
	}
	if len(signals) <= waits {
		c.uncallByOrder(ev.Obj, w, ops)
		return
	}
	// Enough signals behind w for all that could wait before it.
	for _, s := range signals[:waits+1] {
		c.or(s, w)
		c.or(end, s)
	}
	c.comeBefore(ev.Obj, w, false, c.pos[w])
	if reset != NoEvent {
		c.or(w, reset)
		c.stayBefore(ev.Obj, reset, false, -1, c.pos[reset])
	}
}

// uncallByOrder: the ticket is called as long as all operations come in the
// same order and no other wait before w; more signals do no harm.
func (c *Checker) uncallByOrder(obj ObjID, w EventID, ops []EventID) {
	for i := 1; i < len(ops); i++ {
		if !c.x.before(ops[i-1], ops[i]) {
			c.or(ops[i], ops[i-1])
		}
	}
	c.or(c.x.s.End(), ops[len(ops)-1])
	c.comeBefore(obj, w, false, c.end)
}
