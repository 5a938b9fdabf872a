package constraint

// counter is a sum over the events of an object that come before a point: the
// state of a lock, a wait group or a channel as far as it is a number.
type counter uint8

const (
	countWriters counter = iota // holders of a lock that exclude all
	countReaders                // holders that exclude writers
	countHolders                // both
	countGroup                  // the counter of a WaitGroup
	countItems                  // what is in a channel
)

// weightOf is what ev adds to the counter of its object.
func weightOf(ev *Event, c counter) int64 {
	switch ev.Op {
	case Lock:
		return when(c == countWriters || c == countHolders, 1)
	case TryLock:
		return when(ev.Outcome == 1 && (c == countWriters || c == countHolders), 1)
	case Unlock:
		return when(c == countWriters || c == countHolders, -1)
	case RLock:
		return when(c == countReaders || c == countHolders, 1)
	case TryRLock:
		return when(ev.Outcome == 1 && (c == countReaders || c == countHolders), 1)
	case RUnlock:
		return when(c == countReaders || c == countHolders, -1)
	case Add:
		return when(c == countGroup, ev.Delta)
	case Send:
		return when(c == countItems, 1)
	case Recv:
		return when(c == countItems && ev.Outcome == Received, -1)
	}
	return 0
}

func when(ok bool, w int64) int64 {
	if ok {
		return w
	}
	return 0
}

// atLeast demands that a sum, which is value before e, is at least bound, and
// says whether that is broken. The clause: e does not happen, or something that
// raises the sum comes before e, or something that lowers it does not.
func (c *Checker) atLeast(e EventID, obj ObjID, how counter, value, bound int64, rule, reason string) bool {
	if value >= bound {
		return false
	}
	c.begin(e)
	c.change(e, e, obj, how, bound-value-1, 1)
	c.report(e, rule, reason)
	return true
}

// atMost is the mirror of atLeast.
func (c *Checker) atMost(e EventID, obj ObjID, how counter, value, bound int64, rule, reason string) bool {
	if value <= bound {
		return false
	}
	c.begin(e)
	c.change(e, e, obj, how, value-bound-1, -1)
	c.report(e, rule, reason)
	return true
}

// change adds what could change the sum in the direction of sign by more than
// slack: events of that sign which come to stand before `until`, and events of
// the other sign which come to stand after `since`; both are points of one
// thread, mostly the same event, and what that thread itself adds is fixed.
//
// Events that together make no more than slack are left out, the ones nearest
// to the point first. Of those of one thread the outermost is enough: if a
// later one comes before the point, so do those before it.
func (c *Checker) change(since, until EventID, obj ObjID, how counter, slack, sign int64) {
	own, end := ThreadID(-1), c.x.s.End()
	if until != end {
		own = c.x.s.Events[until].Thread
	}
	events, last := c.x.ofObj[obj], NoEvent
	c.budget -= len(events) / eventsPerLiteral
	for _, a := range events {
		if c.stops() {
			return
		}
		ev := &c.x.s.Events[a]
		w := weightOf(ev, how) * sign
		if w <= 0 || ev.Thread == own || c.pos[a] < c.pos[until] || last != NoEvent && c.x.before(last, a) ||
			c.mustBefore(until, a) {
			continue
		}
		if w <= slack {
			slack -= w
			continue
		}
		c.or(a, until)
		last = a
	}
	last = NoEvent
	for i := len(events) - 1; i >= 0; i-- {
		a := events[i]
		if c.stops() {
			return
		}
		ev := &c.x.s.Events[a]
		w := -weightOf(ev, how) * sign
		if w <= 0 || ev.Thread == own || c.pos[a] > c.pos[since] || last != NoEvent && c.x.before(a, last) ||
			c.mustBefore(a, since) {
			continue
		}
		if w <= slack {
			slack -= w
			continue
		}
		c.or(since, a)
		last = a
	}
}

// rendezvous demands that the thread of r, the receive of a channel of capacity
// 0, stood before r when its send happened: all sends up to what is before r
// have been received before r.
func (c *Checker) rendezvous(r EventID, ev *Event, o *tally) {
	s := o.sends[o.received]
	if ev.Prev != NoEvent {
		if c.pos[ev.Prev] >= c.pos[s] {
			c.begin(r)
			c.unmatched(ev.Prev, r, ev.Obj, int64(o.received))
			c.report(r, ruleRendezvous, "its thread did not stand before it when its send happened")
		}
		return
	}
	spawns := c.x.spawns[ev.Thread]
	for _, p := range spawns {
		if c.pos[p] < c.pos[s] {
			return
		}
	}
	if len(spawns) == 0 {
		return
	}
	c.begin(r)
	for _, p := range spawns {
		c.unmatched(p, r, ev.Obj, int64(o.received))
	}
	c.report(r, ruleRendezvous, "its thread was not started when its send happened")
}

// unmatched adds what would have to change for all sends up to p to be received
// before r, p being a point before r.
func (c *Checker) unmatched(p, r EventID, obj ObjID, received int64) {
	sent := int64(0)
	for _, s := range c.objs[obj].sends {
		if c.pos[s] <= c.pos[p] {
			sent++
		}
	}
	c.change(p, r, obj, countItems, sent-received-1, -1)
}
