package breakpoints

// await holds the goroutine until its visit has ended: for limit ns at most
// while it is postponed, and then until it is its turn. mu is held, and given
// up meanwhile.
//
//go:norace
func (b *Breakpoint) await(v *visit, limit int64) {
	for polls := 0; ; polls++ {
		v.tick()
		nap := int64(0)
		switch {
		case v.end == waiting && v.live >= limit:
			b.end(v, timedOut)
			b.stat.TimedOut[v.side-1]++
			b.changed()
			return
		case v.end == waiting:
			if nap = limit - v.live; waiters.leader() == v {
				nap = min(nap, dumpEvery)
				waiters.lookAround(v)
			}
		case v.end != inHit || b.myTurn(v):
			return
		case polls > spins:
			nap = pollEvery
		}
		waiters.mu.Unlock()
		if v.end == waiting || v.end == inHit {
			v.nap(nap)
		}
		waiters.mu.Lock()
	}
}

// tick brings up to date for how long v has waited. Under a debugger, a stop
// of the whole process is not part of that: between two ticks passes no more
// than a nap and what a busy machine adds.
//
//go:norace
func (v *visit) tick() {
	now := nanotime()
	dt := now - v.seen
	v.seen = now
	if holding {
		dt = min(dt, dumpEvery)
	} else if waiters.n > 1 && waiters.leader() == v {
		// On a busy machine it takes longer, too, until one is released and
		// comes with the right value.
		dt = min(dt, 2*dumpEvery)
	}
	v.live += dt
	if v.m != nil && v.m.shown && v.m.turn > 0 && v.m.order[v.m.turn-1] != v && v.m.next1() == v {
		v.inLine += min(dt, passTime/4) // on a busy machine the one before needs longer, too
	}
}

// next1 is who goes on next.
//
//go:norace
func (m *meeting) next1() *visit {
	if m.turn < len(m.order) {
		return m.order[m.turn]
	}
	return nil
}

// myTurn reports whether v goes on now: it is the next of its meeting, and the
// one before it has done its next instruction, or can't for now, or had time
// enough for it.
//
//go:norace
func (b *Breakpoint) myTurn(v *visit) bool {
	m := v.m
	if !m.shown || m.next1() != v {
		return false
	}
	if m.turn > 0 && !b.hasDone(m.order[m.turn-1], v) {
		return false
	}
	m.turn++
	v.turned, v.passedAt = true, nanotime()
	if n := m.next1(); n != nil {
		n.wake()
		return true
	}
	b.hitTime += v.passedAt - m.since
	b.forget(m)
	return true
}

//go:norace
func (b *Breakpoint) hasDone(w, next *visit) bool {
	enough := passTime
	if b.waitsForDid(w.side) {
		enough = max(enough, int64(b.def.timeout(w.side)))
	}
	if kept, mutual := w.stillPausedFor(next); mutual {
		return true
	} else if kept {
		next.inLine = 0
		return false
	}
	switch {
	case w.did, next.inLine >= enough:
		return true
	case w.passage && nanotime()-w.passedAt >= enough:
		return true
	case next.inLine < stateEvery:
		return false
	}
	return waiters.stateSince(w.goid, w.passedAt) != goRunning
}

//go:norace
func (b *Breakpoint) waitsForDid(side int) bool {
	return side <= len(b.def.Dids) && b.def.Dids[side-1]
}

//go:norace
func (b *Breakpoint) forget(m *meeting) {
	for p := &b.meetings; *p != nil; p = &(*p).next {
		if *p == m {
			*p = m.next
			break
		}
	}
	b.closeDidGate()
}

// closeDidGate closes the gate of Did when nobody waits for it.
//
//go:norace
func (b *Breakpoint) closeDidGate() {
	open := b.meetings != nil
	if b.def.OneWay && b.waitsForDid(b.order[0]) {
		r := &b.sides[b.order[0]].passages
		for _, w := range r.list {
			open = open || w != nil && !w.did
		}
	}
	for s := 1; s <= b.def.Sides; s++ {
		open = open || b.someInside(s)
	}
	b.gates[didAwaited].set(open)
}

// did notes that the calling goroutine has done side's next instruction.
//
//go:norace
func (b *Breakpoint) didNext(side int) {
	raceOff()
	defer raceOn()
	waiters.mu.Lock()
	defer waiters.mu.Unlock()
	me := goid()
	for m := b.meetings; m != nil; m = m.next {
		for _, w := range m.order[:m.turn] {
			if w.side == side && w.goid == me {
				w.did = true
			}
		}
		if n := m.next1(); n != nil && m.turn > 0 && m.order[m.turn-1].did {
			n.wake()
		}
	}
	if side >= 1 && side <= b.def.Sides {
		for _, r := range [...]*ring{&b.sides[side].passages, &b.sides[side].inside} {
			for _, w := range r.list {
				if w != nil && w.goid == me {
					w.did = true
				}
			}
		}
	}
	b.closeDidGate()
}
