package projection

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// waiter is a goroutine that is blocked forever.
type waiter struct {
	trace.Blocked
	seq    int      // its last event
	on     []int    // other waiters (indexes) that would have to go on first
	heldBy []holder // the lock that it waits for
	come   *coming  // what let it go on in a passing run, nil if that is not known
	loop   bool     // part of a cycle
}

// stuck describes a deadlock or leak.
type stuck struct {
	waiters []waiter
	cycle   bool
	missed  bool    // a signal came when nobody waited for it, or woke another
	groups  [][]int // indexes into waiters: those to explain, alike ones together
	clauses []string
	decided string // the events that lead there, where the clauses don't say why
	must    string
}

func (a *analysis) newStuck() *stuck {
	s := &stuck{}
	for _, b := range a.fail.Outcome.Blocked {
		if int(b.G) >= len(a.fail.byG) || len(a.userFrames(a.fail.stackOf(b.Stack))) == 0 {
			continue
		}
		w := waiter{Blocked: b, seq: len(a.fail.events)}
		if l := a.fail.byG[b.G]; len(l) > 0 {
			w.seq = l[len(l)-1]
		}
		s.waiters = append(s.waiters, w)
	}
	held := a.fail.held()
	for i := range s.waiters {
		a.link(s, i, held)
	}
	s.suspect()
	s.findCycle()
	s.choose(a)
	return s
}

// link finds the other waiters for which waiter i waits.
func (a *analysis) link(s *stuck, i int, held map[trace.ObjID][]holder) {
	w := &s.waiters[i]
	if isLockOp(w.Op) {
		w.heldBy = blockers(w.Op, held[w.Obj])
		for _, h := range w.heldBy {
			s.waitsOn(i, h.g)
		}
		if len(w.heldBy) == 0 { // a waiting writer keeps the others out
			for _, j := range s.writers(w.Obj) {
				s.waitsOn(i, s.waiters[j].G)
			}
		}
		return
	}
	if i < maxStarts {
		w.come = a.awaited(w)
	}
	switch {
	case w.come != nil:
		for _, p := range w.come.none {
			s.waitsOn(i, a.inFail(w.come.m.pass, w.come.m.pass.events[p].G))
		}
	case w.Op != trace.OpCondWait && w.Op != trace.OpCondWake:
		for _, g := range a.partners(w) {
			s.waitsOn(i, g)
		}
	}
	slices.Sort(w.on)
}

// waitsOn notes that waiter i waits until g goes on, if g waits too.
func (s *stuck) waitsOn(i int, g trace.GID) {
	for j := range s.waiters {
		w := &s.waiters[j]
		if w.G == g && !slices.Contains(s.waiters[i].on, j) && (j != i || isLockOp(w.Op)) {
			s.waiters[i].on = append(s.waiters[i].on, j)
		}
	}
}

// writers are the waiters that want to lock obj for writing.
func (s *stuck) writers(obj trace.ObjID) []int {
	var out []int
	for i := range s.waiters {
		if w := &s.waiters[i]; w.Op == trace.OpLock && w.Obj == obj && obj != 0 {
			out = append(out, i)
		}
	}
	return out
}

// maxGroups bounds the waits that are explained.
const maxGroups = 3

// choose groups the waiters of the cycle; or else those that do not wait for
// another waiter: all that wait alike are one group.
func (s *stuck) choose(a *analysis) {
	pick := func(ok func(*waiter) bool) {
		for i := range s.waiters {
			w := &s.waiters[i]
			if !ok(w) {
				continue
			}
			at := slices.IndexFunc(s.groups, func(g []int) bool { return !s.cycle && a.alike(&s.waiters[g[0]], w) })
			if at >= 0 {
				s.groups[at] = append(s.groups[at], i)
			} else {
				s.groups = append(s.groups, []int{i})
			}
		}
	}
	if s.cycle {
		pick(func(w *waiter) bool { return w.loop })
		return
	}
	leak := a.fail.Outcome.Kind == trace.Leaked
	pick(func(w *waiter) bool { return len(w.on) == 0 && (w.Leaked || !leak) })
	if len(s.groups) == 0 {
		pick(func(w *waiter) bool { return len(w.on) == 0 })
	}
	if len(s.groups) == 0 {
		pick(func(*waiter) bool { return true })
	}
	s.joinAlike(a)
	slices.SortStableFunc(s.groups, func(x, y []int) int { return s.waiters[x[0]].seq - s.waiters[y[0]].seq })
	s.groups = s.groups[:min(len(s.groups), maxGroups)]
}

// waits is the waiter that is goroutine g, nil if that does not wait.
func (s *stuck) waits(g trace.GID) *waiter {
	if i := slices.IndexFunc(s.waiters, func(w waiter) bool { return w.G == g }); i >= 0 {
		return &s.waiters[i]
	}
	return nil
}

// joinAlike adds to the groups who wait in the same place for the same object, although
// that is for another waiter.
func (s *stuck) joinAlike(a *analysis) {
	for i, g := range s.groups {
		first := &s.waiters[g[0]]
		for j := range s.waiters {
			w := &s.waiters[j]
			if !slices.Contains(g, j) && (w.Leaked || !first.Leaked) && w.Obj == first.Obj && w.Obj != 0 && a.alike(first, w) {
				s.groups[i] = append(s.groups[i], j)
			}
		}
		slices.Sort(s.groups[i][1:])
	}
}

// alike reports whether two goroutines wait in the same place for the same kind
// of thing.
func (a *analysis) alike(x, y *waiter) bool {
	return x.Op == y.Op && a.fail.varName(x.Obj) == a.fail.varName(y.Obj) &&
		sameStack(a.userFrames(a.fail.stackOf(x.Stack)), a.userFrames(a.fail.stackOf(y.Stack)))
}

// partners are the goroutines (of the failing run) that did, in any run, what
// the waiter waits for.
func (a *analysis) partners(w *waiter) []trace.GID {
	names := a.fail.namesAt(w)
	var out []trace.GID
	for _, r := range append([]*run{a.fail}, a.passes...) {
		for i := range r.events {
			e := &r.events[i]
			if int(e.Obj) >= len(r.Objects) || !names[r.Objects[e.Obj].Name] || !helps(w.Op, e) {
				continue
			}
			if g := a.inFail(r, e.G); g != 0 && g != w.G && !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// namesAt are the names of the objects that a goroutine waits for.
func (r *run) namesAt(w *waiter) map[string]bool {
	names := map[string]bool{}
	for _, o := range r.waitsAt(w) {
		names[r.Objects[o].Name] = true
	}
	return names
}

// waitsAt are the objects that a goroutine waits for: of a select, the channels
// of all its cases.
func (r *run) waitsAt(w *waiter) []trace.ObjID {
	var out []trace.ObjID
	list := r.byG[w.G]
	for i := len(list) - 1; i >= 0 && w.Op == trace.OpSelect; i-- {
		e := &r.events[list[i]]
		if e.Op == trace.OpBlock {
			continue
		}
		if e.Op != trace.OpSelectCase {
			break
		}
		if e.Obj != 0 && int(e.Obj) < len(r.Objects) {
			out = append(out, e.Obj)
		}
	}
	if len(out) == 0 && w.Obj != 0 && int(w.Obj) < len(r.Objects) {
		out = append(out, w.Obj)
	}
	return out
}

// inFail is the goroutine of the failing run that is g of another run, 0 if it
// has none.
func (a *analysis) inFail(r *run, g trace.GID) trace.GID {
	if r == a.fail {
		return g
	}
	return a.fail.byPath(r.Goroutines[g].Path)
}

func (r *run) byPath(path string) trace.GID {
	for _, g := range r.Goroutines[1:] {
		if g.Path == path && int(g.ID) < len(r.byG) {
			return g.ID
		}
	}
	return 0
}

// helps reports whether an event lets an operation that waits on the same
// object go on.
func helps(waiting trace.Op, e *trace.Event) bool {
	switch waiting {
	case trace.OpSend:
		return isRecv(e)
	case trace.OpRecv:
		return isSend(e) || e.Op == trace.OpClose
	case trace.OpSelect:
		return isSend(e) || isRecv(e) || e.Op == trace.OpClose
	case trace.OpWGWait:
		return e.Op == trace.OpWGDone
	case trace.OpCondWait, trace.OpCondWake:
		return e.Op == trace.OpSignal || e.Op == trace.OpBroadcast
	case trace.OpOnceDo:
		return e.Op == trace.OpOnceDo
	case trace.OpNetAccept:
		return e.Op == trace.OpNetDial || e.Op == trace.OpNetClose
	case trace.OpNetRead:
		return e.Op == trace.OpNetWrite || e.Op == trace.OpNetClose
	case trace.OpNetWrite:
		return e.Op == trace.OpNetRead || e.Op == trace.OpNetClose
	}
	return e.Op == trace.OpUnlock || e.Op == trace.OpRUnlock
}
