package native

import (
	"strings"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/trace"
)

// holdRest keeps goroutines that do not run again before the failure where the
// schedule left them, whether they went on after it or not: they must not undo what
// leads to it. Those that wait for a mutex forever are let go last, when everything
// else has happened.
func (d *deriver) holdRest(segs []segment, limit int, carried []ref) {
	if len(segs) == 0 {
		return
	}
	lastSeg := segs[len(segs)-1]
	end, ok := d.endOf(lastSeg)
	if last := d.lastIn(lastSeg, limit); last != nil && (!ok || end.x.g != lastSeg.g || end.x.start >= limit && !end.x.blocked) {
		end, ok = ref{x: last, state: breakpoints.Passed}, true
	}
	if ok {
		carried = append(carried, end)
	}
	hung := d.hung()
	for _, g := range d.r.goroutines() {
		for _, x := range d.r.opers[g] {
			stuck := hung && x.held && x.end < 0
			s := d.steps[x]
			later := x.start >= limit && x.start < len(d.t.Events)
			if x.start < limit || x.at.file == "" || s == nil && !stuck && !x.never && !later {
				continue
			}
			s = d.step(x)
			s.late = !stuck
			for _, r := range carried {
				if r.x != x && r.x.g != x.g {
					d.step(r.x)
					s.after = append(s.after, r)
				}
			}
			break // what comes after is out of reach
		}
	}
}

// lastIn is the last operation that a segment begins.
func (d *deriver) lastIn(s segment, limit int) *oper {
	var last *oper
	for _, x := range d.r.opers[s.g] {
		if x.start < limit && x.at.file != "" {
			last = x
		}
	}
	return last
}

// pendingNext adds the operations that goroutines were about to perform at the
// end of the trace.
func (d *deriver) pendingNext(limit int) map[trace.GID]bool {
	known := map[trace.GID]bool{}
	n := max(limit, len(d.t.Events))
	for _, p := range d.t.Pending {
		if !isOp(p.Op) || p.G == 0 {
			continue
		}
		kind := points.At
		if d.r.cond[p.G] != nil && p.Op == trace.OpLock {
			kind = points.CondWake
		}
		known[p.G] = true
		d.r.begin(n, &p, p.Op, kind).never = true
	}
	return known
}

// guessNext adds, for each goroutine that is at a switch point when the trace
// ends, the operation with which it would have gone on: the trace does not have
// it, but the same code has often run before, in this goroutine or in another
// of the same function. A wrong guess only makes the plan unplayable; it can't
// make a correct program fail.
func (d *deriver) guessNext(limit int) {
	known := d.pendingNext(limit)
	d.neverRan(limit)
	d.neverWoke(limit)
	for _, g := range d.r.goroutines() { // a guess may rest on one before
		xs := d.r.opers[g]
		if len(xs) == 0 || d.t.Goroutine(g).Ended || d.r.open[g] != nil || known[g] {
			continue
		}
		last := xs[len(xs)-1]
		if last.end < 0 || last.at.op == trace.OpPanicStart || last.at.op == trace.OpExit {
			continue
		}
		if at, ok := d.followerOf(last); ok {
			d.r.opers[g] = append(xs, &oper{g: g, at: at, visit: -1, counts: true, start: max(limit, len(d.t.Events)), end: -1})
		}
	}
}

// neverWoke adds, for each goroutine that a condition variable had let go, or
// would have, and that did not run again before the failure, its return from
// Wait. A goroutine that waits there for ever is part of the failure.
func (d *deriver) neverWoke(limit int) {
	if d.hung() {
		return
	}
	for _, g := range d.r.goroutines() {
		c := d.r.cond[g]
		if c == nil || c.end >= 0 || c.at.file == "" {
			continue
		}
		at := c.at
		at.kind, at.op = points.CondWake, trace.OpLock
		d.r.opers[g] = append(d.r.opers[g], &oper{g: g, at: at, visit: c.visit, counts: true, never: true, chosen: -1, start: max(limit, len(d.t.Events)), end: -1})
	}
}

// hung reports whether the failure is that goroutines wait for ever.
func (d *deriver) hung() bool {
	return d.t.Outcome.Kind == trace.Deadlocked || d.t.Outcome.Kind == trace.Leaked
}

// neverRan adds, for each goroutine that was started but not run, the operation
// that one of its kind began with.
func (d *deriver) neverRan(limit int) {
	for _, g := range d.t.Goroutines {
		if g.ID == 0 || g.Ended || len(d.r.opers[g.ID]) > 0 {
			continue
		}
		for _, other := range d.t.Goroutines {
			xs := d.r.opers[other.ID]
			if len(xs) > 0 && xs[0].at.file != "" && d.sameKind(g, other) {
				d.r.opers[g.ID] = []*oper{{g: g.ID, at: xs[0].at, visit: -1, counts: true, never: true, start: max(limit, len(d.t.Events)), end: -1}}
				break
			}
		}
	}
}

// sameKind is true of goroutines started with the same function; if that is
// one of std's (WaitGroup.Go), by the same statement.
func (d *deriver) sameKind(a, b trace.Goroutine) bool {
	if a.ID == b.ID || a.Func != b.Func {
		return false
	}
	at, ok1 := d.t.UserFrame(a.Spawn)
	bt, ok2 := d.t.UserFrame(b.Spawn)
	return ok1 && ok2 && at.File == bt.File && (at.Line == bt.Line || !strings.HasPrefix(a.Func, "sync."))
}

// followerOf finds what came next when the same statement ran before.
func (d *deriver) followerOf(x *oper) (place, bool) {
	candidates := []trace.GID{x.g}
	for _, g := range d.t.Goroutines {
		if g.ID != x.g && g.Func == d.t.Goroutine(x.g).Func {
			candidates = append(candidates, g.ID)
		}
	}
	for _, g := range candidates {
		xs := d.r.opers[g]
		for i := len(xs) - 2; i >= 0; i-- {
			if xs[i].at == x.at && xs[i].stack == x.stack && xs[i+1].at.file != "" {
				return xs[i+1].at, true
			}
		}
	}
	return place{}, false
}
