package repairsearch

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
)

// blame is the search for edges that may repair a run.
type blame struct {
	*run
	width int
	edges []edge
	known map[edge]bool
	seen  map[constraint.EventID]bool // events that have been explained
}

// near is how many other writers, on either side in time, are tried at a value.
const near = 4

// blame proposes edges, the likeliest first, at most width.
func (r *run) blame(width int) []edge {
	b := &blame{run: r, width: width, known: map[edge]bool{}, seen: map[constraint.EventID]bool{}}
	if r.left > 0 {
		for _, e := range r.q.need {
			if !r.m.Happened(e) {
				b.missing(e)
			}
		}
	} else {
		for _, c := range r.q.goal.Cond {
			if !c.Eval(r.m.Value).True() {
				b.values(c.Symbols())
			}
		}
		b.goalOrder()
	}
	for _, e := range r.q.goal.Stands() {
		if !r.m.Stands(e) {
			b.missing(e)
		}
	}
	if r.q.goal.Stuck {
		b.allAcquisitions()
	}
	b.falseClauses()
	if len(b.edges) < width/2 {
		b.explained()
	}
	return b.edges
}

// add proposes an edge, unless it can't be met.
func (b *blame) add(before, after constraint.EventID) {
	e := edge{before, after}
	if len(b.edges) >= b.width || b.known[e] || b.q.leads(after, before) || b.q.leads(before, after) {
		return
	}
	if b.q.beyondStop(before) {
		return
	}
	b.known[e] = true
	b.edges = append(b.edges, e)
}

// beyondStop says that the thread of e stops before it.
func (q *question) beyondStop(e constraint.EventID) bool {
	if len(q.stop) == 0 {
		return false
	}
	for ; e != constraint.NoEvent; e = q.sys.Events[e].Prev {
		if q.stop[e] {
			return true
		}
	}
	return false
}

// missing explains why e has not happened: by what its thread stands before.
func (b *blame) missing(e constraint.EventID) {
	t := b.q.sys.Events[e].Thread
	at := b.next(t)
	if at == constraint.NoEvent {
		if b.m.Last(t) == constraint.NoEvent {
			b.unborn(t)
		}
		return
	}
	b.stands(at)
}

// unborn explains why a thread has not been started.
func (b *blame) unborn(t constraint.ThreadID) {
	for _, f := range b.q.first {
		for e := f; e != constraint.NoEvent; e = b.q.next[e] {
			if b.q.sys.Events[e].Child == t && b.q.sys.Events[e].Op == constraint.Spawn && !b.seen[e] {
				b.seen[e] = true
				b.missing(e)
			}
		}
	}
}

// stands explains why a thread does not go on with e.
func (b *blame) stands(e constraint.EventID) {
	if b.seen[e] || b.q.stop[e] || len(b.edges) >= b.width {
		return
	}
	b.seen[e] = true
	for _, d := range b.demands[e] {
		if !b.m.Happened(d) {
			b.missing(d)
		}
	}
	ev := &b.q.sys.Events[e]
	switch ev.Op {
	case constraint.Lock, constraint.RLock:
		b.heldBy(e)
	case constraint.Read, constraint.RMW, constraint.Nop:
		b.unfit(e)
	case constraint.Recv:
		b.unfit(e)
		b.others(e)
	case constraint.TryLock, constraint.TryRLock:
		b.try(e)
	default:
		b.others(e)
	}
}

// unfit: the value is not one that the conditions of e allow.
func (b *blame) unfit(e constraint.EventID) {
	var symbols []constraint.EventID
	for _, c := range b.q.sys.Events[e].Cond {
		symbols = append(symbols, c.Symbols()...)
	}
	b.values(symbols)
}

// others: what e waits for has to be done by a thread that waits itself.
func (b *blame) others(e constraint.EventID) {
	for t := range b.q.sys.Threads {
		at := b.next(constraint.ThreadID(t))
		if at != constraint.NoEvent && at != e {
			b.stands(at)
		}
	}
}

// heldBy: the lock that e waits for is held by a thread that waits itself, or
// e's region comes first.
func (b *blame) heldBy(e constraint.EventID) {
	acq, ok := b.holder[b.q.sys.Events[e].Obj]
	if !ok {
		return
	}
	if at := b.next(b.q.sys.Events[acq].Thread); at != constraint.NoEvent {
		b.stands(at)
	}
	if rel := b.q.release(e); rel != constraint.NoEvent {
		b.add(rel, acq)
	} else {
		b.add(e, acq)
	}
}

// try: the outcome needs the lock held, or free, where it is not.
func (b *blame) try(e constraint.EventID) {
	ev := &b.q.sys.Events[e]
	if ev.Outcome == 1 {
		b.heldBy(e)
		return
	}
	for _, f := range b.q.first {
		for a := f; a != constraint.NoEvent && len(b.edges) < b.width; a = b.q.next[a] {
			o := &b.q.sys.Events[a]
			if o.Obj == ev.Obj && o.Thread != ev.Thread && (o.Op == constraint.Lock || o.Op == constraint.RLock) {
				if !b.q.close(a, e) {
					continue
				}
				if rel := b.q.release(a); rel != constraint.NoEvent {
					b.add(a, e)
					b.add(e, rel)
				}
			}
		}
	}
}

// close says that two events are not far apart in the recorded order.
func (q *question) close(a, b constraint.EventID) bool {
	d := int(q.time[a]) - int(q.time[b])
	return max(d, -d) < max(200, len(q.sys.Events)/4)
}

// goalOrder: the edges of the goal were met as demands, so nothing is left but
// clauses; here for edges between events that happened in the wrong order.
func (b *blame) goalOrder() {
	for _, d := range b.q.goal.Order {
		b.add(d.Before, d.After)
	}
}

// falseClauses tries the literals of clauses that do not hold.
func (b *blame) falseClauses() {
	if len(b.q.clauses) == 0 {
		return
	}
	p := solve.Place(b.q.sys, b.m.Performed())
	end := b.q.sys.End()
	for _, c := range b.q.clauses {
		if p.Clause(c) {
			continue
		}
		for _, l := range c {
			if l.From && l.B != end {
				b.values([]constraint.EventID{l.B})
			}
			b.literal(l)
		}
	}
}

// explained asks constraint what is wrong with this run if it went on, in the
// recorded order, to all that has to happen: WaitGroups, conds, tries and
// selects depend on counts, of which values and locks do not tell.
func (b *blame) explained() {
	order := b.m.Performed()
	var missing []constraint.EventID
	for e := range b.q.onPath {
		if b.q.onPath[e] && !b.m.Happened(constraint.EventID(e)) {
			missing = append(missing, constraint.EventID(e))
		}
	}
	b.q.inTime(missing)
	rest := make([]constraint.EventID, 0, len(b.q.onPath))
	for e := range b.q.onPath {
		if !b.q.onPath[e] && !b.m.Happened(constraint.EventID(e)) {
			rest = append(rest, constraint.EventID(e))
		}
	}
	b.q.inTime(rest)
	order = slices.Concat(order, missing, []constraint.EventID{b.q.sys.End()}, rest)
	for _, v := range b.q.checker().Explain(order, b.q.goal, b.width) {
		for _, l := range v.Clause {
			b.literal(l)
		}
	}
}

// literal proposes the edge that makes a literal true; that an event happens,
// or does not, is no edge.
func (b *blame) literal(l constraint.Lit) {
	end := b.q.sys.End()
	switch {
	case l.A == end || l.B == end || l.A == constraint.NoEvent || l.B == constraint.NoEvent:
	case l.From && l.Neg:
	case l.Neg:
		b.add(l.B, l.A)
	default:
		b.add(l.A, l.B)
	}
}

// allAcquisitions tries to let each thread have its inner lock while another
// has its own: the orders that deadlocks are made of.
func (b *blame) allAcquisitions() {
	var inner []constraint.EventID
	for _, f := range b.q.first {
		depth := 0
		for e := f; e != constraint.NoEvent; e = b.q.next[e] {
			switch b.q.sys.Events[e].Op {
			case constraint.Lock, constraint.RLock:
				if depth > 0 {
					inner = append(inner, e)
				}
				depth++
			case constraint.Unlock, constraint.RUnlock:
				depth--
			}
		}
	}
	b.q.inTime(inner)
	const neighbours = 32 // a pair far apart has others in between
	for i, e := range inner {
		for _, f := range inner[i+1 : min(len(inner), i+neighbours)] {
			if len(b.edges) >= b.width {
				return
			}
			if b.q.sys.Events[e].Obj != b.q.sys.Events[f].Obj {
				b.add(b.q.sys.Events[e].Prev, f)
				b.add(b.q.sys.Events[f].Prev, e)
			}
		}
	}
}
