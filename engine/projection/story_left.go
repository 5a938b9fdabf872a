package projection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// maxDepartures bounds the goroutines that are told of as missing.
const maxDepartures = 2

// departures tells what those did instead who let the waiter go on in a passing
// run.
func (t *story) departures(c *coming) {
	seen := map[trace.GID]bool{}
	for _, p := range c.none {
		g := c.m.pass.events[p].G
		if seen[g] || len(seen) == maxDepartures {
			continue
		}
		seen[g] = true
		t.departure(t.a.departed(c.m, p))
	}
}

// departure tells what one goroutine did instead of what was wanted of it.
func (t *story) departure(d departure) {
	a := t.a
	var want entry
	a.against(d.m, func() { want = a.lateEntry(d.want) })
	at := a.at(want, false)
	if d.g == 0 {
		t.because(fmt.Sprintf("%s, which %s in a passing run (%s), was not started", a.who(want), a.did(want, a.object(want)), at), want)
		return
	}
	who := "`" + a.fail.gname(d.g) + "`"
	clause, steps := t.turnWords(d, want, at)
	if e, ok := a.token(d); ok {
		got := "sent on"
		if isRecv(&a.fail.events[e.ev]) {
			got = "received from"
		}
		clause = fmt.Sprintf("had %s %s (%s), %s", got, a.object(e), a.at(e, false), clause)
		e.failing, e.passing = "never given back", fmt.Sprintf("given back (%s)", a.line(want, false))
		t.must("%s must give back what it took (%s) when it leaves there, too.", who, a.line(e, false))
		steps = append(steps, e)
	}
	switch ret := a.returnEntry(d); {
	case d.ev >= 0 && ret.ev != -2 && a.line(ret, false) == a.line(a.entry(d.ev), false):
		clause = and(clause) + "returned"
	case ret.ev == -2:
		if d.ended {
			clause = and(clause) + "ended"
		}
	default:
		clause = and(clause) + fmt.Sprintf("returned (%s)", a.at(ret, false))
		steps = append(steps, ret)
	}
	undone := a.doing(d.m.pass, d.want)
	switch {
	case clause == "":
		clause = fmt.Sprintf("did not get to %s (%s)", strings.TrimPrefix(undone, "coming to "), at)
	case strings.Contains(clause, "instead of"):
	case t.s.waits(d.g) != nil && a.canCome(t.s.waits(d.g), want):
		clause = and(strings.TrimSuffix(clause, ",")+",") + t.undone(d.m, d.want, t.s.waits(d.g))
	case !a.didAfter(d):
		clause += fmt.Sprintf(" without %s%s (%s)", undone, a.onceMore(d), at)
	}
	if len(steps) == 0 {
		want.failing, want.passing = "-", "runs"
		steps = append(steps, want)
	}
	t.because(who+" "+clause, steps...)
	t.repair(d)
	t.lateAdd(d)
}

// onceMore is " again" if the last that a goroutine did before it left is what is wanted
// of it.
func (a *analysis) onceMore(d departure) string {
	if d.ev < 0 {
		return ""
	}
	did, want := &a.fail.events[d.ev], &d.m.pass.events[d.want]
	if isRecv(did) && isRecv(want) && a.fail.varName(did.Obj) == d.m.pass.varName(want.Obj) {
		return " again"
	}
	return ""
}

// didAfter reports whether a goroutine, after it left the way on which it does what is
// wanted of it, did the same elsewhere.
func (a *analysis) didAfter(d departure) bool {
	want := &d.m.pass.events[d.want]
	name := d.m.pass.varName(want.Obj)
	return slices.ContainsFunc(a.fail.byG[d.g], func(x int) bool {
		e := &a.fail.events[x]
		return x > d.ev && d.ev >= 0 && e.Op == want.Op && a.fail.varName(e.Obj) == name
	})
}

// lateAdd tells, if what made the goroutine leave followed a Wait, of an Add that
// the Wait did not see.
func (t *story) lateAdd(d departure) {
	a := t.a
	if d.by < 0 || d.later {
		return
	}
	list := a.fail.byG[a.fail.events[d.by].G]
	for i := a.fail.pos[d.by] - 1; i >= 0; i-- {
		wait := list[i]
		if a.fail.events[wait].Op != trace.OpWGWait {
			continue
		}
		for x := wait + 1; x < len(a.fail.events); x++ {
			e := &a.fail.events[x]
			if e.Op != trace.OpWGAdd || e.Obj != a.fail.events[wait].Obj || len(a.userFrames(a.fail.stack(x))) == 0 {
				continue
			}
			we, ae := a.entry(wait), a.entry(x)
			we.failing, we.passing = fmt.Sprintf("before %s", a.line(ae, false)), "-"
			ae.failing, ae.passing = fmt.Sprintf("after %s", a.line(we, false)), "-"
			if a.addedBefore(d.m, wait, x) {
				we.passing, ae.passing = fmt.Sprintf("after %s", a.line(ae, false)), fmt.Sprintf("before %s", a.line(we, false))
			}
			t.because(fmt.Sprintf("%s had returned from Wait on %s (%s) before %s called Add (%s)",
				a.who(we), a.object(we), a.at(we, false), a.who(ae), a.at(ae, false)), we, ae)
			t.advice = fmt.Sprintf("The Add (%s) must come before the Wait (%s), in the goroutine that starts %s.", a.line(ae, false), a.line(we, false), a.who(ae))
			return
		}
		return
	}
}

// addedBefore reports whether the passing run has the Add before the Wait.
func (a *analysis) addedBefore(m *matching, wait, add int) bool {
	w, x := m.toPass[wait], m.toPass[add]
	return w >= 0 && x >= 0 && x < w
}

func and(clause string) string {
	if clause == "" {
		return ""
	}
	return clause + " and "
}

// token is, where a goroutine was to send on a buffered channel or receive from
// it, what it had done the other way round before: it has a token that others
// wait for.
func (a *analysis) token(d departure) (entry, bool) {
	want := &d.m.pass.events[d.want]
	if d.ev < 0 || d.m.pass.capacity(want.Obj) <= 0 {
		return entry{}, false
	}
	name := d.m.pass.Objects[want.Obj].Name
	list := a.fail.byG[d.g]
	for i := a.fail.pos[d.ev] - 1; i >= 0; i-- {
		e := &a.fail.events[list[i]]
		if int(e.Obj) >= len(a.fail.Objects) || a.fail.Objects[e.Obj].Name != name || len(a.userFrames(a.fail.stack(list[i]))) == 0 {
			continue
		}
		if isSend(want) && isRecv(e) || isRecv(want) && isSend(e) {
			return a.entry(list[i]), true
		}
		return entry{}, false
	}
	return entry{}, false
}

// turnWords says what the goroutine saw or took, and who decided that.
func (t *story) turnWords(d departure, want entry, at string) (string, []entry) {
	if d.ev < 0 {
		return "", nil
	}
	a := t.a
	e := a.entry(d.ev)
	clause := fmt.Sprintf("%s (%s)", a.did(e, a.object(e)), a.at(e, false))
	instead := ""
	if e.op == trace.OpSelect && want.op == trace.OpSelect && sameStack(e.stack, want.stack) {
		if _, text := a.selectCase(want); text != "" && !strings.Contains(clause, "`"+text+"`") {
			instead = fmt.Sprintf(" instead of `%s` (%s)", text, at)
			e.failing, e.passing = "taken", fmt.Sprintf("`%s`", text)
		}
	}
	steps := []entry{e}
	if d.by >= 0 && a.fail.events[d.by].G != d.g {
		by := a.entry(d.by)
		if d.later {
			clause += fmt.Sprintf(", before %s %s (%s),", a.who(by), a.did(by, a.again(e, by)), a.at(by, false))
		} else {
			clause += ", " + a.decidedBy(e, by) + ","
		}
		steps = append(steps, by)
	}
	return clause + instead, steps
}

// decidedBy says what another goroutine did that e saw: "which `x` sent (12)",
// "after `x` had set it (12)".
func (a *analysis) decidedBy(e, by entry) string {
	b := &a.fail.events[by.ev]
	switch {
	case isRecv(&a.fail.events[e.ev]) && isSend(b):
		return fmt.Sprintf("which %s sent (%s)", a.who(by), a.at(by, false))
	case isRecv(&a.fail.events[e.ev]) && b.Op == trace.OpClose && cancels(a.outside(by)):
		return "after " + a.hadDone(e, by)
	case isRecv(&a.fail.events[e.ev]) && b.Op == trace.OpClose:
		return fmt.Sprintf("which %s closed (%s)", a.who(by), a.at(by, false))
	}
	return "after " + a.hadDone(e, by)
}

// hadDone is what another goroutine had done before e: "`x` had set it (12)".
func (a *analysis) hadDone(e, by entry) string {
	did := a.did(by, a.again(e, by))
	if rest, ok := strings.CutPrefix(did, "wrote "); ok {
		did = "written " + rest
	} else if rest, ok := strings.CutPrefix(did, "took "); ok {
		did = "taken " + rest
	}
	return fmt.Sprintf("%s had %s (%s)", a.who(by), did, a.at(by, false))
}

// returnEntry is the return of a departure as a step; its ev is -2 if there is none.
func (a *analysis) returnEntry(d departure) entry {
	if d.ret.Line == 0 {
		return entry{ev: -2}
	}
	e := entry{r: a.fail, ev: -1, g: d.g, op: trace.OpEnd, stack: []trace.Frame{d.ret}, failing: "returns", passing: "goes on"}
	from := d.ev
	if from < 0 {
		from = a.lastCommon(&d)
	}
	e.order = float64(from) + 0.25
	return e
}

// doing is an event of a run as what was left undone.
func (a *analysis) doing(r *run, ev int) string {
	e := &r.events[ev]
	obj := a.objectAt(r, ev)
	if c := a.callOf(r.stack(ev)); c != "" {
		return "coming to `" + c + "`"
	}
	switch {
	case isSend(e):
		return "sending on " + obj
	case isRecv(e):
		return "receiving from " + obj
	}
	switch e.Op {
	case trace.OpClose, trace.OpNetClose:
		return "closing " + obj
	case trace.OpWGDone:
		return "calling Done on " + obj
	case trace.OpSignal, trace.OpBroadcast:
		return "signalling " + obj
	case trace.OpUnlock, trace.OpRUnlock:
		return "unlocking " + obj
	case trace.OpSpawn:
		return "starting it"
	}
	if e.Writes() {
		return "setting " + obj
	}
	return opWord(e.Op) + " of " + obj
}

// callOf is the text of the user's line that called into the standard library, if
// it is a plain call.
func (a *analysis) callOf(stack []trace.Frame) string {
	st := a.userFrames(stack)
	if len(st) == 0 || !a.isStd(stack[0]) {
		return ""
	}
	s := strings.TrimPrefix(a.files.File(a.abs(st[0].File)).Line(st[0].Line), "defer ")
	if _, value, ok := strings.Cut(s, "= "); ok {
		s = value
	}
	if !strings.HasSuffix(s, ")") || strings.ContainsAny(s, "`{=") {
		return ""
	}
	return s
}

// repair says what the goroutine that left must do, too, where that is a repair.
func (t *story) repair(d departure) {
	place, early := "it leaves", false
	if r := t.a.returnEntry(d); r.ev != -2 {
		place, early = "it returns at "+t.a.line(r, true), true
	}
	who := "`" + t.a.fail.gname(d.g) + "`"
	want, obj := &d.m.pass.events[d.want], t.a.objectAt(d.m.pass, d.want)
	switch call := t.a.callOf(d.m.pass.stack(d.want)); {
	case want.Op == trace.OpClose && early && call != "":
		t.must("%s must also come to `%s` when %s.", who, call, place)
	case want.Op == trace.OpClose && early:
		t.must("%s must close %s when %s, too.", who, obj, place)
	case want.Op == trace.OpWGDone:
		t.must("%s must call Done on %s when %s, too.", who, obj, place)
	case want.Op == trace.OpUnlock, want.Op == trace.OpRUnlock:
		t.must("%s must unlock %s when %s, too.", who, obj, place)
	}
}
