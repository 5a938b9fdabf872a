package analysis

import (
	"slices"
	"strings"
)

// detached reports whether y, without a lock, is about an object that its
// goroutine took out of its place before, in a region of a lock that x holds.
func (f *finder) detached(x, y *event) bool {
	n := len(y.path.steps)
	if len(x.locks) == 0 || len(locksOf(y)) > 0 || n == 0 {
		return false
	}
	owner, _, _ := strings.Cut(y.path.steps[n-1].name, ".")
	for _, ws := range f.stores {
		for _, w := range ws {
			if w.value != nilValue || len(w.locks) == 0 || typeName(w.path.typ) != owner {
				continue
			}
			if rw, ry, ok := f.follows(w, y); ok && f.common(x, w) != nil && !f.p.linkFollows(ry, rw) {
				return true
			}
		}
	}
	return false
}

// lazily reports whether x sets a reference that is not set yet, and y comes
// after a look at it under the lock, which sets it if need be.
func (f *finder) lazily(x, y *event) bool {
	es := f.buckets[x.path.bucket()]
	guarded := slices.ContainsFunc(es, func(r *event) bool {
		rr, rx, ok := f.follows(r, x)
		return ok && !r.op.writes() && r.path.key == x.path.key && region(r, x) && f.p.depends(rr, rx) == byBranch && f.p.comparesNil(r.chain.last().instr)
	})
	return guarded && slices.ContainsFunc(es, func(q *event) bool {
		rq, ry, ok := f.follows(q, y)
		return ok && !q.op.writes() && q.path.key == x.path.key && f.common(q, x) != nil && f.p.Before(rq.instr, ry.instr)
	})
}

// follow reports whether x is followed by a close or a Done, and y comes after
// a loop that receives from the channel, until it is closed or not.
func (f *finder) follow(x, y *event) bool {
	for _, r := range f.en.releases {
		if _, rx, rr := part(x.chain, r.chain); r.op == opSend || rx == nil || rr == nil || !f.en.lastBefore(x, r) {
			continue
		}
		for _, q := range f.en.meets[r] {
			if rq, ry, ok := f.follows(q, y); ok && f.p.InLoop(rq.instr) && !f.p.linkFollows(ry, rq) {
				return true
			}
		}
	}
	return false
}
