package breakpoints

import (
	"slices"
)

const (
	dumpEvery  = 4 * ms // between two looks at all goroutines for being stuck
	stuckLooks = 3      // so many in a row must show nobody able to go on
	stateEvery = 1 * ms // age at which a look is too old to tell a goroutine's state
	spins      = 50     // polls that only yield, before polls that sleep
	pollEvery  = ms / 10
)

// watcher counts looks for being stuck.
type watcher struct {
	last  int64 // nanotime of the last
	stuck int   // in a row
	since int64 // nanotime of the first of these
}

// await holds the goroutine at s until the plan lets it go on. It polls: what
// it waits for includes other goroutines' being blocked, which nothing
// announces.
//
//go:norace
func (c *core) await(s *progress) {
	start, me := nanotime(), self()
	g := &waiter{goid: me.goid}
	sl := newSleeper(me.bubble != "")
	defer sl.stop()
	for i := 0; !c.poll(s, g, start); i++ {
		if i < spins {
			sl.nap(0)
		} else {
			sl.nap(pollEvery)
		}
	}
}

// poll is true once s may go on.
//
//go:norace
func (c *core) poll(s *progress, g *waiter, start int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	if c.broken == "" && !s.freed && (!c.ready(s, stateAfter) || !s.slept()) {
		if !slices.Contains(c.waiting, s) {
			c.waiting = append(c.waiting, s)
		}
		waiters.enter(g)
		switch {
		case nanotime()-start > int64(c.plan.Timeout):
			c.giveUp("timeout", s)
		case c.isStuck():
			c.free(s)
			return false
		default:
			return false
		}
	}
	if i := slices.Index(c.waiting, s); i >= 0 {
		c.waiting[i] = c.waiting[len(c.waiting)-1]
		c.waiting = c.waiting[:len(c.waiting)-1]
	}
	waiters.leave(g)
	c.pass(s)
	c.watch.stuck = 0
	return true
}

//go:norace
func stateAfter(p *progress) goState { return waiters.stateSince(p.goid, p.when) }

// isStuck reports whether in several looks in a row nobody could go on: each
// goroutine is blocked or waits at a step that is not ready. One that a
// breakpoint holds will go on by itself.
//
//go:norace
func (c *core) isStuck() bool {
	w := &c.watch
	s, _ := waiters.look(dumpEvery)
	if waiters.taken-w.last < dumpEvery {
		return false
	}
	w.last = waiters.taken
	if !s.othersBlocked(func(st *stateOf) bool { return st.waiter != nil && st.waiter.visit == nil }) || c.someReady() {
		w.stuck = 0
		return false
	}
	if w.stuck++; w.stuck == 1 {
		w.since = w.last
	}
	return w.stuck >= stuckLooks && w.last-w.since >= int64(c.plan.Patience)
}

//go:norace
func (c *core) someReady() bool {
	for _, p := range c.waiting {
		if c.ready(p, stateAfter) {
			return true
		}
	}
	return false
}

// finish waits until the plan is played or given up, and says which.
//
//go:norace
func (c *core) finish() (played bool) {
	start, me := nanotime(), self()
	sl := newSleeper(me.bubble != "")
	defer sl.stop()
	for {
		c.mu.Lock()
		c.ending = me.goid
		if c.broken != "" || c.open == 0 {
			played = c.played()
			c.mu.Unlock()
			return played
		}
		waiters.mu.Lock()
		end := &progress{Step: Step{ID: "end"}}
		if nanotime()-start > int64(c.plan.Timeout) {
			c.giveUp("timeout", end)
		} else if c.isStuck() {
			c.free(end)
		}
		waiters.mu.Unlock()
		c.mu.Unlock()
		sl.nap(pollEvery)
	}
}
