package breakpoints

import "sync"

// waitRoom holds the goroutines that wait because of the plan or of a breakpoint.
// It is the one place that looks at all goroutines of the process.
//
// A look stops the world for a time that grows with the number of goroutines.
// So after one that took d the next is not before 50·d: looks cost at most 2 %
// of the time during which somebody is held, and nothing otherwise. On a busy
// machine a look takes long because others have the processors; d is then what
// a dump of this size takes at most by itself.
type waitRoom struct {
	mu          sync.Mutex
	first, last *waiter // oldest first
	n           int     // of them
	snap        *snapshot
	began       int64 // nanotime at which snap was begun; 0 for never
	taken       int64 // and complete
	cost        int64 // ns that it took, as far as that was its own work
	stuck       int   // looks in a row that showed nobody able to go on
	clock       pauseClock
	entered     int64 // waiters so far
	passers     *passer
	stops       *sharedStop // goroutines before statements that are sides of several breakpoints
}

// waiter is a goroutine that waits.
type waiter struct {
	goid       int64
	visit      *visit // nil if a step of the plan
	prev, next *waiter
	in         bool
	number     int64 // from 1, in the order in which they came
}

// waiters are those of this process: all wait for the same running goroutines.
var waiters = &waitRoom{}

//go:norace
func (r *waitRoom) enter(g *waiter) {
	if g.in {
		return
	}
	r.n++
	r.entered++
	g.number = r.entered
	g.in, g.prev, g.next = true, r.last, nil
	if r.last != nil {
		r.last.next = g
	} else {
		r.first = g
	}
	r.last = g
}

//go:norace
func (r *waitRoom) leave(g *waiter) {
	if !g.in {
		return
	}
	if g.prev != nil {
		g.prev.next = g.next
	} else {
		r.first = g.next
	}
	if g.next != nil {
		g.next.prev = g.prev
	} else {
		r.last = g.prev
	}
	r.n--
	g.in, g.prev, g.next = false, nil, nil
	if l := r.leader(); l != nil {
		l.wake() // it may be the leader only now
	}
}

// look gives a snapshot that is at most age old, or older if looks have become
// expensive; fresh reports whether this call took it. mu is held.
//
//go:norace
func (r *waitRoom) look(age int64) (s *snapshot, fresh bool) {
	now := nanotime()
	if r.began != 0 && now-r.taken < max(age, 50*r.cost) {
		return r.snap, false
	}
	r.began = now
	r.snap = takeSnapshot()
	r.markWaiters()
	r.taken = nanotime()
	r.cost = min(r.taken-now, dumpFixed+dumpPerByte*dumpSize.Load())
	return r.snap, true
}

// What a dump costs at most on slow machines, in ns.
const (
	dumpFixed   = 40_000
	dumpPerByte = 20
)

// stateSince is the state of a goroutine, seen after the time since. mu is held.
//
//go:norace
func (r *waitRoom) stateSince(goid, since int64) goState {
	s, _ := r.look(stateEvery)
	if r.began <= since {
		return goRunning // not seen yet
	}
	return s.state(goid)
}

// markWaiters notes in the snapshot who is held.
//
//go:norace
func (r *waitRoom) markWaiters() {
	held := map[int64]*waiter{}
	for g := r.first; g != nil; g = g.next {
		held[g.goid] = g
	}
	for i := range r.snap.states {
		if g := held[r.snap.states[i].goid]; g != nil {
			r.snap.states[i].waiter = g
		}
	}
}
