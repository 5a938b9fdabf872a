package breakpoints

// When several goroutines are postponed that do not match, such as one with
// object 57 at side 1 and one with object 300 at side 2, and nobody else can go
// on, one of them is released early: the one that has paused for nothing most
// often, since it comes again, or among equals the one that came last. The
// others stay postponed, until their time-outs at most. While one of them is,
// the released goroutine passes all sides of all breakpoints freely: it looks
// for a match at each, and does not pause. So it runs until it comes with the
// object that matches. When it ends or blocks, so that again nobody else can go
// on, the next one is released, until none is left. So each pause still ends by
// its time-out at the latest, and no goroutine is postponed for one that waits
// for it.
//
// A released goroutine may block in the very statement of its side, on a lock
// that a postponed one holds: the common case of a deadlock's two sides. Then
// it is still at its side: one that comes to the other side with a match has met
// it. That needs Did after the statement, which tells that the statement is over.
//
// While other goroutines run, a newcomer that does not match pauses too, as
// nothing tells which of the two will come again. But a goroutine that has paused
// for nothing more often at its side than those postponed at the others passes
// freely: it comes often, they do not.

// passer is a goroutine that was released early and passes freely.
type passer struct {
	goid int64
	// It does so as long as a waiter with a number up to upTo is postponed, or
	// inside is blocked in its statement.
	upTo   int64
	inside *visit
	next   *passer
}

// wastedPauses counts pauses for nothing of the latest goroutines at one side.
type wastedPauses struct {
	list [32]struct{ goid, n int64 }
	next int
}

//go:norace
func (l *wastedPauses) add(goid int64) {
	for i := range l.list {
		if l.list[i].goid == goid {
			l.list[i].n++
			return
		}
	}
	e := &l.list[l.next%len(l.list)]
	e.goid, e.n = goid, 1
	l.next++
}

//go:norace
func (l *wastedPauses) count(goid int64) int64 {
	for i := range l.list {
		if l.list[i].goid == goid {
			return l.list[i].n
		}
	}
	return 0
}

// wasted is how often v's goroutine has paused for nothing at v's side.
//
//go:norace
func (v *visit) wasted() int64 { return v.b.sides[v.side].wasted.count(v.goid) }

// nextToRelease is the visit to release early when nobody else can go on; nil if
// nobody is postponed. mu is held.
//
//go:norace
func (r *waitRoom) nextToRelease() (v *visit) {
	most := int64(-1)
	for g := r.last; g != nil; g = g.prev {
		if w := g.visit; w != nil {
			if n := w.wasted(); n > most {
				v, most = w, n
			}
		}
	}
	return v
}

// passFreely lets v's goroutine, just released, pass all sides freely: if the
// others stay postponed for it, as long as one of them is; and as long as a
// goroutine is blocked in another side's statement.
//
//go:norace
func (r *waitRoom) passFreely(v *visit, othersStay bool) {
	b := v.b
	f := &passer{goid: v.goid}
	if othersStay {
		f.upTo = r.entered
	}
	for s := 1; s <= b.def.Sides && f.inside == nil; s++ {
		if s != v.side {
			f.inside = b.firstInside(s)
		}
	}
	r.dropPassers(v.goid)
	f.next, r.passers = r.passers, f
	if othersStay && r.leader() != nil && b.waitsForDid(v.side) {
		v.inside, v.passedAt = true, nanotime()
		b.sides[v.side].inside.add(v)
		b.gates[didAwaited].set(true)
		b.openPartners(v.side)
	}
}

// dropPassers removes those from the list for which nobody is postponed any more,
// and the goroutine goid.
//
//go:norace
func (r *waitRoom) dropPassers(goid int64) {
	for p := &r.passers; *p != nil; {
		if f := *p; f.goid == goid || !r.stillNeeded(f) {
			*p = f.next
		} else {
			p = &f.next
		}
	}
}

//go:norace
func (r *waitRoom) stillNeeded(f *passer) bool {
	if l := r.leader(); l != nil && l.number <= f.upTo {
		return true
	}
	return f.inside != nil && f.inside.b.maybeInside(f.inside)
}

// passesFreely reports whether v only looks for a match and does not pause. mu
// is held.
//
//go:norace
func (b *Breakpoint) passesFreely(v *visit) bool {
	waiters.dropPassers(0)
	for f := waiters.passers; f != nil; f = f.next {
		if f.goid == v.goid {
			return true
		}
	}
	often := v.wasted()
	if often == 0 || b.joint == nil && b.when == nil {
		return false
	}
	for s := 1; s <= b.def.Sides; s++ {
		if w := b.sides[s].first; s != v.side && (w == nil || w.wasted() >= often) {
			return false
		}
	}
	return true
}

// maybeInside reports whether w's statement is not over as far as is known, and
// neither is the time for which others may wait for w.
//
//go:norace
func (b *Breakpoint) maybeInside(w *visit) bool {
	return w.inside && !w.did && !b.over && nanotime()-w.passedAt < int64(b.def.timeout(w.side))
}

// isInside reports whether w's goroutine is blocked in its statement.
//
//go:norace
func (b *Breakpoint) isInside(w *visit) bool {
	if !b.maybeInside(w) {
		return false
	}
	waiters.began = 0 // an older look would not do
	s, _ := waiters.look(0)
	return s.state(w.goid) == goBlocked
}

// firstInside is a visit that may be blocked in a side's statement, or nil.
//
//go:norace
func (b *Breakpoint) firstInside(side int) *visit {
	r := &b.sides[side].inside
	if r.n == 0 {
		return nil
	}
	for _, w := range r.list {
		if w != nil && b.maybeInside(w) {
			return w
		}
	}
	return nil
}

//go:norace
func (b *Breakpoint) someInside(side int) bool { return b.firstInside(side) != nil }
