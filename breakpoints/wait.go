package breakpoints

import (
	"runtime"
	"slices"
	"time"
)

const (
	dumpEvery  = 4 * time.Millisecond // between two looks at all goroutines for being stuck
	stuckLooks = 3                    // so many in a row must show nobody able to go on
	stateEvery = time.Millisecond     // age at which a dump is too old to tell a goroutine's state
	spins      = 50                   // polls that only yield, before polls that sleep
	pollEvery  = 100 * time.Microsecond
)

// watcher is the look at all goroutines that the waiting ones share.
type watcher struct {
	snap  snapshot
	taken time.Time
	look  time.Time // last look for being stuck
	stuck int       // looks in a row
}

// await holds the goroutine at s until the plan lets it go on. It polls: what
// it waits for includes other goroutines' being blocked, which nothing
// announces, and a parked waiter would look like one more blocked goroutine
// to the runtime's deadlock detector.
//
//go:norace
func (c *core) await(s *progress) {
	start := time.Now()
	for i := 0; ; i++ {
		if c.poll(s, start) {
			return
		}
		if i < spins {
			runtime.Gosched()
		} else {
			time.Sleep(pollEvery)
		}
	}
}

// poll is true once s may go on.
//
//go:norace
func (c *core) poll(s *progress, start time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if c.broken == "" && !c.ready(s, func(id int64) goState { return c.stateOf(id, now) }) {
		if !slices.Contains(c.waiting, s) {
			c.waiting = append(c.waiting, s)
		}
		switch {
		case now.Sub(start) > c.plan.Timeout:
			c.giveUp("timeout", s)
		case c.isStuck(now):
			c.giveUp("stuck", s)
		default:
			return false
		}
	}
	if i := slices.Index(c.waiting, s); i >= 0 {
		c.waiting[i] = c.waiting[len(c.waiting)-1]
		c.waiting = c.waiting[:len(c.waiting)-1]
	}
	c.pass(s)
	c.watch.stuck = 0
	return true
}

//go:norace
func (c *core) stateOf(id int64, now time.Time) goState {
	w := &c.watch
	if now.Sub(w.taken) > stateEvery {
		w.snap, w.taken = takeSnapshot(), now
	}
	return w.snap.state(id)
}

// isStuck says that in several looks in a row nobody could go on: each
// goroutine is blocked or waits at a step that is not ready.
//
//go:norace
func (c *core) isStuck(now time.Time) bool {
	w := &c.watch
	if now.Sub(w.look) < dumpEvery {
		return false
	}
	w.look, w.snap, w.taken = now, takeSnapshot(), now
	if !w.snap.othersBlocked(c.waits) || c.someReady() {
		w.stuck = 0
		return false
	}
	w.stuck++
	return w.stuck >= stuckLooks
}

//go:norace
func (c *core) waits(goid int64) bool {
	for _, s := range c.waiting {
		if s.goid == goid {
			return true
		}
	}
	return false
}

//go:norace
func (c *core) someReady() bool {
	for _, s := range c.waiting {
		if c.ready(s, c.watch.snap.state) {
			return true
		}
	}
	return false
}

// finish waits until the plan is played or given up, and says which.
//
//go:norace
func (c *core) finish() (played bool) {
	for start := time.Now(); ; time.Sleep(pollEvery) {
		c.mu.Lock()
		c.ending = goid()
		now := time.Now()
		end := &progress{Step: Step{ID: "end"}}
		switch {
		case c.broken != "" || c.open == 0:
			played = c.played()
			c.mu.Unlock()
			return played
		case now.Sub(start) > c.plan.Timeout:
			c.giveUp("timeout", end)
		case c.isStuck(now):
			c.giveUp("stuck", end)
		}
		c.mu.Unlock()
	}
}
