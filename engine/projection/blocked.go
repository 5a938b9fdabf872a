package projection

import (
	"github.com/hocket-dev/hocket/engine/trace"
)

// waiter is a goroutine that is blocked forever.
type waiter struct {
	trace.Blocked
	seq   int      // its last event
	on    []int    // other waiters (indexes) that would have to go on first
	holds []holder // locks on which it or another waiter depends
	loop  bool     // part of a cycle
}

// holder is a lock that was taken and not released.
type holder struct {
	g   trace.GID
	obj trace.ObjID
	ev  int // the event that took it
}

// stuck describes a deadlock or leak.
type stuck struct {
	waiters []waiter
	cycle   bool
	missed  bool   // a signal came before its wait
	before  []int  // events of the failing run that explain it
	waits   []int  // indexes into waiters, those that matter
	units   []unit // what made a goroutine leave the path on which it would have unblocked the waiter
	late    []int  // events of the passing run that never came
}

// blockedCause explains why goroutines are blocked forever.
func (a *analysis) blockedCause() *stuck {
	s := &stuck{}
	held := a.fail.held()
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
	for i := range s.waiters {
		a.link(s, i, held)
	}
	s.suspect()
	s.findCycle()
	s.chooseWaits()
	seen := map[int]bool{}
	for _, i := range s.waits {
		for _, h := range s.holders(i) {
			if !seen[h.ev] {
				seen[h.ev] = true
				s.before = append(s.before, h.ev)
			}
		}
	}
	for _, i := range s.waits {
		a.missing(s, i)
	}
	return s
}

// held lists the locks that were not released, by object.
func (r *run) held() map[trace.ObjID][]holder {
	held := map[trace.ObjID][]holder{}
	for i := range r.events {
		e := &r.events[i]
		switch e.Op {
		case trace.OpTryLock, trace.OpTryRLock:
			if e.Value == 1 {
				held[e.Obj] = append(held[e.Obj], holder{e.G, e.Obj, i})
			}
		case trace.OpLock, trace.OpRLock:
			held[e.Obj] = append(held[e.Obj], holder{e.G, e.Obj, i})
		case trace.OpUnlock, trace.OpRUnlock:
			held[e.Obj] = release(held[e.Obj], e.G)
		}
	}
	return held
}

// release takes out the latest holding by g, else any: another goroutine may
// unlock.
func release(l []holder, g trace.GID) []holder {
	at := len(l) - 1
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].g == g {
			at = i
			break
		}
	}
	if at < 0 {
		return l
	}
	return append(append([]holder{}, l[:at]...), l[at+1:]...)
}

// link finds the other waiters for which waiter i waits.
func (a *analysis) link(s *stuck, i int, held map[trace.ObjID][]holder) {
	w := &s.waiters[i]
	add := func(g trace.GID) {
		for j := range s.waiters {
			if s.waiters[j].G == g {
				w.on = append(w.on, j)
			}
		}
	}
	if isLockOp(w.Op) {
		for _, h := range held[w.Obj] {
			w.holds = append(w.holds, h)
			add(h.g)
		}
		if w.Op == trace.OpRLock { // a waiting writer stops new readers
			for j := range s.waiters {
				if j != i && s.waiters[j].Obj == w.Obj && s.waiters[j].Op == trace.OpLock {
					w.on = append(w.on, j)
				}
			}
		}
		return
	}
	for g := range a.partners(w.Op, w.Obj) {
		if g != w.G {
			add(g)
		}
	}
	sortInts(w.on)
}

// partners are the goroutines (of the failing run) that did, in either run,
// what an operation on an object waits for.
func (a *analysis) partners(op trace.Op, obj trace.ObjID) map[trace.GID]bool {
	out := map[trace.GID]bool{}
	if int(obj) >= len(a.fail.Objects) || obj == 0 {
		return out
	}
	name := a.fail.Objects[obj].Name
	paths := map[string]trace.GID{}
	for _, g := range a.fail.Goroutines[1:] {
		paths[g.Path] = g.ID
	}
	for _, r := range []*run{a.fail, a.pass} {
		if r == nil {
			continue
		}
		for i := range r.events {
			e := &r.events[i]
			if int(e.Obj) < len(r.Objects) && r.Objects[e.Obj].Name == name && helps(op, e) {
				if g, ok := paths[r.Goroutines[e.G].Path]; ok {
					out[g] = true
				}
			}
		}
	}
	return out
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

// missing adds what should have let waiter i go on, and why it did not come.
func (a *analysis) missing(s *stuck, i int) {
	w := &s.waiters[i]
	if w.loop && isLockOp(w.Op) {
		return
	}
	a.early(s, w)
	if a.pass == nil || w.loop {
		return
	}
	partner := a.passPartner(w)
	if partner < 0 {
		return
	}
	if f := a.m.toFail[partner]; f >= 0 {
		s.before = append(s.before, f)
		return
	}
	if d := a.divergence(partner); d >= 0 {
		s.before = append(s.before, d)
		for _, u := range a.units(a.slice(d)) {
			if u.differs && len(s.units) < 2 {
				s.units = append(s.units, u)
			}
		}
		return
	}
	s.late = append(s.late, partner)
}

// early adds signals and refused messages that came before the wait, and what
// closed or used up the other end.
func (a *analysis) early(s *stuck, w *waiter) {
	r := a.fail
	lastHelp, missed := -1, -1
	for i := range r.events {
		e := &r.events[i]
		if e.Obj != w.Obj || e.Obj == 0 || e.G == w.G {
			continue
		}
		switch {
		case e.Op == trace.OpSignal || e.Op == trace.OpBroadcast, e.Op == trace.OpSend && e.Value == 0:
			missed = i
		case helps(w.Op, e):
			lastHelp = i
		}
	}
	waitsForSignal := w.Op == trace.OpCondWait || w.Op == trace.OpCondWake || w.Op == trace.OpRecv || w.Op == trace.OpSelect
	if missed >= 0 && waitsForSignal {
		s.missed = true
		s.before = append(s.before, missed)
	} else if lastHelp >= 0 && !w.loop {
		s.before = append(s.before, lastHelp)
	}
}

// passPartner is the passing run's event that let the waiter's operation go on
// there: the first of its goroutine after what both runs have.
func (a *analysis) passPartner(w *waiter) int {
	last := -1
	for _, x := range a.fail.byG[w.G] {
		if p := a.m.toPass[x]; p >= 0 {
			last = p
		}
	}
	if last < 0 {
		return -1
	}
	list := a.pass.byG[a.pass.events[last].G]
	for p := a.pass.pos[last] + 1; p < len(list); p++ {
		x := list[p]
		e := &a.pass.events[x]
		if isNoise(e.Op) || a.pass.Objects[e.Obj].Name != a.fail.Objects[w.Obj].Name {
			continue
		}
		if isSend(e) {
			for i, s := range a.pass.src {
				if s == x {
					return i
				}
			}
			return -1
		}
		return a.pass.src[x]
	}
	return -1
}
