package native

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Edge is an order of two events of a trace, by their indexes, that belong to two
// goroutines: Before happens before After.
type Edge struct{ Before, After int }

// Around are the orders that context switches make: the goroutine that runs next does
// so after what the stopped one did last, and that one goes on after what was done
// meanwhile. at are the indexes of the events after the switches.
func Around(t *trace.Trace, at []int) []Edge {
	var edges []Edge
	for _, i := range at {
		from, to := runs(t, i-1, -1), runs(t, i, 1)
		if from < 0 || to < 0 || t.Events[from].G == t.Events[to].G {
			continue
		}
		edges = append(edges, Edge{from, to})
		for back := i; back < len(t.Events); back++ {
			if t.Events[back].G == t.Events[from].G && isOp(t.Events[back].Op) {
				if last := runs(t, back-1, -1); t.Events[last].G != t.Events[back].G {
					edges = append(edges, Edge{last, back})
				}
				break
			}
		}
	}
	return edges
}

// runs is the first event from one on, in a direction, that a goroutine did by itself;
// -1 if there is none.
func runs(t *trace.Trace, i, step int) int {
	for ; 0 <= i && i < len(t.Events); i += step {
		if e := &t.Events[i]; e.G != 0 && e.Op != trace.OpUnblock && e.Op != trace.OpTimer && e.Op != trace.OpTimerStop {
			return i
		}
	}
	return -1
}

func corePlan(t *trace.Trace, core []Edge, n *numbering) Plan {
	core = slices.DeleteFunc(slices.Clone(core), func(e Edge) bool { return !e.valid(t) })
	limit := failureEnd(t)
	d := newDeriver(t, limit, linesOf(t, core))
	for _, e := range d.withLocks(core) {
		d.keep(e)
	}
	d.choices(core, limit)
	d.delays()
	p := d.plan(n)
	p.Segments = len(core)
	return p
}

func (e Edge) valid(t *trace.Trace) bool {
	return 0 <= e.Before && e.Before < e.After && e.After < len(t.Events) && t.Events[e.Before].G != t.Events[e.After].G
}

// linesOf are the lines of the plain accesses among the events.
func linesOf(t *trace.Trace, core []Edge) map[line]bool {
	lines := map[line]bool{}
	for _, e := range core {
		for _, i := range []int{e.Before, e.After} {
			if f, ok := t.UserFrame(t.Events[i].Stack); ok && isPlain(t.Events[i].Op) {
				lines[line{f.File, f.Line}] = true
			}
		}
	}
	return lines
}

// keep makes the later side of an order wait until the earlier one is done.
func (d *deriver) keep(e Edge) {
	done, ok := d.doneAfter(e.Before)
	hold := d.holdBefore(e)
	switch {
	case !ok:
		d.drop(e.Before)
	case hold == nil:
		d.drop(e.After)
	case hold.g == done.x.g, d.starts(hold, done.x.g):
		// the program keeps it by itself
	default:
		d.step(done.x)
		s := d.step(hold)
		if !slices.Contains(s.after, done) {
			s.after = append(s.after, done)
		}
	}
}

func (d *deriver) drop(event int) {
	e := &d.t.Events[event]
	d.dropped = append(d.dropped, fmt.Sprintf("what %s does at event %d has no place in the program's source", d.t.Goroutine(e.G).Display, event))
}

// operAt is the operation that an event belongs to, or else the last one before it.
func (d *deriver) operAt(event int) *oper {
	var at *oper
	for _, x := range d.r.opers[d.t.Events[event].G] {
		if x.start <= event || x.blocked && x.parked <= event {
			at = x
		}
	}
	return at
}

// doneAfter is what shows others that an event has happened: its goroutine comes to
// the next statement, or is blocked if that is the event, or has ended.
func (d *deriver) doneAfter(event int) (ref, bool) {
	x := d.operAt(event)
	if x == nil || x.at.file == "" {
		return ref{}, false
	}
	if x.blocked && x.parked == event {
		if x.held { // at the point before it, perhaps
			return ref{x: x, state: breakpoints.Arrived}, true
		}
		return d.blocked(x), true
	}
	xs := d.r.opers[x.g]
	for _, y := range xs[slices.Index(xs, x)+1:] {
		if y.at.file == "" {
			return ref{x: x, state: breakpoints.Passed}, true
		}
		if y.visit != x.visit {
			return ref{x: y, state: breakpoints.Arrived}, true
		}
	}
	if d.t.Goroutine(x.g).Ended {
		return ref{x: x, state: breakpoints.Gone}, true
	}
	return ref{x: x, state: breakpoints.Passed}, true
}

// holdBefore is the operation before which a point can hold the later side of an
// order without a lock that it has taken since the earlier one.
func (d *deriver) holdBefore(e Edge) *oper {
	g := d.t.Events[e.After].G
	at := e.After
	for _, taken := range d.locksHeld(g, e.After) {
		if taken > e.Before {
			at = min(at, taken)
		}
	}
	x := d.operAt(at)
	if x == nil && len(d.r.opers[g]) > 0 {
		x = d.r.opers[g][0]
	}
	if x == nil || x.at.file == "" {
		return nil
	}
	return x
}

// locksHeld are the events by which a goroutine took the locks that it holds at an
// event.
func (d *deriver) locksHeld(g trace.GID, at int) map[trace.ObjID]int {
	held := map[trace.ObjID]int{}
	for i := range d.t.Events[:at] {
		e := &d.t.Events[i]
		if e.G != g {
			continue
		}
		switch e.Op {
		case trace.OpLock, trace.OpRLock:
			held[e.Obj] = i
		case trace.OpTryLock, trace.OpTryRLock:
			if e.Value != 0 {
				held[e.Obj] = i
			}
		case trace.OpUnlock, trace.OpRUnlock:
			delete(held, e.Obj)
		}
	}
	return held
}

// withLocks adds the orders without which those of the core could not be kept: if the
// later side holds a lock from before the earlier one on, which the other goroutine had
// before that, it must have been so again.
func (d *deriver) withLocks(core []Edge) []Edge {
	all := slices.Clone(core)
	for i := 0; i < len(all) && len(all) < maxEdges; i++ {
		e := all[i]
		before := d.t.Events[e.Before].G
		held := d.locksHeld(d.t.Events[e.After].G, e.After)
		for _, taken := range slices.Sorted(maps.Values(held)) {
			if taken > e.Before {
				continue
			}
			if free := d.lastRelease(before, d.t.Events[taken].Obj, taken); free >= 0 && !slices.Contains(all, Edge{free, taken}) {
				all = append(all, Edge{free, taken})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Edge) int { return a.After - b.After })
	return all
}

// maxEdges bounds the orders of a core with what its locks need.
const maxEdges = 64

func (d *deriver) lastRelease(g trace.GID, obj trace.ObjID, before int) int {
	for i := before - 1; i >= 0; i-- {
		e := &d.t.Events[i]
		if e.G == g && e.Obj == obj && (e.Op == trace.OpUnlock || e.Op == trace.OpRUnlock) {
			return i
		}
	}
	return -1
}

// choices asks the selects of the goroutines of a core for what they chose, from the
// first order on.
func (d *deriver) choices(core []Edge, limit int) {
	if len(core) == 0 {
		return
	}
	from := len(d.t.Events)
	of := map[trace.GID]bool{}
	for _, e := range core {
		from = min(from, e.Before)
		of[d.t.Events[e.Before].G], of[d.t.Events[e.After].G] = true, true
	}
	for _, g := range d.r.goroutines() {
		for _, x := range d.r.opers[g] {
			if of[g] && x.at.pref >= 0 && x.end >= from && x.end < limit {
				d.step(x)
			}
		}
	}
}
