package native

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// induct says that two reads take equal values in every schedule in which both
// happen. It assumes that of all pairs that it depends on and drops the ones for
// which it does not follow, until nothing changes. What is left holds by
// induction over the schedule: a read's value comes from earlier reads.
func (q *equals) induct(root pair) bool {
	users := map[pair][]pair{root: nil}
	failed := map[pair]bool{}
	todo := []pair{root}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		needs, ok := q.needs(p)
		for _, n := range needs {
			ok = ok && !failed[n]
			if _, known := users[n]; !known && n.a != n.b && q.lits[n] != always {
				todo = append(todo, n)
			}
			users[n] = append(users[n], p)
		}
		if !ok {
			q.drop(p, users, failed)
		}
		if failed[root] || !q.t.budget.Spend(1) {
			return false
		}
	}
	for p := range users {
		if !failed[p] {
			q.lits[p] = always
		}
	}
	return true
}

// drop drops a pair and what was built on it.
func (q *equals) drop(p pair, users map[pair][]pair, failed map[pair]bool) {
	if failed[p] {
		return
	}
	failed[p] = true
	for stack := []pair{p}; len(stack) > 0; {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, u := range users[p] {
			if !failed[u] {
				failed[u] = true
				stack = append(stack, u)
			}
		}
	}
}

// needs are pairs of reads such that two reads take equal values if those do.
func (q *equals) needs(p pair) ([]pair, bool) {
	k := q.t.locked
	if k.held == nil {
		k.fill()
	}
	for _, region := range k.held[p.a] {
		if !slices.Contains(k.held[p.b], region) || k.writes(region, p.a) || k.writes(region, p.b) {
			continue
		}
		for _, o := range [...]pair{p, {p.b, p.a}} {
			if pairs, ok := q.follows(o.a, o.b, region); ok {
				return pairs, true
			}
		}
	}
	return nil, false
}

// follows is needs of two reads that take from other regions of a lock than
// theirs. If each region that writes what b reads writes what a reads too, then
// the region from which a takes is also the last one from which b can take.
func (q *equals) follows(a, b, region int32) (pairs []pair, ok bool) {
	sys, k := q.t.sys, q.t.locked
	x, y := sys.Events[a].Obj, sys.Events[b].Obj
	if sys.Objects[x].Kind != constraint.Location || sys.Objects[y].Kind != constraint.Location {
		return nil, false
	}
	if !q.together(coupling{x, y, sys.Events[region].Obj}) ||
		sys.Objects[x].Init != sys.Objects[y].Init && !q.t.feasible.ruledOut(-1, a) {
		return nil, false
	}
	for i, w := range q.t.giving[x] {
		if i%64 == 63 && !q.t.budget.Spend(1) {
			return nil, false
		}
		if w == a || k.ruledOut(w, a) || q.t.check.base().ProgramOrder(constraint.EventID(a), constraint.EventID(w)) {
			continue
		}
		from := k.under(w, sys.Events[region].Obj)
		if from == region {
			continue // behind a, or instead of it
		}
		if from < 0 {
			return nil, false
		}
		ends := k.ends(from, w)
		if len(ends) == 0 || len(ends) == 1 && k.writes(w, ends[0]) {
			continue
		}
		if len(ends) > 1 {
			return nil, false
		}
		o := k.lastWrite(y, ends[0], from)
		if o != w {
			if o < 0 || sys.Events[w].Val == nil || sys.Events[o].Val == nil {
				return nil, false
			}
			if pairs, ok = shape(sys.Events[w].Val, sys.Events[o].Val, pairs); !ok {
				return nil, false
			}
		}
	}
	return pairs, true
}

// coupling of location y to x: see together.
type coupling struct{ x, y, lock constraint.ObjID }

// together says that y is written only in regions of a lock that exclude all
// others, and that each of those, once ended, has written x as well.
func (q *equals) together(c coupling) bool {
	yes, known := q.coupled[c]
	if !known {
		yes = !slices.ContainsFunc(q.t.giving[c.y], func(w int32) bool {
			return !q.t.budget.Spend(1) || !q.t.locked.writesToo(w, c.x, c.lock)
		})
		if !q.t.budget.Spend(1) {
			return false // not known: it was not looked at to the end
		}
		q.coupled[c] = yes
	}
	return yes
}

func (k *locked) writesToo(w int32, x, lock constraint.ObjID) bool {
	region := k.under(w, lock)
	if region < 0 {
		return false
	}
	for _, u := range k.ends(region, w) {
		if k.lastWrite(x, u, region) < 0 {
			return false
		}
	}
	return true
}

// under is the exclusive region of a lock in which an event lies; -1: none.
func (k *locked) under(e int32, lock constraint.ObjID) int32 {
	for _, r := range k.held[e] {
		if k.t.sys.Events[r].Obj == lock && k.writer(r) {
			return r
		}
	}
	return -1
}

// lastWrite is the last write of a location before an event and behind another
// one of its path; -1: none.
func (k *locked) lastWrite(obj constraint.ObjID, before, behind int32) int32 {
	for e := k.t.sys.Events[before].Prev; e != constraint.EventID(behind) && e != constraint.NoEvent; e = k.t.sys.Events[e].Prev {
		if ev := &k.t.sys.Events[e]; ev.Obj == obj && (ev.Op == constraint.Write || ev.Op == constraint.RMW) {
			return int32(e)
		}
	}
	return -1
}

// shape pairs the reads of two terms that are the same but for their reads.
func shape(a, b *constraint.Term, pairs []pair) ([]pair, bool) {
	if a.Op != b.Op || a.Width != b.Width || a.Value != b.Value || len(a.Args) != len(b.Args) {
		return nil, false
	}
	if a.Op == constraint.Sym {
		return append(pairs, ordered(a.Event, b.Event)), true
	}
	ok := true
	for i := 0; i < len(a.Args) && ok; i++ {
		pairs, ok = shape(a.Args[i], b.Args[i], pairs)
	}
	return pairs, ok
}
