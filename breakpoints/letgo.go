package breakpoints

// Who goes when several goroutines are postponed that do not match, such as
// one with object 57 at side 1 and one with object 300 at side 2.
//
// When nobody else can go on, one of them is let go: the one that has paused
// for nothing most often, since it comes again, or among equals the one that
// came last. The others are kept, until their time-outs at most. As long as one
// of them is, the goroutine that was let go passes all sides of all breakpoints
// freely: it looks for a match at each, and does not pause. So it runs until it
// comes with the object that matches. When it ends or blocks, so that again
// nobody else can go on, the next one is let go, until nobody is left. So each
// pause still ends by its time-out at the latest, and no goroutine is kept for
// one that waits for it.
//
// One that was let go may be blocked in the very statement of its side, by a
// lock that a kept one holds: the common case of a deadlock's two sides. Then
// it is still at its side: who comes to the other one with a match has met it.
// That needs Did after the statement, which tells that the statement is over.
//
// While others run, a newcomer that does not match pauses too, as nobody knows
// which of the two will come again. But a goroutine that has paused for nothing
// more often at its side than those who are postponed at the others passes
// freely: it comes often, they do not.

// freed is a goroutine that was let go.
type freed struct {
	goid int64
	// upTo is the number up to which those have entered the room who were kept;
	// inside, who was blocked in its statement. One of the two must still be.
	upTo   int64
	inside *visit
	next   *freed
}

// vain counts pauses for nothing of the latest goroutines at one side.
type vain struct {
	list [32]struct{ goid, n int64 }
	next int
}

//go:norace
func (l *vain) add(goid int64) {
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
func (l *vain) count(goid int64) int64 {
	for i := range l.list {
		if l.list[i].goid == goid {
			return l.list[i].n
		}
	}
	return 0
}

// inVain is how often v's goroutine has paused for nothing at v's side.
//
//go:norace
func (v *visit) inVain() int64 { return v.b.sides[v.side].vain.count(v.goid) }

// dispensable is who is let go when nobody else can go on; nil if nobody is
// postponed. mu is held.
//
//go:norace
func (r *room) dispensable() (v *visit) {
	most := int64(-1)
	for g := r.last; g != nil; g = g.prev {
		if w := g.visit; w != nil {
			if n := w.inVain(); n > most {
				v, most = w, n
			}
		}
	}
	return v
}

// letGo lets v's goroutine, just released, pass all sides freely: as long as
// one of those is postponed who are so now, if they are kept for it, or as
// long as somebody is blocked in another side's statement.
//
//go:norace
func (r *room) letGo(v *visit, kept bool) {
	b := v.b
	f := &freed{goid: v.goid}
	if kept {
		f.upTo = r.entered
	}
	for s := 1; s <= b.def.Sides && f.inside == nil; s++ {
		if s != v.side {
			f.inside = b.firstInside(s)
		}
	}
	r.forgetFreed(v.goid)
	f.next, r.free = r.free, f
	if kept && r.leader() != nil && b.waitsForDid(v.side) {
		v.inside, v.passedAt = true, nanotime()
		b.sides[v.side].inside.add(v)
		b.gates[owed].set(true)
		b.openPartners(v.side)
	}
}

// forgetFreed takes those off the list for whom nobody is kept any more, and
// the goroutine goid.
//
//go:norace
func (r *room) forgetFreed(goid int64) {
	for p := &r.free; *p != nil; {
		if f := *p; f.goid == goid || !r.keptFor(f) {
			*p = f.next
		} else {
			p = &f.next
		}
	}
}

//go:norace
func (r *room) keptFor(f *freed) bool {
	if l := r.leader(); l != nil && l.number <= f.upTo {
		return true
	}
	return f.inside != nil && f.inside.b.maybeInside(f.inside)
}

// passesFreely says that v only looks for a match, and does not pause. mu is
// held.
//
//go:norace
func (b *Breakpoint) passesFreely(v *visit) bool {
	hall.forgetFreed(0)
	for f := hall.free; f != nil; f = f.next {
		if f.goid == v.goid {
			return true
		}
	}
	often := v.inVain()
	if often == 0 || b.joint == nil && b.when == nil {
		return false
	}
	for s := 1; s <= b.def.Sides; s++ {
		if w := b.sides[s].first; s != v.side && (w == nil || w.inVain() >= often) {
			return false
		}
	}
	return true
}

// maybeInside says that w's statement is not over as far as is known, and the
// time for which w may be waited for is not over either.
//
//go:norace
func (b *Breakpoint) maybeInside(w *visit) bool {
	return w.inside && !w.did && !b.over && nanotime()-w.passedAt < int64(b.def.timeout(w.side))
}

// isInside looks whether w's goroutine is blocked in its statement.
//
//go:norace
func (b *Breakpoint) isInside(w *visit) bool {
	if !b.maybeInside(w) {
		return false
	}
	hall.began = 0 // an older look would not do
	s, _ := hall.look(0)
	return s.state(w.goid) == goBlocked
}

// firstInside is who may be blocked in a side's statement, or nil.
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
