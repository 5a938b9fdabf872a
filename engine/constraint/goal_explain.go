package constraint

import "fmt"

// goal reports what the goal misses at the end of the current order. Its
// clauses hold in every valid schedule that meets the goal.
func (c *Checker) goal(g Goal) {
	end := c.x.s.End()
	for _, e := range g.Include {
		c.demand(e)
	}
	for _, e := range g.Stop {
		c.stand(e)
	}
	for _, e := range g.Blocked {
		c.stand(e)
		if !c.anyBad && c.possible(e) && !c.behindWriter(e) {
			c.eachBlocker(e, func() { c.report(end, ruleGoal, fmt.Sprintf("event %d does not block", e)) })
		}
	}
	for _, d := range g.Order {
		c.edge(d)
	}
	for _, t := range g.Cond {
		happen := true
		for _, r := range t.Symbols() {
			happen = c.demand(r) && happen
		}
		if happen && !c.holds(t) {
			c.begin(end)
			c.path(end, t, ruleGoal)
		}
	}
	if g.Stuck && !c.anyBad {
		c.stuck()
	}
}

// demand reports e if it does not happen.
func (c *Checker) demand(e EventID) bool {
	if c.happens(e) {
		return true
	}
	end := c.x.s.End()
	c.begin(end)
	c.or(e, end)
	c.report(end, ruleGoal, fmt.Sprintf("event %d has not happened", e))
	return false
}

// stand demands that e's thread stands before it.
func (c *Checker) stand(e EventID) {
	ev, end := &c.x.s.Events[e], c.x.s.End()
	if ev.Prev != NoEvent {
		c.demand(ev.Prev)
	} else if !c.begun(ev.Thread) {
		c.begin(end)
		for _, s := range c.x.spawns[ev.Thread] {
			c.or(s, end)
		}
		c.report(end, ruleGoal, fmt.Sprintf("thread %d has not been started", ev.Thread))
	}
	for _, a := range c.x.siblings(e) {
		if c.happens(a) {
			c.begin(end)
			c.or(end, a)
			c.report(end, ruleGoal, fmt.Sprintf("event %d has happened", a))
		}
	}
}

// edge demands an order. The receive of a channel of capacity 0 counts as right
// behind its send.
func (c *Checker) edge(d Edge) {
	end := c.x.s.End()
	reason := fmt.Sprintf("event %d does not happen before event %d", d.Before, d.After)
	c.demand(d.After)
	if c.pos[d.Before] >= c.pos[d.After] {
		c.begin(end)
		if d.Before != d.After {
			c.or(d.Before, d.After)
		}
		c.report(end, ruleGoal, reason)
		return
	}
	if !c.happens(d.After) || c.x.s.Events[d.After].Op != Recv || !c.x.unbuffered(d.After) {
		return
	}
	s, obj := c.from[d.After], c.x.s.Events[d.After].Obj
	if s < 0 || c.pulledPos(d.Before) <= c.pos[s] {
		return
	}
	// Nothing but its receive comes when a send is open.
	before := c.sumBefore(d.Before, obj)
	if before <= 0 {
		return
	}
	c.begin(end)
	c.change(d.Before, d.Before, obj, countItems, before-1, -1)
	c.report(end, ruleGoal, reason)
}

// pulledPos is the place of e, for a receive of capacity 0 that of its send.
func (c *Checker) pulledPos(e EventID) int32 {
	if c.x.s.Events[e].Op == Recv && c.x.unbuffered(e) && c.from[e] >= 0 {
		return c.pos[c.from[e]]
	}
	return c.pos[e]
}

// sumBefore is how many items a channel has before e.
func (c *Checker) sumBefore(e EventID, obj ObjID) int64 {
	sum := int64(0)
	for _, a := range c.x.ofObj[obj] {
		if c.pos[a] < c.pos[e] {
			sum += weightOf(&c.x.s.Events[a], countItems)
		}
	}
	return sum
}

// begun says that thread t exists at the end.
func (c *Checker) begun(t ThreadID) bool {
	for _, s := range c.x.spawns[t] {
		if c.happens(s) {
			return true
		}
	}
	return len(c.x.spawns[t]) == 0
}

// stands says that e's thread stands before it at the end.
func (c *Checker) stands(e EventID) bool {
	ev := &c.x.s.Events[e]
	if ev.Prev != NoEvent {
		return c.happens(ev.Prev) && c.chosen[ev.Prev] == NoEvent
	}
	return c.begun(ev.Thread) && c.first[ev.Thread] == NoEvent
}

// stuck demands that all threads are blocked or at their end, and not all at
// their end.
func (c *Checker) stuck() {
	end := c.x.s.End()
	waits := false
	for t := range c.last {
		next := c.next(ThreadID(t))
		waits = waits || len(next) > 0
		for _, e := range next {
			if !c.possible(e) || c.behindWriter(e) {
				continue
			}
			c.eachBlocker(e, func() {
				c.leave(e)
				c.report(end, ruleGoal, fmt.Sprintf("event %d can happen", e))
			})
		}
		c.known(ThreadID(t))
	}
	if waits {
		return
	}
	c.begin(end)
	for t, l := range c.last {
		if l != NoEvent {
			c.or(end, l)
		} else if !c.begun(ThreadID(t)) {
			for _, s := range c.x.spawns[t] {
				c.or(s, end)
			}
		}
	}
	c.report(end, ruleGoal, "all threads are at their end")
}

// next is what thread t stands before at the end.
func (c *Checker) next(t ThreadID) []EventID {
	switch {
	case c.last[t] != NoEvent:
		return c.x.kids[c.last[t]]
	case c.begun(t):
		return c.x.roots[t]
	}
	return nil
}

// known demands that thread t does not stand where what it does next is not
// known.
func (c *Checker) known(t ThreadID) {
	l, end := c.last[t], c.x.s.End()
	c.begin(end)
	switch {
	case l == NoEvent && c.begun(t) && len(c.x.roots[t]) == 0 && c.x.s.Threads[t].Open:
		c.unspawn(t)
	case l != NoEvent && len(c.x.kids[l]) == 0 && (c.x.s.Threads[t].Open || c.x.s.Events[l].Pending):
		c.or(end, l)
	default:
		return
	}
	c.report(end, ruleGoal, fmt.Sprintf("what thread %d does next is not known", t))
}

// unspawn adds that an event which started t does not happen, if there is one.
func (c *Checker) unspawn(t ThreadID) {
	for _, s := range c.x.spawns[t] {
		if c.happens(s) {
			c.or(c.x.s.End(), s)
			return
		}
	}
}

// leave adds the ways for a thread that stands before e not to: it does not get
// there or goes on.
func (c *Checker) leave(e EventID) {
	ev, end := &c.x.s.Events[e], c.x.s.End()
	for _, a := range c.x.siblings(e) {
		c.or(a, end)
	}
	if ev.Prev != NoEvent {
		c.or(end, ev.Prev)
	} else {
		c.unspawn(ev.Thread)
	}
}

// arrive adds one of the ways that are missing for a thread to stand before e.
func (c *Checker) arrive(e EventID) {
	ev, end := &c.x.s.Events[e], c.x.s.End()
	for _, a := range c.x.siblings(e) {
		if c.happens(a) {
			c.or(end, a)
			return
		}
	}
	if ev.Prev != NoEvent {
		c.or(ev.Prev, end)
		return
	}
	for _, s := range c.x.spawns[ev.Thread] {
		c.or(s, end)
	}
}
