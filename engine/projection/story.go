package projection

import (
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// story tells waits: clauses of a sentence, and the steps that they are about.
type story struct {
	a       *analysis
	s       *stuck
	clauses []string
	steps   []entry
	advice  string
	reason  bool // it says why nobody ends the wait
	missed  bool // because of a signal that came when nobody waited, or woke another
}

// say adds a clause and its steps.
func (t *story) say(clause string, steps ...entry) {
	t.clauses = append(t.clauses, clause)
	t.show(steps...)
}

func (t *story) show(steps ...entry) { t.steps = append(t.steps, steps...) }

// because adds what explains the wait.
func (t *story) because(clause string, steps ...entry) {
	t.reason = true
	t.say(clause, steps...)
}

// must sets what must hold, unless something is known already.
func (t *story) must(format string, args ...any) {
	if t.advice == "" {
		t.advice = fmt.Sprintf(format, args...)
	}
}

// waitCause explains which goroutines wait for which, and why none goes on.
func (a *analysis) waitCause(set *rootSet) {
	s := a.newStuck()
	a.stuck = s
	var all []*story
	tell := func(f func(*story)) {
		t := &story{a: a, s: s}
		f(t)
		all = append(all, t)
	}
	switch {
	case a.fail.Outcome.Kind == trace.Livelock:
		tell((*story).loops)
	case s.cycle:
		tell((*story).cycle)
	default:
		for _, g := range s.groups {
			tell(func(t *story) { t.wait(g) })
		}
	}
	reasons := slices.ContainsFunc(all, func(t *story) bool { return t.reason })
	told := map[trace.ObjID]bool{}
	for i, t := range all {
		var on trace.ObjID
		if !s.cycle && i < len(s.groups) {
			on = s.waiters[s.groups[i][0]].Obj
		}
		if (t.reason || !reasons) && !(on != 0 && told[on]) {
			s.keep(t, set)
			told[on] = t.missed
		}
	}
	if !reasons && !s.cycle && s.must == "" {
		s.decided = a.decided(set)
	}
	if s.cycle && s.decided == "" {
		s.decided = a.cameThere(set)
	}
}

// keep takes over a story, its steps each if there is room.
func (s *stuck) keep(t *story, set *rootSet) {
	s.clauses = append(s.clauses, t.clauses...)
	for _, e := range t.steps {
		set.add(e)
	}
	if s.must == "" {
		s.must = t.advice
	}
	s.missed = s.missed || t.missed
}

// wait tells one group of waiters that wait for nobody who waits.
func (t *story) wait(group []int) {
	w := &t.s.waiters[group[0]]
	switch {
	case isLockOp(w.Op):
		t.lock(group)
	case isCondOp(w.Op):
		t.cond(group)
	default:
		t.message(group)
	}
	t.behind(group)
}

// message tells of waiters for a channel, a WaitGroup, a Once or a connection.
func (t *story) message(group []int) {
	w := &t.s.waiters[group[0]]
	t.waiting(group, "")
	c := w.come
	switch {
	case c == nil:
		t.nobody(w)
	case t.refused(c):
	case len(c.none) > 0:
		t.departures(c)
		t.sendMust(w, t.a.inFail(c.m.pass, c.m.pass.events[c.none[0]].G), c.m.pass.waitsAfter(c.at))
	default:
		t.given(w)
	}
}

// sendMust is for a send whose receiver has left; answered says that the sender
// waits for something afterwards, so that a buffer would not help.
func (t *story) sendMust(w *waiter, receiver trace.GID, answered bool) {
	if w.Op != trace.OpSend || receiver == 0 || !t.a.hasEnded(receiver) || t.a.fail.alike(receiver) {
		return
	}
	e := t.a.waitEntry(w)
	in := fmt.Sprintf("the send (%s) must be in a select with a case that ends it", t.a.line(e, false))
	if answered {
		t.must("%s.", title(in))
		return
	}
	t.must("%s needs a buffer for what is sent after `%s` has left, or %s.", t.a.object(e), t.a.fail.gname(receiver), in)
}

// alike reports whether other goroutines were started at the place where one was: one of
// several workers is not the one to wait for.
func (r *run) alike(g trace.GID) bool {
	at := r.Goroutines[g].Spawn
	return at != 0 && slices.ContainsFunc(r.Goroutines, func(o trace.Goroutine) bool { return o.ID != g && o.Spawn == at })
}

// waitsAfter reports whether the goroutine of an event receives something after
// it: an answer, perhaps.
func (r *run) waitsAfter(ev int) bool {
	list := r.byG[r.events[ev].G]
	return slices.ContainsFunc(list[r.pos[ev]+1:], func(x int) bool { return isRecv(&r.events[x]) })
}

// waiting tells that a group waits.
func (t *story) waiting(group []int, more string) {
	var gs []trace.GID
	for _, i := range group {
		w := &t.s.waiters[i]
		gs = append(gs, w.G)
	}
	w := &t.s.waiters[group[0]]
	e := t.a.waitEntry(w)
	t.show(e)
	verb := "waits"
	if len(gs) > 1 {
		verb = "wait"
	}
	holds := ""
	if h, ok := t.holds(w); ok {
		he := t.a.held(h)
		holds = fmt.Sprintf(" holds %s (%s) and", t.a.object(he), t.a.at(he, true))
		t.show(he)
	}
	t.say(fmt.Sprintf("%s%s %s %s (%s)%s%s", t.a.names(gs), holds, verb, t.a.waitsFor(e), t.a.at(e, holds == ""), t.a.room(w), more))
}

// holds is a lock of w for which another waits.
func (t *story) holds(w *waiter) (holder, bool) {
	for i := range t.s.waiters {
		for _, h := range t.s.waiters[i].heldBy {
			if h.g == w.G && t.s.waiters[i].G != w.G {
				return h, true
			}
		}
	}
	return holder{}, false
}

// behind tells who waits for a lock that the group holds.
func (t *story) behind(group []int) {
	w := &t.s.waiters[group[0]]
	if isLockOp(w.Op) {
		return
	}
	for i := range t.s.waiters {
		o := &t.s.waiters[i]
		if slices.ContainsFunc(o.heldBy, func(h holder) bool { return h.g == w.G }) && o.G != w.G {
			e := t.a.waitEntry(o)
			t.say(fmt.Sprintf("%s waits %s (%s)", t.a.who(e), t.a.waitsFor(e), t.a.at(e, false)), e)
			return
		}
	}
}

// room describes a channel on which w cannot send.
func (a *analysis) room(w *waiter) string {
	if w.Op != trace.OpSend {
		return ""
	}
	switch n := a.capacity(w.Obj); {
	case n == 0:
		return ", which is unbuffered"
	case n > 0:
		return fmt.Sprintf(", whose buffer of %d is full", n)
	}
	return ""
}

// names lists goroutines.
func (a *analysis) names(gs []trace.GID) string {
	var out []string
	for _, g := range gs {
		out = append(out, "`"+a.fail.gname(g)+"`")
	}
	if n := len(out); n > 3 {
		return fmt.Sprintf("%s, %s and %d others", out[0], out[1], n-2)
	}
	return list(out)
}

// held is the step at which a lock was taken that is still held.
func (a *analysis) held(h holder) entry {
	e := a.entry(h.ev)
	e.own = true
	e.failing, e.passing = "never released", "-"
	for _, m := range a.matchings() {
		p := m.toPass[h.ev]
		if p < 0 {
			continue
		}
		if u := m.pass.released(p); u >= 0 {
			e.passing = "released"
			if l := a.passLine(m, u); l > 0 {
				e.passing = fmt.Sprintf("released (%d)", l)
			}
			break
		}
	}
	return e
}

// passLine is the line of an event of a passing run, 0 if it is not the user's.
func (a *analysis) passLine(m *matching, ev int) int {
	line := 0
	a.against(m, func() {
		if e := a.lateEntry(ev); len(e.stack) > 0 {
			line = a.shown(e).Line
		}
	})
	return line
}

// refused tells of a message that came when nobody could take it.
func (t *story) refused(c *coming) bool {
	if len(c.evs) == 0 {
		return false
	}
	f := c.m.toFail[c.evs[0]]
	if f < 0 || !isRefused(&t.a.fail.events[f]) {
		return false
	}
	t.dropped(f, "is received")
	return true
}

// dropped tells of a send whose select took its default.
func (t *story) dropped(ev int, passing string) {
	e := t.a.entry(ev)
	t.missed = true
	full := ""
	if n := t.a.capacity(e.obj); n > 0 {
		full = fmt.Sprintf("when its buffer of %d was full", n)
		e.failing = "is full"
	} else {
		full = "when nobody waited"
		e.failing = "nobody waits"
		t.must("The channel needs a buffer of 1, so that what is sent at %s is kept.", t.a.line(e, true))
	}
	e.passing = passing
	t.because(fmt.Sprintf("%s came to send on it before that (%s), %s, and took `default`: that message was dropped", t.a.who(e), t.a.at(e, false), full), e)
}

// lastDropped is the last send for a receiver that another goroutine's select gave up, -1
// if there is none or a later one was taken.
func (a *analysis) lastDropped(w *waiter) int {
	if w.Op != trace.OpRecv || w.Obj == 0 {
		return -1
	}
	for i := len(a.fail.events) - 1; i >= 0; i-- {
		e := &a.fail.events[i]
		switch {
		case e.Obj != w.Obj || e.G == w.G || len(a.userFrames(a.fail.stack(i))) == 0:
		case isRefused(e):
			return i
		case isSend(e):
			return -1
		}
	}
	return -1
}

func isRefused(e *trace.Event) bool { return e.Op == trace.OpSend && e.Value == 0 }
