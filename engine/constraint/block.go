package constraint

// possible says that the object of e permits it at the end of the order at
// hand, as Machine.Possible does for threads that stand before it.
// Sums may be negative if a rule is broken: nobody holds such a lock.
func (c *Checker) possible(e EventID) bool {
	ev := &c.x.s.Events[e]
	o := &c.objs[ev.Obj]
	held := o.writers + o.readers
	switch ev.Op {
	case Lock:
		return held <= 0
	case TryLock:
		return (held <= 0) == (ev.Outcome == 1)
	case RLock:
		return o.writers <= 0
	case TryRLock:
		return (o.writers <= 0) == (ev.Outcome == 1)
	case Unlock:
		return o.writers > 0
	case RUnlock:
		return o.readers > 0
	case Add:
		return o.counter+ev.Delta >= 0
	case Wait:
		return o.counter == 0
	case CondWake:
		return c.happens(ev.Partner) && c.ticket[ev.Partner] < o.called
	case Send, Recv, Close:
		return c.possibleChannel(e, ev, o)
	case Default:
		return c.possibleDefault(ev)
	}
	return true
}

func (c *Checker) possibleChannel(e EventID, ev *Event, o *tally) bool {
	channel := &c.x.s.Objects[ev.Obj]
	open := o.closed == NoEvent
	switch {
	case channel.Nil:
		return false
	case ev.Op == Recv && ev.Outcome == Closed:
		return !open && o.counter == 0
	case ev.Op == Close:
		return open
	case channel.Cap == 0:
		return open && c.partners(e, nil) > 0
	case ev.Op == Recv:
		return o.counter > 0
	}
	return open && o.counter < int64(channel.Cap)
}

// partners counts the events of other threads that stand before the other half
// of e and calls do for each.
func (c *Checker) partners(e EventID, do func(EventID)) int {
	ev, n := &c.x.s.Events[e], 0
	for _, p := range c.x.ofObj[ev.Obj] {
		o := &c.x.s.Events[p]
		if o.Thread != ev.Thread && o.Op != ev.Op && c.x.unbuffered(p) && c.stands(p) {
			n++
			if do != nil {
				do(p)
			}
		}
	}
	return n
}

func (c *Checker) possibleDefault(ev *Event) bool {
	for _, cs := range ev.Cases {
		channel, o := &c.x.s.Objects[cs.Obj], &c.objs[cs.Obj]
		switch {
		case channel.Nil:
		case o.closed != NoEvent,
			channel.Cap > 0 && cs.Send && o.counter < int64(channel.Cap),
			channel.Cap > 0 && !cs.Send && o.counter > 0:
			return false
		}
	}
	return true
}

// behindWriter is Machine's, at the end of the current order.
func (c *Checker) behindWriter(e EventID) bool {
	ev := &c.x.s.Events[e]
	o := &c.objs[ev.Obj]
	if ev.Op != RLock || o.writers <= 0 && o.readers <= 0 {
		return false
	}
	for _, w := range c.x.ofObj[ev.Obj] {
		if c.x.s.Events[w].Op == Lock && c.stands(w) {
			return true
		}
	}
	return false
}

// eachBlocker makes the clauses of what would have to change for e, which is
// possible at the end, not to be, and calls report for each. An event that is
// always possible has the empty one.
func (c *Checker) eachBlocker(e EventID, report func()) {
	ev, end := &c.x.s.Events[e], c.x.s.End()
	o := &c.objs[ev.Obj]
	c.begin(end)
	raise := func(how counter, sum, to int64) { c.change(end, end, ev.Obj, how, to-sum-1, 1) }
	lower := func(how counter, sum, to int64) { c.change(end, end, ev.Obj, how, sum-to-1, -1) }
	switch ev.Op {
	case Lock:
		raise(countHolders, o.writers+o.readers, 1)
	case TryLock:
		if ev.Outcome == 1 {
			raise(countHolders, o.writers+o.readers, 1)
		} else {
			lower(countHolders, o.writers+o.readers, 0)
		}
	case RLock:
		raise(countWriters, o.writers, 1)
		c.bringWriter(ev, o)
	case TryRLock:
		if ev.Outcome == 1 {
			raise(countWriters, o.writers, 1)
		} else {
			lower(countWriters, o.writers, 0)
		}
	case Unlock:
		lower(countWriters, o.writers, 0)
	case RUnlock:
		lower(countReaders, o.readers, 0)
	case Add:
		if ev.Delta < 0 {
			lower(countGroup, o.counter, -ev.Delta-1)
		}
	case Wait:
		raise(countGroup, o.counter, 1)
	case CondWake:
		c.uncall(e)
	case Default:
		c.admitCase(ev)
	case Send, Recv, Close:
		c.channelBlockers(e, ev, o, report)
		return
	}
	report()
}

func (c *Checker) channelBlockers(e EventID, ev *Event, o *tally, report func()) {
	end, room := c.x.s.End(), int64(c.x.s.Objects[ev.Obj].Cap)
	closing := func() { c.eachClose(ev.Obj, func(cl EventID) { c.or(cl, end) }) }
	switch {
	case ev.Op == Recv && ev.Outcome == Closed:
		c.or(end, o.closed)
		if room > 0 {
			c.change(end, end, ev.Obj, countItems, -o.counter, 1)
		}
		report()
	case ev.Op == Close:
		closing()
		report()
	case room == 0:
		c.partners(e, func(p EventID) {
			c.begin(end)
			closing()
			c.leave(p)
			report()
		})
	case ev.Op == Recv:
		c.change(end, end, ev.Obj, countItems, o.counter-1, -1)
		report()
	default:
		closing()
		c.change(end, end, ev.Obj, countItems, room-o.counter-1, 1)
		report()
	}
}

// bringWriter adds what would make an RLock wait behind a writer that waits for
// readers.
func (c *Checker) bringWriter(ev *Event, o *tally) {
	end := c.x.s.End()
	if o.readers <= 0 {
		c.change(end, end, ev.Obj, countReaders, -o.readers, 1)
		return
	}
	for _, w := range c.x.ofObj[ev.Obj] {
		if c.x.s.Events[w].Op == Lock {
			c.arrive(w)
		}
	}
}

// admitCase adds what would let one of the cases of a Default go on.
func (c *Checker) admitCase(ev *Event) {
	end := c.x.s.End()
	for _, cs := range ev.Cases {
		channel, o := &c.x.s.Objects[cs.Obj], &c.objs[cs.Obj]
		if channel.Nil {
			continue
		}
		c.eachClose(cs.Obj, func(cl EventID) { c.or(cl, end) })
		switch {
		case channel.Cap == 0:
		case cs.Send:
			c.change(end, end, cs.Obj, countItems, o.counter-int64(channel.Cap), -1)
		default:
			c.change(end, end, cs.Obj, countItems, -o.counter, 1)
		}
	}
}
