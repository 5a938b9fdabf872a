package breakpoints

// A statement may be a side of several breakpoints: their calls come one after
// another, in the order of Definition.ID, before it. A goroutine looks for a
// match at each, and pauses at the last one only, for all of them at once: so
// none hides another. The first meeting that forms takes it; when its turn in
// that has come, it waits on for the others' partners, and those behind it in
// the order wait for it. But if their statements share the next breakpoint too,
// one of them goes on to meet it there, which keeps the order.

// sharedStop is one goroutine's stay before such a statement.
type sharedStop struct {
	sleeper
	goid   int64
	at     int // number of the statement
	visits []*visit
	began  int64 // nanotime
	paused bool  // it pauses
	next   *sharedStop
}

// peer is a side of another breakpoint at the same statement.
type peer struct {
	b    *Breakpoint
	side int
}

// staleStop is the age in ns at which a stop without a pause is dropped.
const staleStop = 1000 * ms

// findPeers is called once all breakpoints of the process are known.
func findPeers(set []*Breakpoint) {
	for _, b := range set {
		for side := 1; b != nil && side <= b.def.Sides; side++ {
			for _, c := range set {
				if c == nil || c == b || b.def.at(side) == 0 {
					continue
				}
				for s := 1; s <= c.def.Sides; s++ {
					if c.def.at(s) == b.def.at(side) {
						b.sides[side].shared = true
						b.sides[side].peers++
						if c.def.ID > b.def.ID {
							b.sides[side].later = append(b.sides[side].later, peer{c, s})
						}
					}
				}
			}
		}
	}
}

// stopOf is the goroutine's stop at a statement, or nil. mu is held.
//
//go:norace
func (r *waitRoom) stopOf(goid int64, at int) *sharedStop {
	for st := r.stops; st != nil; st = st.next {
		if st.goid == goid && st.at == at {
			return st
		}
	}
	return nil
}

// anyArriving reports whether a goroutine is on its way through the sides of a
// statement.
//
//go:norace
func (r *waitRoom) anyArriving(at int) bool {
	for st := r.stops; st != nil && at != 0; st = st.next {
		if st.at == at && !st.paused {
			return true
		}
	}
	return false
}

//go:norace
func (r *waitRoom) dropStop(old *sharedStop) {
	now := nanotime()
	for p := &r.stops; *p != nil; {
		if st := *p; st == old || !st.paused && now-st.began > staleStop {
			*p = st.next
		} else {
			p = &st.next
		}
	}
}

// join adds v to its goroutine's stop. mu is held.
//
//go:norace
func (b *Breakpoint) join(v *visit, inBubble bool) {
	at := b.def.at(v.side)
	st := waiters.stopOf(v.goid, at)
	if st != nil {
		for _, w := range st.visits {
			if w.b == b && (w.side == v.side || w.oneOf != nil) { // of an earlier visit, which came to no pause
				waiters.dropStop(st)
				st = nil
				break
			}
		}
	}
	if st == nil {
		st = &sharedStop{goid: v.goid, at: at, began: v.since, sleeper: newSleeper(inBubble), visits: make([]*visit, 0, 1+b.sides[v.side].peers)}
		waiters.dropStop(nil)
		st.next, waiters.stops = waiters.stops, st
	}
	v.sleeper.woken, v.atShared = st.woken, st
	st.visits = append(st.visits, v)
}

// pauseShared is the end of a visit of a side that is not the only one at its
// statement: the goroutine goes on to the next one, or pauses for all. The
// result is whether it was part of a hit.
//
//go:norace
func (b *Breakpoint) pauseShared(side int) bool {
	raceOff()
	defer raceOn()
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	st := waiters.stopOf(goid(), b.def.at(side))
	if st == nil {
		return false
	}
	if !b.hasLaterSide(side) {
		return st.pauseAll()
	}
	for _, p := range b.sides[side].later {
		if p.isOn() {
			p.b.gates[p.side].set(true)
		}
	}
	return false
}

// hasLaterSide reports whether the goroutine comes to another side of the statement yet.
//
//go:norace
func (b *Breakpoint) hasLaterSide(side int) bool {
	for _, p := range b.sides[side].later {
		if p.isOn() {
			return true
		}
	}
	return false
}

//go:norace
func (p peer) isOn() bool { return !p.b.over && p.b.gates[isSet].isOpen() }

// pauseAll pauses for all visits of the stop. mu is held, and given up meanwhile.
//
//go:norace
func (st *sharedStop) pauseAll() (hit bool) {
	st.paused = true
	for _, v := range st.visits {
		v.seen = nanotime()
		if v.end == waiting && v.limit > 0 && !v.passage && !v.b.over {
			v.b.postponeShared(v)
		}
	}
	for polls := 0; ; polls++ {
		nap := int64(-1)
		for _, v := range st.visits {
			if d := v.step(polls); d >= 0 && (nap < 0 || d < nap) {
				nap = d
			}
		}
		if nap < 0 {
			break
		}
		waiters.mu.Unlock()
		st.nap(nap)
		waiters.mu.Lock()
	}
	st.stop()
	st.paused = false
	waiters.dropStop(st)
	now := nanotime()
	for _, v := range st.visits {
		hit = hit || v.end == inHit
		if !v.listed {
			continue
		}
		s := &v.b.sides[v.side]
		s.budget.leave(now, v.end == inHit)
		if v.end == timedOut || v.end == released {
			s.wasted.add(v.goid)
		}
		v.b.changed()
	}
	return hit
}

// postponeShared postpones v, unless it meets somebody at once. mu is held.
//
//go:norace
func (b *Breakpoint) postponeShared(v *visit) {
	own := v.side
	for _, side := range v.oneOf { // it may be any of these; somebody may have come meanwhile
		if v.side = side; b.meet(v) {
			b.show(v.m)
			return
		}
	}
	if v.side = own; b.meet(v) {
		b.show(v.m)
		return
	}
	b.postpone(v)
	v.listed = true
}

// step is what one visit of a stop does now. The result is after how many ns
// to look again; negative if it has ended. mu is held.
//
//go:norace
func (v *visit) step(polls int) int64 {
	switch {
	case v.end == waiting && v.in:
		v.tick()
		if v.live >= v.limit {
			v.b.end(v, timedOut)
			v.b.stat.TimedOut[v.side-1]++
			return -1
		}
		nap := v.limit - v.live
		if waiters.leader() == v {
			nap = min(nap, dumpEvery)
			waiters.lookAround(v)
		}
		if v.end != waiting {
			return 0
		}
		return nap
	case v.end == inHit && !v.turned && !v.passage:
		v.tick()
		switch {
		case v.b.myTurn(v):
			return 0 // the others look again
		case polls > spins:
			return pollEvery
		}
		return 0
	case v.end == released && !v.turned:
		v.turned = true
		v.atShared.endPauses()
	}
	return -1
}

// endPauses ends all pauses of the stop.
//
//go:norace
func (st *sharedStop) endPauses() {
	for _, v := range st.visits {
		if v.end == waiting && v.in {
			v.b.end(v, ignored)
		}
	}
}

// stillPausedFor reports whether w's goroutine is still before the statement, for another
// breakpoint; mutual, that next must not wait for that: it is the one who is
// waited for, or may be.
//
//go:norace
func (w *visit) stillPausedFor(next *visit) (kept, mutual bool) {
	if w.atShared == nil || w.did {
		return false, false
	}
	for _, x := range w.atShared.visits {
		switch {
		case x == w:
		case x.end == waiting && x.in:
			if next.goesTo(x.b) {
				return true, true
			}
			kept = true
		case x.end == inHit && !x.turned && !x.passage:
			for _, y := range x.m.order {
				if y.goid == next.goid {
					return true, true
				}
			}
			kept = true
		}
	}
	return kept, false
}

// goesTo reports whether v comes to breakpoint c next, before its statement.
//
//go:norace
func (v *visit) goesTo(c *Breakpoint) bool {
	if v.atShared != nil {
		for _, x := range v.atShared.visits {
			if x.b == c {
				return false
			}
		}
	}
	for _, p := range v.b.sides[v.side].later {
		if p.b == c {
			return true
		}
	}
	return false
}
