package projection

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// lock tells of waiters for a lock that nobody who waits holds.
func (t *story) lock(group []int) {
	w := &t.s.waiters[group[0]]
	if len(w.heldBy) == 0 {
		t.waiting(group, "")
		return
	}
	h := w.heldBy[0]
	he := t.a.held(h)
	t.waiting(group, fmt.Sprintf(", which %s %s (%s) and never unlocked", t.a.who(he), h.took(), t.a.at(he, false)))
	t.show(he)
	t.kept(h)
}

// kept tells why a lock was never unlocked.
func (t *story) kept(h holder) {
	if d, ok := t.a.keptBy(h); ok {
		t.departure(d)
		return
	}
	t.stopped(h)
}

// foreign is what another goroutine did that event ev saw, unless it always does.
func (a *analysis) foreign(ev int) (entry, bool) {
	s := a.fail.src[ev]
	if s < 0 || a.fail.events[s].G == a.fail.events[ev].G || len(a.userFrames(a.fail.stack(s))) == 0 || a.fail.always(s, ev) {
		return entry{}, false
	}
	return a.entry(s), true
}

// keptBy is how the holder of a lock left the way on which it unlocks it in a
// passing run.
func (a *analysis) keptBy(h holder) (departure, bool) {
	for _, m := range a.matchings() {
		p := m.toPass[h.ev]
		if p < 0 {
			continue
		}
		if u := m.pass.released(p); u >= 0 && m.toFail[u] < 0 {
			if d := a.departed(m, u); d.g != 0 {
				return d, true
			}
		}
	}
	return departure{}, false
}

// stopped tells where the holder of a lock left the function that took it, if no
// passing run shows where it unlocks it.
func (t *story) stopped(h holder) {
	a := t.a
	st := a.userFrames(a.fail.stack(h.ev))
	last, seen := h.ev, -1
	list := a.fail.byG[h.g]
	for _, x := range list[a.fail.pos[h.ev]+1:] {
		xs := a.userFrames(a.fail.stack(x))
		if len(xs) == 0 {
			continue
		}
		if !sameActivation(st, xs, len(st)) {
			break
		}
		last = x
		if a.isChoice(x) && !isLockOp(a.fail.events[x].Op) {
			seen = x
		}
	}
	i := len(a.userFrames(a.fail.stack(last))) - len(st)
	ret := a.returnFrom(h.g, last, i, 0, a.unlocks(st[0])...)
	clause, steps := "", []entry(nil)
	if seen >= 0 {
		e := a.entry(seen)
		clause, steps = fmt.Sprintf("%s (%s)", a.did(e, a.object(e)), a.at(e, false)), []entry{e}
		if by, ok := a.foreign(seen); ok {
			clause += ", " + a.decidedBy(e, by) + ","
			steps = append(steps, by)
		}
	}
	who := "`" + a.fail.gname(h.g) + "`"
	obj := a.object(a.entry(h.ev))
	switch {
	case ret.Line > 0:
		e := entry{r: a.fail, ev: -1, g: h.g, op: trace.OpEnd, stack: []trace.Frame{ret}, order: float64(last) + 0.25, failing: "returns", passing: "-"}
		clause = and(clause) + fmt.Sprintf("returned (%s)", a.at(e, false))
		steps = append(steps, e)
		t.must("%s must unlock %s when it returns at %s, too.", who, obj, a.line(e, true))
	case a.hasEnded(h.g):
		clause = and(clause) + "ended"
	case clause == "":
		return
	}
	t.because(who+" "+clause, steps...)
}

// unlocks are the lines of a frame's function, after the frame's, that unlock
// something and are not deferred.
func (a *analysis) unlocks(f trace.Frame) []int {
	file := a.files.File(a.abs(f.File))
	end := file.Func(f.Func, f.Line).End()
	var out []int
	for l := f.Line + 1; l < end; l++ {
		if s := file.Line(l); strings.HasSuffix(s, "Unlock()") && !strings.HasPrefix(s, "defer ") && !strings.HasPrefix(s, "//") {
			out = append(out, l)
		}
	}
	return out
}

// cycle tells who holds what, and waits for what the next one holds.
func (t *story) cycle() {
	loop := t.s.inOrder()
	if len(loop) == 1 {
		t.self(loop[0])
		return
	}
	if r, writer, h, ok := nestedRead(loop); ok {
		t.nestedRead(r, writer, h)
		return
	}
	if !t.alike(loop) {
		for i, w := range loop {
			t.link(w, loop[(i+len(loop)-1)%len(loop)])
		}
	}
	for _, w := range loop {
		t.tokenTaken(w)
	}
	t.cycleMust(loop)
}

// nestedRead finds a cycle of a reader that takes its read lock again, and a
// writer that came in between.
func nestedRead(loop []*waiter) (reader, writer *waiter, h holder, ok bool) {
	for i, w := range loop {
		o := loop[(i+1)%len(loop)]
		if h, ok := holding(o, w.G); ok && len(loop) == 2 && w.Op == trace.OpRLock && h.read && h.obj == w.Obj {
			return w, o, h, true
		}
	}
	return nil, nil, holder{}, false
}

func (t *story) nestedRead(reader, writer *waiter, h holder) {
	a := t.a
	first, lock, again := a.held(h), a.waitEntry(writer), a.waitEntry(reader)
	t.say(fmt.Sprintf("%s holds %s (%s)", a.who(first), a.heldName(h), a.at(first, true)), first)
	t.say(fmt.Sprintf("%s waits to lock it (%s) until that is released", a.who(lock), a.at(lock, false)), lock)
	t.say(fmt.Sprintf("%s waits to read-lock it again (%s), behind %s", a.who(again), a.at(again, false), a.who(lock)), again)
	t.must("%s must not take the read lock of %s again while it holds it: a writer may wait in between.", a.who(again), a.object(again))
}

// self tells of a goroutine that waits for a lock that it holds itself.
func (t *story) self(w *waiter) {
	a := t.a
	e := a.waitEntry(w)
	for _, h := range w.heldBy {
		if h.g != w.G {
			continue
		}
		he := a.held(h)
		t.say(fmt.Sprintf("%s holds %s (%s) and waits to %s it again (%s), so it waits for itself", a.who(e), a.heldName(h), a.at(he, true), lockVerb(w.Op), a.at(e, false)), he, e)
		if h.read {
			t.must("%s must release its read lock before it locks %s.", a.who(e), a.object(he))
		} else {
			t.must("%s must not lock %s again while it holds it.", a.who(e), a.object(he))
		}
		t.why(w)
		return
	}
}

// why tells what made a goroutine come to the operation in which it waits, if it
// does not in the nearest passing run.
func (t *story) why(w *waiter) {
	a := t.a
	if a.pass == nil || a.m.next(w) >= 0 {
		return
	}
	ev := a.waitedAt(w)
	if ev < 0 {
		return
	}
	for _, d := range a.deps(a.fail, ev, false) {
		if d.ctl == nil || d.ctl.Kind == source.Range || isLockOp(a.fail.events[d.ev].Op) || a.sameFlow(d.ev) {
			continue
		}
		by, later := a.decider(d.ev)
		p := a.m.toPass[d.ev]
		if by < 0 && (p < 0 || a.pass.events[p].Value == a.fail.events[d.ev].Value) {
			continue
		}
		clause, steps := t.turnWords(departure{m: a.m, g: w.G, ev: d.ev, by: by, later: later}, entry{}, "")
		t.because(fmt.Sprintf("%s came there after it %s", a.who(a.waitEntry(w)), strings.TrimSuffix(clause, ",")), steps...)
		return
	}
}

// waitedAt is the event that recorded the beginning of a wait, -1 if none did.
func (a *analysis) waitedAt(w *waiter) int {
	list := a.fail.byG[w.G]
	for i := len(list) - 1; i >= 0; i-- {
		if e := &a.fail.events[list[i]]; e.Op == trace.OpBlock && e.Stack == w.Stack {
			return list[i]
		}
	}
	return -1
}

// alike tells the waiters of a cycle at once if all wait in one place, for what each has
// yet to do at another one: workers that send on the channel that they receive from.
func (t *story) alike(loop []*waiter) bool {
	a := t.a
	first := a.waitEntry(loop[0])
	words := t.partnerLine(loop[len(loop)-1], loop[0])
	rest, ok := strings.CutPrefix(words, "has yet to ")
	if !ok {
		return false
	}
	var gs []trace.GID
	for i, w := range loop {
		e, prev := a.waitEntry(w), loop[(i+len(loop)-1)%len(loop)]
		_, slot := a.holdsSlot(prev, w.G)
		if slot || isLockOp(w.Op) || w.Op != first.op || w.Obj != first.obj || !sameStack(e.stack, first.stack) || t.partnerLine(prev, w) != words {
			return false
		}
		gs = append(gs, w.G)
		t.show(e)
	}
	t.say(fmt.Sprintf("%s, which have yet to %s, wait %s (%s)%s", a.names(gs), rest, a.waitsFor(first), a.at(first, true), a.room(loop[0])))
	return true
}

// link tells one waiter of a cycle, for which prev waits.
func (t *story) link(w, prev *waiter) {
	a := t.a
	e := a.waitEntry(w)
	text, held, here := a.who(e), "", a.at(e, true)
	if h, ok := holding(prev, w.G); ok {
		he := a.held(h)
		text += fmt.Sprintf(" holds %s (%s) and", a.heldName(h), a.at(he, true))
		t.show(he)
	} else if s, ok := a.holdsSlot(prev, w.G); ok {
		held, here = a.toldApart(s, e)
		text += fmt.Sprintf(" has a place in %s (%s) and", a.object(s), held)
		t.show(s)
	} else if p := t.partnerLine(prev, w); p != "" {
		text += fmt.Sprintf(", which %s,", p)
	}
	text += fmt.Sprintf(" waits %s (%s)%s", a.waitsFor(e), here, a.room(w))
	if w.Op == trace.OpRLock && len(w.heldBy) == 0 {
		text += ", behind the writer that waits"
	}
	t.say(text, e)
}

// toldApart are the places of two steps of one line, with the lines that called it where these
// tell them apart.
func (a *analysis) toldApart(x, y entry) (string, string) {
	one, other := a.at(x, true), a.at(y, true)
	if one != other || len(x.stack) < 2 || len(y.stack) < 2 || x.stack[1] == y.stack[1] {
		return one, other
	}
	return one + ", called at " + a.lineOf(x.stack[1], false), other + ", called at " + a.lineOf(y.stack[1], false)
}

// heldName names a lock that is held, and how.
func (a *analysis) heldName(h holder) string {
	name := a.object(a.entry(h.ev))
	if h.read {
		return "the read lock of " + name
	}
	return name
}

func lockVerb(op trace.Op) string {
	if op == trace.OpRLock {
		return "read-lock"
	}
	return "lock"
}

func (h holder) took() string {
	if h.read {
		return "read-locked"
	}
	return "locked"
}

// holding is the lock that g holds and w waits for.
func holding(w *waiter, g trace.GID) (holder, bool) {
	for _, h := range w.heldBy {
		if h.g == g {
			return h, true
		}
	}
	return holder{}, false
}

// partnerLine says what w, for which prev waits, is to do for it, as in a passing run; or
// what it did instead, or did so for others: "has yet to receive from `c` (12)", "took
// `<-done` (14) instead of `<-c` (12)", "last received from `c` (12)".
func (t *story) partnerLine(prev, w *waiter) string {
	a := t.a
	if prev.come != nil {
		for _, p := range prev.come.none {
			if a.inFail(prev.come.m.pass, prev.come.m.pass.events[p].G) != w.G {
				continue
			}
			if words := t.undone(prev.come.m, p, w); words != "" {
				return words
			}
		}
	}
	for i := len(a.fail.events) - 1; i >= 0 && !isLockOp(prev.Op); i-- {
		e := &a.fail.events[i]
		if e.G == w.G && e.Obj == prev.Obj && e.Obj != 0 && helps(prev.Op, e) && len(a.userFrames(a.fail.stack(i))) > 0 {
			e := a.entry(i)
			return fmt.Sprintf("last %s (%s)", a.did(e, a.object(e)), a.at(e, false))
		}
	}
	return ""
}

// undone says of event p of a passing run, which w lacks, that w has yet to do it, again
// if it did the same before; or, if it can't come there any more, by which case of a select
// it left.
func (t *story) undone(m *matching, p int, w *waiter) string {
	a := t.a
	var want entry
	a.against(m, func() { want = a.lateEntry(p) })
	at := a.at(want, false)
	if !a.canCome(w, want) {
		clause, _ := t.turnWords(a.departed(m, p), want, at)
		if strings.Contains(clause, "instead of") {
			return clause
		}
		return ""
	}
	again := ""
	if a.didAt(w, want) {
		again = " again"
	}
	return fmt.Sprintf("has yet to %s%s (%s)", a.todo(m.pass, p), again, at)
}

// canCome reports whether a goroutine that waits is still in the call in which it does
// what is wanted of it in a passing run, and before that or in a loop around it.
func (a *analysis) canCome(w *waiter, want entry) bool {
	st, to := a.userFrames(a.fail.stackOf(w.Stack)), a.userFrames(want.full)
	i, line := part(st, to)
	if i < 0 || line == 0 {
		return false
	}
	return a.files.File(a.abs(st[i].File)).Func(st[i].Func, st[i].Line).Reaches(st[i].Line, line)
}

// didAt reports whether a goroutine did an operation at the place of another run's before.
func (a *analysis) didAt(w *waiter, want entry) bool {
	return slices.ContainsFunc(a.fail.byG[w.G], func(x int) bool {
		e := &a.fail.events[x]
		return e.Op == want.op && a.fail.varName(e.Obj) == want.r.varName(want.obj) && sameStack(a.fail.stack(x), want.full)
	})
}

// todo is an event as something that is still to be done.
func (a *analysis) todo(r *run, ev int) string {
	e := &r.events[ev]
	obj := a.objectAt(r, ev)
	switch {
	case isSend(e):
		return "send on " + obj
	case isRecv(e):
		return "receive from " + obj
	case e.Op == trace.OpClose:
		return "close " + obj
	case e.Op == trace.OpWGDone:
		return "call Done on " + obj
	case e.Op == trace.OpSignal || e.Op == trace.OpBroadcast:
		return "signal " + obj
	}
	return opWord(e.Op) + " " + obj
}

// instance is the number that tells objects of one kind apart.
var instance = regexp.MustCompile(`#\d+`)

// cycleMust names the repair that fits the cycle.
func (t *story) cycleMust(loop []*waiter) {
	a := t.a
	var names []string
	kinds := map[string]bool{}
	lockOnly := true
	for _, w := range loop {
		if !isLockOp(w.Op) {
			lockOnly = false
			continue
		}
		kinds[instance.ReplaceAllString(a.fail.varName(w.Obj), "")] = true
		if name := a.objectOf(w.Obj); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case lockOnly && len(kinds) == 1:
		t.must("The locks taken at %s are of one kind: two of them must always be locked in one order, such as that of an id.", a.line(a.waitEntry(loop[0]), true))
	case lockOnly:
		t.must("%s must always be locked in the same order.", list(names))
	default:
		t.mixedMust(loop)
	}
}

// mixedMust is for a goroutine that waits for a message while it holds a lock that
// another one of the cycle needs.
func (t *story) mixedMust(loop []*waiter) {
	a := t.a
	for i, w := range loop {
		o := loop[(i+len(loop)-1)%len(loop)]
		if isLockOp(w.Op) {
			continue
		}
		if h, ok := holding(o, w.G); ok {
			e := a.waitEntry(w)
			t.must("%s must not wait %s while it holds %s, which %s needs.", a.who(e), a.waitsFor(e), a.object(a.entry(h.ev)), a.who(a.waitEntry(o)))
			return
		}
	}
}
