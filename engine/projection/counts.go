package projection

import "github.com/hocket-dev/hocket/engine/report"

// counts compares the size of the difference with the whole. By the definition of a
// differential schedule projection (Symbiosis §3.6) an event belongs to it if one of
// the runs lacks it, if it is an end of a data flow that differs, or if it is one of
// two events that come in another order: the last are counted by themselves.
func (a *analysis) counts(branches int) report.Projection {
	c := report.Projection{Branches: branches}
	differing := map[int]bool{}
	for i := range a.fail.events {
		e := &a.fail.events[i]
		if isNoise(e.Op) {
			continue
		}
		c.EventsFull++
		if a.pass != nil && a.m.toPass[i] < 0 {
			differing[i] = true
		}
		if s := a.fail.src[i]; s >= 0 && !isLockOp(e.Op) { // who had a lock before hands on no data
			c.DataflowsFull++
			if a.pass != nil && (a.m.toPass[i] < 0 || !a.sameSource(i, a.m.toPass[i])) {
				c.Dataflows++
				differing[i], differing[s] = true, true
			}
		}
	}
	c.Events = len(differing)
	for i := range a.reordered() {
		if !differing[i] {
			c.Reordered++
		}
	}
	return c
}

// reordered are the events that both runs have, and that come in another order with
// the write to the same memory, or the unlocking of the same lock, that is the last
// before them in the failing run, or the first after them.
func (a *analysis) reordered() map[int]bool {
	out := map[int]bool{}
	if a.pass == nil {
		return out
	}
	last := map[cell]int{}
	for i := range a.fail.events {
		e := &a.fail.events[i]
		if isLockOp(e.Op) {
			a.reorder(a.fail.src[i], i, out)
		}
		if !e.Writes() {
			continue
		}
		for _, c := range a.fail.cells(e) {
			if w, ok := last[c]; ok {
				a.reorder(w, i, out)
			}
			last[c] = i
		}
	}
	return out
}

// reorder adds two events of the failing run if the passing one has them the other
// way round.
func (a *analysis) reorder(first, second int, out map[int]bool) {
	if first < 0 {
		return
	}
	if p, q := a.m.toPass[first], a.m.toPass[second]; q >= 0 && p > q {
		out[first], out[second] = true, true
	}
}
