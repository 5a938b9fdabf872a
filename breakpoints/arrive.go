package breakpoints

import "strconv"

// here is a visit of side whose gate was open. local says whether the local
// predicate holds, and gives what the joint predicate needs. The result is
// whether the visit was part of a hit.
//
//go:norace
func (b *Breakpoint) here(side int, local func() (bool, []any)) bool {
	if side < 1 || side > b.def.Sides {
		return false
	}
	n := b.sides[side].visits.add()
	ok, values, fault := evaluate(local)
	if !ok && fault == "" {
		b.sides[side].refused.add()
	}
	b.reportVisit(side, n)
	hit := (ok || fault != "") && b.visited(side, capture(values), fault)
	if b.sides[side].shared {
		hit = b.pauseShared(side) || hit
	}
	return hit
}

// visited is a visit whose local predicate holds, or is faulty.
//
//go:norace
func (b *Breakpoint) visited(side int, values []value, fault string) bool {
	raceOff()
	defer raceOn()
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	if fault != "" {
		b.fault("condition of side " + strconv.Itoa(side) + ": " + fault)
		return false
	}
	return !b.over && b.gates[isSet].isOpen() && b.wanted(side) && b.arrive(side, values, true)
}

// reportedVisits is how many visits of a side are all reported at once, so that the
// report tells of visits that come to nothing; of the rest, the 2^k-th are.
const reportedVisits = 64

// reportVisit reports the n-th visit.
//
//go:norace
func (b *Breakpoint) reportVisit(side, n int) {
	if n&(n-1) == 0 || b.journal != nil && n < reportedVisits {
		b.reportNow(side)
	}
}

//go:norace
func (b *Breakpoint) reportNow(side int) {
	raceOff()
	defer raceOn()
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	if s := &b.sides[side]; s.fn == "" {
		s.fn = callerName()
	}
	b.changed()
}

// wanted is false if the side may not pause now and nobody waits for it: then
// its gate is closed for a moment. mu is held.
//
//go:norace
func (b *Breakpoint) wanted(side int) bool {
	now, s := nanotime(), &b.sides[side]
	s.budget.visits++
	switch {
	case b.hitsTooExpensive(now):
	case b.partnerWaits(side):
		return true
	case b.neverPauses(side) && s.passages.n < len(s.passages.list):
		return true
	case b.neverPauses(side):
	case b.def.OneWay && b.sides[b.order[0]].passages.n > 0:
		if s.budget.visits > manyVisits {
			b.closeGate(side)
		}
		return true
	case s.budget.peek(now, int64(b.def.timeout(side))):
		return true
	}
	b.closeGate(side)
	return false
}

// closeGate closes the side's gate, unless the goroutine is in a synctest bubble:
// there a timer would be one of the bubble's. Nor under the race detector,
// see sleeper.
//
//go:norace
func (b *Breakpoint) closeGate(side int) {
	if !raceBuild && !b.sides[side].budget.closing && !waiters.anyArriving(b.def.at(side)) && self().bubble == "" {
		b.close(side)
	}
}

// partnerWaits reports whether somebody is postponed at another side, or blocked
// in its statement.
//
//go:norace
func (b *Breakpoint) partnerWaits(side int) bool {
	for s := 1; s <= b.def.Sides; s++ {
		if s != side && (b.sides[s].first != nil || b.someInside(s)) {
			return true
		}
	}
	return false
}

// arrive is a visit whose local predicate holds. Unless it may pause, it only
// looks for a match. mu is held, and given up while the goroutine is paused.
//
//go:norace
func (b *Breakpoint) arrive(side int, values []value, mayPause bool) bool {
	me, now, s := self(), nanotime(), &b.sides[side]
	v := &visit{b: b, side: side, values: values, since: now, seen: now}
	v.waiter.goid, v.waiter.visit, v.sleeper = me.goid, v, newSleeper(me.bubble != "")
	if b.neverPauses(side) {
		if s.shared {
			b.join(v, me.bubble != "")
		}
		return b.pass(v)
	}
	limit := int64(0)
	if mayPause && !b.passesFreely(v) {
		limit = s.budget.grant(now, int64(b.def.timeout(side)))
	}
	if v.limit = limit; s.shared {
		return b.offer(v, me.bubble != "")
	}
	if limit > 0 {
		b.postpone(v)
	}
	defer b.abandon(v)
	if b.meet(v) {
		b.show(v.m)
	} else if v.end == waiting && limit <= 0 {
		return false
	} else {
		b.changed()
	}
	b.await(v, limit)
	v.stop()
	if limit > 0 {
		s.budget.leave(nanotime(), v.end == inHit)
		if v.end == timedOut || v.end == released {
			s.wasted.add(v.goid)
		}
	}
	return v.end == inHit
}

// offer looks for a match of v; if there is none, v pauses at the last side of
// its statement. mu is held.
//
//go:norace
func (b *Breakpoint) offer(v *visit, inBubble bool) bool {
	met := b.meet(v)
	if met || v.limit > 0 {
		b.join(v, inBubble)
	}
	if met {
		b.show(v.m)
		if b.hasLaterSide(v.side) { // else with the stop's other visits, see pauseAll
			b.await(v, 0)
			v.stop()
		}
	}
	return v.end == inHit
}

// postpone puts v on the list, for its limit at most.
//
//go:norace
func (b *Breakpoint) postpone(v *visit) {
	b.sides[v.side].add(v)
	waiters.enter(&v.waiter)
	b.openPartners(v.side)
	b.sides[v.side].budget.enter(v.seen, v.limit)
	b.stat.Postponed[v.side-1]++
}

// abandon takes a visit out whose goroutine ends inside of a predicate.
//
//go:norace
func (b *Breakpoint) abandon(v *visit) {
	if v.in {
		b.end(v, timedOut)
		b.sides[v.side].budget.leave(nanotime(), false)
	}
}

// openPartners lets the visits of all other sides look again.
//
//go:norace
func (b *Breakpoint) openPartners(side int) {
	for s := 1; s <= b.def.Sides; s++ {
		if s != side {
			b.gates[s].set(true)
		}
	}
}

// pass is a visit of the side that never pauses. Those who wait for it meet
// it; later ones find its passage.
//
//go:norace
func (b *Breakpoint) pass(v *visit) bool {
	v.passage, v.passedAt = true, v.since
	b.sides[v.side].passages.add(v)
	if b.waitsForDid(v.side) {
		b.gates[didAwaited].set(true)
	}
	if !b.meet(v) {
		return false
	}
	b.show(v.m)
	v.passedAt = nanotime()
	return v.end == inHit
}

// show tells a debugger of a hit, before anybody is released. mu is held, and
// given up during the call.
//
//go:norace
func (b *Breakpoint) show(m *meeting) {
	if m.end == inHit && !m.again {
		id, name := b.def.ID, b.def.Name
		waiters.mu.Unlock()
		raceOn()
		hit(id, name)
		raceOff()
		waiters.mu.Lock()
	}
	m.shown = true
	for _, w := range m.order {
		w.wake()
	}
}

// hit is where a debugger stops the program when breakpoint id has been hit:
// all sides are there, and nobody has gone on.
//
//go:noinline
//go:norace
func hit(id int, name string) { lastHit = id }

var lastHit int // so that hit does something
