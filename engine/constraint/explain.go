package constraint

import "fmt"

// Explain simulates an order and says which rules it breaks, as many and as
// independent ones as one pass finds, at most limit (0: all). The order lists
// all events with System.End among them; what comes after End does not happen.
// Each violation has a clause that is true in every valid schedule (that meets
// the goal) and false in this order. Without violations, Simulate accepts the
// order and the schedule meets the goal.
func Explain(s *System, order []EventID, g Goal, limit int) []*Violation {
	return NewChecker(s).Explain(order, g, limit)
}

// Explain is the function Explain.
func (c *Checker) Explain(order []EventID, g Goal, limit int) []*Violation {
	c.reset(order, limit)
	for i, e := range order[:min(int(c.end), len(order))] {
		if e < 0 || int(e) >= len(c.x.s.Events) || c.pos[e] != int32(i) {
			continue
		}
		c.step(e)
		if c.full() || c.stops() {
			return c.found
		}
	}
	c.finish()
	c.goal(g)
	return c.found
}

// step takes e as having happened and reports what forbids it.
func (c *Checker) step(e EventID) {
	ev := &c.x.s.Events[e]
	if !c.follows(e, ev) {
		c.broken[ev.Thread], c.anyBad = true, true
	}
	sound := !c.broken[ev.Thread]
	if sound {
		c.permits(e, ev)
	}
	c.take(e, ev)
	if sound {
		for _, cond := range ev.Cond {
			if !c.holds(cond) {
				c.begin(e)
				c.path(e, cond, rulePath)
			}
		}
	}
	c.effect(e, ev)
	c.last[ev.Thread] = e
}

// follows checks Φ_mo: e comes after its Prev, its spawn, and instead of its
// alternatives. It is false if the thread's events are no path.
func (c *Checker) follows(e EventID, ev *Event) bool {
	chosen := &c.first[ev.Thread]
	if ev.Prev != NoEvent {
		chosen = &c.chosen[ev.Prev]
	}
	path := true
	if ev.Prev != NoEvent && c.pos[ev.Prev] > c.pos[e] {
		c.lits = append(c.lits[:0], Lit{A: ev.Prev, B: e})
		c.report(e, ruleProgram, fmt.Sprintf("event %d comes before it", ev.Prev))
		path = false
	}
	if ev.Prev == NoEvent {
		c.spawned(e, ev)
	}
	if *chosen == NoEvent {
		*chosen = e
		return path
	}
	c.begin(e)
	c.or(c.x.s.End(), *chosen)
	c.report(e, ruleBranch, fmt.Sprintf("its alternative %d has happened", *chosen))
	return false
}

func (c *Checker) spawned(e EventID, ev *Event) {
	spawns := c.x.spawns[ev.Thread]
	if len(spawns) == 0 {
		return
	}
	c.begin(e)
	for _, s := range spawns {
		if c.pos[s] < c.pos[e] {
			return
		}
		c.or(s, e)
	}
	c.report(e, ruleSpawn, "its thread has not been started")
}

// permits checks Φ_sync: the object's state allows e.
func (c *Checker) permits(e EventID, ev *Event) {
	o := &c.objs[ev.Obj]
	switch ev.Op {
	case Lock:
		c.free(e, ev, countHolders, o.writers+o.readers)
	case RLock:
		c.free(e, ev, countWriters, o.writers)
	case TryLock:
		if ev.Outcome == 1 {
			c.free(e, ev, countHolders, o.writers+o.readers)
		} else {
			c.atLeast(e, ev.Obj, countHolders, o.writers+o.readers, 1, ruleLock, "nobody holds it")
		}
	case TryRLock:
		if ev.Outcome == 1 {
			c.free(e, ev, countWriters, o.writers)
		} else {
			c.atLeast(e, ev.Obj, countWriters, o.writers, 1, ruleLock, "no writer holds it")
		}
	case Unlock:
		c.atLeast(e, ev.Obj, countWriters, o.writers, 1, ruleLock, "nobody holds it")
	case RUnlock:
		c.atLeast(e, ev.Obj, countReaders, o.readers, 1, ruleLock, "no reader holds it")
	case Add:
		if ev.Delta < 0 {
			c.atLeast(e, ev.Obj, countGroup, o.counter, -ev.Delta, ruleWaitGroup, "the counter would be negative")
		}
	case Wait:
		c.atMost(e, ev.Obj, countGroup, o.counter, 0, ruleWaitGroup, "the counter is not 0")
	case CondWake:
		if c.ticket[ev.Partner] >= o.called {
			c.notCalled(e, ev)
		}
	case Send, Recv, Close:
		c.permitsChannel(e, ev, o)
	case Default:
		c.permitsDefault(e, ev)
	}
}

func (c *Checker) permitsChannel(e EventID, ev *Event, o *tally) {
	channel := &c.x.s.Objects[ev.Obj]
	if channel.Nil {
		c.begin(e)
		c.report(e, ruleChannel, "the channel is nil")
		return
	}
	switch {
	case ev.Op == Recv && ev.Outcome == Closed:
		c.closedBefore(e, ev.Obj)
		if channel.Cap > 0 {
			c.atMost(e, ev.Obj, countItems, o.counter, 0, ruleChannel, "the channel is not empty")
		}
	case ev.Op == Recv:
		if !c.atLeast(e, ev.Obj, countItems, o.counter, 1, ruleChannel, "the channel is empty") && channel.Cap == 0 {
			c.rendezvous(e, ev, o)
		}
	default:
		c.notClosed(e, ev.Obj)
		if ev.Op == Send && channel.Cap > 0 {
			c.atMost(e, ev.Obj, countItems, o.counter, int64(channel.Cap)-1, ruleChannel, "the channel is full")
		}
	}
}

func (c *Checker) permitsDefault(e EventID, ev *Event) {
	for _, cs := range ev.Cases {
		channel, o := &c.x.s.Objects[cs.Obj], &c.objs[cs.Obj]
		if channel.Nil {
			continue
		}
		c.notClosed(e, cs.Obj)
		switch {
		case channel.Cap == 0:
		case cs.Send:
			c.atLeast(e, cs.Obj, countItems, o.counter, int64(channel.Cap), ruleChannel, "a channel of its cases has room")
		default:
			c.atMost(e, cs.Obj, countItems, o.counter, 0, ruleChannel, "a channel of its cases is not empty")
		}
	}
}

// notClosed demands that no Close is before e.
func (c *Checker) notClosed(e EventID, obj ObjID) {
	cl := c.objs[obj].closed
	if cl == NoEvent {
		return
	}
	c.begin(e)
	if c.x.s.Events[e].Op == Close {
		c.or(c.x.s.End(), cl)
	} else {
		c.or(e, cl)
	}
	c.report(e, ruleClose, fmt.Sprintf("event %d has closed the channel", cl))
}

// closedBefore demands that a Close is before e.
func (c *Checker) closedBefore(e EventID, obj ObjID) {
	if c.objs[obj].closed != NoEvent {
		return
	}
	c.begin(e)
	c.eachClose(obj, func(cl EventID) { c.or(cl, e) })
	c.report(e, ruleChannel, "the channel is not closed")
}

func (c *Checker) eachClose(obj ObjID, do func(EventID)) {
	for _, cl := range c.x.ofObj[obj] {
		if c.x.s.Events[cl].Op == Close {
			do(cl)
		}
	}
}

// finish demands of the end that every send of capacity 0 has its receive.
func (c *Checker) finish() {
	end := c.x.s.End()
	for i := range c.x.s.Objects {
		if ch := &c.x.s.Objects[i]; ch.Kind == Channel && ch.Cap == 0 {
			c.atMost(end, ObjID(i), countItems, c.objs[i].counter, 0, ruleRendezvous, "the receive of a send is missing")
		}
	}
}

// free demands that a lock is not held at the acquisition e: sum, of how, is 0.
// If threads release only what they hold there is one clause for each region
// that e lies in: the region ends before e, or e's region ends before it.
func (c *Checker) free(e EventID, ev *Event, how counter, sum int64) {
	if sum <= 0 {
		return
	}
	o, told := &c.objs[ev.Obj], false
	if c.regions.own[ev.Obj] {
		for _, a := range o.holders {
			if weightOf(&c.x.s.Events[a], how) > 0 && c.excludes(a, e) {
				told = true
			}
		}
	}
	if !told {
		c.atMost(e, ev.Obj, how, sum, 0, ruleLock, "somebody holds it")
	}
}

// excludes reports that e lies in the region of a; false if it does not.
func (c *Checker) excludes(a, e EventID) bool {
	if c.broken[c.x.s.Events[a].Thread] {
		return false
	}
	c.begin(e)
	if !c.x.before(a, e) { // a thread that waits for itself can't go on
		for _, u := range c.regions.ends[a] {
			if c.pos[u] < c.pos[e] {
				return false
			}
			c.or(u, e)
		}
		if c.regions.start[e] == e {
			c.or(c.x.s.End(), a)
			for _, u := range c.regions.ends[e] {
				c.or(u, a)
			}
		} else {
			c.or(e, a)
		}
	}
	c.report(e, ruleLock, fmt.Sprintf("event %d holds it", a))
	return true
}
