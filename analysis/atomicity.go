package analysis

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// atomicity: a goroutine relies in one lock region, or atomic operation, on
// what it saw in an earlier one, and another goroutine writes in between.
func (f *finder) atomicity() {
	for _, name := range f.names {
		es := f.buckets[name]
		writes := false
		for _, e := range es {
			writes = writes || e.op.writes()
		}
		if !writes || f.p.ctx.Err() != nil {
			continue
		}
		for _, a := range es {
			for _, b := range es {
				if a != b && protected(a) && protected(b) {
					f.window(name, a, b, es)
				}
			}
		}
	}
}

// window between a and b of one goroutine.
func (f *finder) window(name string, a, b *event, es []*event) {
	if mayAlias(a.path, b.path) < likely {
		return
	}
	ra, rb, ok := f.follows(a, b)
	if !ok || ra.mode != plain || rb.mode == ended {
		return
	}
	score, why := f.reliance(a, b, ra, rb, es)
	if score == 0 {
		return
	}
	if !a.op.writes() && f.usedAtOnce(a, es) {
		score *= 0.5 // what was seen was acted upon there and then
	}
	aboutNil := !a.op.writes() && f.p.comparesNil(a.chain.last().instr)
	tried := map[*chain]bool{}
	for _, w := range es {
		if !w.op.writes() && !(a.op.writes() && b.op.writes()) || tried[w.chain.last()] || mayAlias(w.path, a.path) == never || f.separate(w.path, a.path) {
			continue
		}
		if aboutNil && w.fresh && !b.op.writes() || f.sealed(a, b, w) || !f.en.parallel(a, w) || !f.en.parallel(b, w) || f.nullified(a, b, w) {
			continue
		}
		tried[w.chain.last()] = true
		f.add(&candidate{kind: Atomicity, x: a, y: w, then: b, what: a.path.words(), group: name + "atomicity",
			score: score * (0.75 + 0.25*mayAlias(w.path, a.path)), why: why})
	}
}

// usedAtOnce reports whether the region of a reading writes the same location.
func (f *finder) usedAtOnce(a *event, es []*event) bool {
	for _, w := range es {
		if w.op == opWrite && w.value != nilValue && region(a, w) && w.path.key == a.path.key {
			return true
		}
	}
	return false
}

// sealed reports whether a and b are in one region of another lock that w needs too.
func (f *finder) sealed(a, b, w *event) bool {
	for _, h := range a.locks {
		for _, g := range b.locks {
			if h.at != g.at {
				continue
			}
			for _, k := range w.locks {
				if f.sameLock(a, w, h.lock, k.lock) {
					return true
				}
			}
		}
	}
	return false
}

// nullified reports whether the write does no harm, for it only adds to what is counted.
func (f *finder) nullified(a, b, w *event) bool {
	return !a.op.writes() && b.op.writes() && b.value == grownValue && w.value == grownValue
}

// reliance says how much b relies on a.
func (f *finder) reliance(a, b *event, ra, rb *chain, es []*event) (float64, string) {
	dep := independent
	if a.op != opWrite && a.op != opStore {
		dep = f.p.depends(ra, rb)
	}
	switch {
	case b.op == opSwap && b.value == derived: // compare and swap looks again
		return 0, ""
	case !a.op.writes() && b.op.writes():
		if dep == independent || f.looksAgain(b, es) {
			return 0, ""
		}
		if dep == byValue && b.op == opSwap {
			return 0, "" // adds to whatever is there
		}
		if dep == byValue && b.value != derived {
			return 0.94, "the value read first is used in a later write, in another " + regionWord(a) + "; a write in between is lost"
		}
		return 0.92, "checked in one " + regionWord(a) + ", acted upon in another; a write in between makes the check stale"
	case !a.op.writes() && !b.op.writes():
		switch {
		case dep == byValue:
			return 0.88, "the value read first is used together with a later reading in another " + regionWord(a) + "; it may be stale by then"
		case dep == byBranch:
			return 0.7, "checked in one " + regionWord(a) + ", read again in another; a write in between makes the check stale"
		case f.meetsIn(ra, rb):
			return 0.72, "two readings in different " + regionWord(a) + "s are used as one; a write in between makes them inconsistent"
		}
		return 0, ""
	case a.op.writes() && !b.op.writes():
		if b.op == opSwap || a.op == opSwap {
			return 0, ""
		}
		if f.p.decides(rb) && ra.instr.Block() == rb.instr.Block() && ra.depth <= 2 && rb.depth <= 2 && !hasElem(a.path) {
			return 0.8, "written in one " + regionWord(a) + ", looked at in another as if nobody else wrote in between"
		}
		return 0.3, "written in one " + regionWord(a) + ", read back in another"
	case a.value == nilValue && b.value != nilValue && a.op != opSwap && b.op != opSwap:
		if !pointerLike(b.path.typ) {
			return 0.4, "cleared in one " + regionWord(a) + ", set again in another"
		}
		return 0.66, "cleared in one " + regionWord(a) + ", set again in another; what lies between can be seen"
	}
	return 0, ""
}

func regionWord(e *event) string {
	if len(e.locks) == 0 {
		return "atomic operation"
	}
	return fmt.Sprintf("region of %s", e.locks[0].lock.short())
}

// looksAgain reports whether, in its own region, the write depends on a fresh reading.
func (f *finder) looksAgain(b *event, es []*event) bool {
	for _, r := range es {
		if r.op.writes() || !region(r, b) || mayAlias(r.path, b.path) < likely {
			continue
		}
		rr, rb, ok := f.follows(r, b)
		if ok && f.p.depends(rr, rb) == byBranch {
			return true
		}
	}
	return false
}

// meetsIn reports whether two values are used in one expression.
func (f *finder) meetsIn(a, b *chain) bool {
	va, ok := valueOf(a)
	vb, ok2 := valueOf(b)
	if !ok || !ok2 {
		return false
	}
	sa, sb := f.p.derivedFrom(va), f.p.derivedFrom(vb)
	return slices.ContainsFunc(sa, func(v ssa.Value) bool { return slices.Contains(sb, v) })
}
