package breakpoints

import "time"

// A pause that came to nothing has cost the program time. A side that is
// reached seldom may always take it. One that is reached often takes three full
// pauses for nothing, at once as a short test may be over soon (or more of them
// that end early, and take no longer together); then 0.5 % of the time. It loses
// little by that, because it comes again soon, when a partner that is reached
// seldom is waiting.
//
// The time of that is one in which nobody pauses (pauseClock): else the pauses
// of many breakpoints would each allow others, and the program would do nothing
// else. And where many sides are reached again and again, they share.
const (
	budgetRate = 200 // pauses for nothing take at most 1/200 of the time
	shortest   = 20  // and are not worth it below T/20
	seldom     = 10  // a side not seen for 10·T may pause in any case
	freePauses = 3   // and so may its first ones
	manyVisits = 64  // visits after which those who join a pause don't prolong it
)

// closedFor is for how long a side without budget does not look.
const closedFor = 10 * time.Millisecond

// budget is how much one side may still pause. Times are nanotimes and ns.
type budget struct {
	born    int64 // by the pause clock: its first visit
	visits  int   // that wanted to pause
	pauses  int   // intervals in which somebody paused for nothing
	spent   int64 // ns in them: all who pause at the same time count once
	idle    int64 // by the pause clock: since when nobody has come, though the gate was open
	inside  int   // pausing now
	began   int64 // the interval
	until   int64 // its end as planned
	met     bool  // somebody of the interval was in a hit
	reopen  *time.Timer
	closing bool
}

// grant says how long a visit may pause at most, wanting t; 0 is not at all.
//
//go:norace
func (q *budget) grant(now, t int64) int64 {
	clock := &waiters.clock
	active := clock.at(now)
	if q.born == 0 {
		q.born = active
	}
	gap := active - q.idle
	q.idle = active
	switch {
	case t <= 0:
		return 0
	case q.inside > 0 && q.visits > manyVisits:
		return min(t, q.until-now)
	case q.inside > 0, gap >= max(seldom, clock.sides)*t:
		return t
	case q.pauses < freePauses:
		return t
	}
	if left := freePauses*t + (active-q.born)/max(budgetRate, clock.sides) - q.spent; left >= max(t/shortest, 1) {
		return min(t, left)
	}
	return 0
}

// peek reports whether grant would give anything.
//
//go:norace
func (q *budget) peek(now, t int64) bool {
	c := *q
	return c.grant(now, t) > 0
}

//go:norace
func (q *budget) enter(now, limit int64) {
	if q.inside == 0 {
		q.began, q.met, q.until = now, false, 0
	}
	q.inside++
	waiters.clock.enter(now)
	q.until = max(q.until, now+limit)
}

//go:norace
func (q *budget) leave(now int64, hit bool) {
	q.inside--
	waiters.clock.leave(now)
	q.idle = waiters.clock.at(now)
	q.met = q.met || hit
	if q.inside == 0 && !q.met {
		if q.pauses++; q.pauses == freePauses {
			waiters.clock.sides++
		}
		q.spent += now - q.began
	}
}

// pauseClock stands still while somebody is paused. Its times are in ns.
type pauseClock struct {
	inside int   // paused now
	began  int64 // nanotime since when it stands still
	lost   int64 // for how long it did before
	sides  int64 // that have paused for nothing again and again
}

//go:norace
func (c *pauseClock) at(now int64) int64 {
	if c.inside > 0 {
		now = c.began
	}
	return now - c.lost
}

//go:norace
func (c *pauseClock) enter(now int64) {
	if c.inside == 0 {
		c.began = now
	}
	c.inside++
}

//go:norace
func (c *pauseClock) leave(now int64) {
	if c.inside--; c.inside == 0 {
		c.lost += now - c.began
	}
}

// Hits are budgeted too: a pair of hot places could meet a million times. After
// the first freeHits they take at most 1/hitRate of the time and a second.
const (
	freeHits = 20
	hitRate  = 20
)

//go:norace
func (b *Breakpoint) hitsTooExpensive(now int64) bool {
	return b.stat.Hit >= freeHits && b.hitTime > 1000*ms+(now-b.born)/hitRate
}

// close stops looking at side for a moment. A timer opens the gate again, not
// the next visit, which must cost nothing; and it runs once, so that a program
// that has come to rest is not kept from being found deadlocked. mu is held.
//
//go:norace
func (b *Breakpoint) close(side int) {
	q := &b.sides[side].budget
	if q.closing {
		return
	}
	b.gates[side].set(false)
	b.markUncounted(side)
	q.closing = true
	if q.reopen != nil {
		q.reopen.Reset(closedFor)
		return
	}
	q.reopen = time.AfterFunc(closedFor, func() { b.open(side) })
}

// markUncounted notes that visits of a side are not counted for a while.
//
//go:norace
func (b *Breakpoint) markUncounted(side int) {
	if s := &b.sides[side]; !s.uncounted {
		s.uncounted = true
		b.changed()
	}
}

//go:norace
func (b *Breakpoint) open(side int) {
	raceOff()
	defer raceOn()
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	q := &b.sides[side].budget
	q.closing = false
	q.idle = waiters.clock.at(nanotime())
	if b.gates[isSet].isOpen() && !b.over {
		b.gates[side].set(true)
	}
}
