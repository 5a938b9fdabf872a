package projection

import (
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// cond tells of waiters for a Cond: a signal that came before the wait, or that
// woke another, or that never came.
func (t *story) cond(group []int) {
	a := t.a
	w := &t.s.waiters[group[0]]
	p := a.fail.signals()
	ticket := a.fail.ticket(w.G, w.Obj, len(a.fail.events))
	sig := -1
	if w.come != nil && len(w.come.evs) > 0 {
		sig = w.come.m.toFail[w.come.evs[0]]
	}
	last := a.lastSignal(w, p, ticket)
	if sig < 0 {
		sig = last
	}
	if sig >= 0 && sig < ticket && last > ticket {
		if check, _ := a.checkBefore(w.G, ticket, sig); check < 0 {
			sig = last // what that told was there to be seen when the wait began
		}
	}
	switch {
	case sig < 0 || ticket < 0:
		t.message(group)
	case sig < ticket && len(p.woke[sig]) == 0:
		t.tooEarly(group, sig, ticket)
	case len(p.woke[sig]) > 0:
		t.wokeAnother(group, sig, p.woke[sig][0])
	default:
		t.message(group)
	}
}

// lastSignal is the signal that would have ended w's wait, had it not woken
// another, or had it not come too early.
func (a *analysis) lastSignal(w *waiter, p *pairing, ticket int) int {
	best := -1
	for i := range a.fail.events {
		e := &a.fail.events[i]
		if e.Obj != w.Obj || e.G == w.G || e.Op != trace.OpSignal && e.Op != trace.OpBroadcast {
			continue
		}
		if slices.ContainsFunc(p.woke[i], func(x int) bool { return a.fail.events[x].G == w.G }) {
			continue
		}
		if i < ticket && len(p.woke[i]) == 0 || i > ticket && len(p.woke[i]) > 0 {
			best = i
		}
	}
	return best
}

// tooEarly tells of a signal before its wait, with the check that came before
// both.
func (t *story) tooEarly(group []int, sig, ticket int) {
	a := t.a
	t.missed, t.reason = true, true
	se := a.entry(sig)
	w := &t.s.waiters[group[0]]
	se.failing, se.passing = fmt.Sprintf("before the wait (%s)", a.line(a.waitEntry(w), false)), a.wakes(sig)
	check, set := a.checkBefore(w.G, ticket, sig)
	if check >= 0 {
		ce, we := a.entry(check), a.entry(set)
		t.say(fmt.Sprintf("%s %s (%s)", a.who(ce), a.did(ce, a.object(ce)), a.at(ce, true)), ce)
		t.say(fmt.Sprintf("%s then %s (%s) and signalled %s (%s), when nobody waited", a.who(we), a.did(we, a.again(ce, we)), a.at(we, false), a.object(se), a.at(se, false)), we, se)
	} else {
		t.say(fmt.Sprintf("%s signalled %s (%s), when nobody waited", a.who(se), a.object(se), a.at(se, true)), se)
	}
	t.waiting(group, "")
	t.signalMust(w, check, set, ticket)
}

// checkBefore is what g read last before its wait that the signaller changed
// between that and its signal, and the change; -1 if there is none.
func (a *analysis) checkBefore(g trace.GID, ticket, sig int) (check, set int) {
	list := a.fail.byG[g]
	for i := a.fail.pos[ticket] - 1; i >= 0; i-- {
		x := list[i]
		e := &a.fail.events[x]
		if !e.Op.IsMemory() || !e.Reads() || e.Writes() || len(a.userFrames(a.fail.stack(x))) == 0 {
			continue
		}
		last := -1
		for _, y := range a.fail.touching(x) {
			if y <= x || y >= sig || !a.fail.events[y].Writes() || a.fail.events[y].G == g {
				continue
			}
			if by := a.fail.events[sig].G; last < 0 || a.fail.events[y].G == by || a.fail.events[last].G != by {
				last = y // what came just before the signal, the signaller's own first
			}
		}
		if last >= 0 {
			return x, last
		}
	}
	return -1, -1
}

// signalMust names what was missing: the lock at the change, or a check under it.
func (t *story) signalMust(w *waiter, check, set, ticket int) {
	a := t.a
	l := a.condLock(ticket)
	switch {
	case l == 0:
	case check < 0:
		t.must("%s must check, while it holds %s, whether it still has to wait.", a.who(a.waitEntry(w)), a.objectOf(l))
	case !a.fail.locksAt(set)[l]:
		e := a.entry(set)
		t.must("%s must hold %s when it changes %s (%s).", a.who(e), a.objectOf(l), a.object(e), a.line(e, false))
	default:
		t.must("The check (%s) and the wait must be in one region of %s.", a.line(a.entry(check), false), a.objectOf(l))
	}
}

// condLock is the lock that a wait lets go of, 0 if that is not known.
func (a *analysis) condLock(ticket int) trace.ObjID {
	list := a.fail.byG[a.fail.events[ticket].G]
	for _, x := range list[a.fail.pos[ticket]+1:] {
		if op := a.fail.events[x].Op; op == trace.OpUnlock || op == trace.OpRUnlock {
			return a.fail.events[x].Obj
		}
	}
	return 0
}

// wokeAnother tells of a signal that another waiter got.
func (t *story) wokeAnother(group []int, sig, other int) {
	a := t.a
	t.missed, t.reason = true, true
	w := &t.s.waiters[group[0]]
	t.waiting(group, "")
	se, oe := a.entry(sig), a.entry(other)
	se.failing, se.passing = "wakes `"+a.fail.gname(oe.g)+"`", a.wakes(sig)
	again := a.waitsAgain(oe.g, w.Obj, other)
	more := ""
	if again {
		more = ", which waits again"
		oe.failing, oe.passing = "woken, waits again", "-"
	} else {
		oe.failing, oe.passing = "is woken", "-"
	}
	t.say(fmt.Sprintf("%s signalled %s (%s) and woke %s (%s)%s", a.who(se), a.object(se), a.at(se, false), a.who(oe), a.at(oe, false), more), se, oe)
	switch {
	case se.op != trace.OpSignal:
	case again:
		t.must("Those who wait for %s wait for different things: %s must be a Broadcast.", a.objectOf(w.Obj), a.line(se, true))
	default:
		t.must("%s must be a Broadcast, or whoever it wakes must signal the next.", title(a.line(se, true)))
	}
}

// wakes says whom a signal of the failing run wakes in a passing one.
func (a *analysis) wakes(sig int) string {
	if a.pass == nil || a.m.toPass[sig] < 0 {
		return "-"
	}
	woke := a.pass.signals().woke[a.m.toPass[sig]]
	if len(woke) == 0 {
		return "wakes nobody"
	}
	return "wakes `" + a.pass.gname(a.pass.events[woke[0]].G) + "`"
}

// waitsAgain reports whether g, woken from the wait that began at ticket, waited
// for obj next.
func (a *analysis) waitsAgain(g trace.GID, obj trace.ObjID, ticket int) bool {
	list := a.fail.byG[g]
	return slices.ContainsFunc(list[a.fail.pos[ticket]+1:], func(x int) bool {
		return a.fail.events[x].Op == trace.OpCondWait && a.fail.events[x].Obj == obj
	})
}
