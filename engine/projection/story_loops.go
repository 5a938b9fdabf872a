package projection

import (
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// loops tells of goroutines that go round for ever.
func (t *story) loops() {
	for i := range t.s.waiters {
		if i < maxGroups {
			t.round(&t.s.waiters[i])
		}
	}
}

// round tells the lines of one loop, what it reads there each time, and why that
// does not change.
func (t *story) round(w *waiter) {
	a := t.a
	body := a.lastRound(w.G)
	e := a.waitEntry(w)
	e.failing, e.passing = "goes round for ever", "leaves the loop"
	if a.pass == nil {
		e.passing = "-"
	}
	lines := a.at(e, true)
	if from, to := a.loopLines(e.stack, body); from > 0 && from < to {
		lines = fmt.Sprintf("lines %d-%d", from, to)
	}
	text := fmt.Sprintf("%s goes round for ever (%s)", a.who(e), lines)
	steps := []entry{e}
	var turn *departure
	var lock *holder
	for _, x := range body {
		if !a.isChoice(x) {
			continue
		}
		r := a.entry(x)
		text += fmt.Sprintf(": each time it %s (%s)", a.reads(r), a.at(r, false))
		m, want := a.otherwise(x)
		r.failing, r.passing = "each time the same", "-"
		if m != nil {
			r.passing = "changes"
			if d := a.departed(m, want); m.toFail[want] < 0 {
				turn = &d
			}
		}
		if l := a.fail.held()[r.obj]; isTry(r.op) && len(l) > 0 && l[0].g != w.G {
			lock = &l[0]
			he := a.held(*lock)
			text += fmt.Sprintf(", which %s %s (%s) and never unlocked", a.who(he), lock.took(), a.at(he, false))
			steps = append(steps, he)
		}
		if len(steps) == 1 && !sameLines(r.stack, e.stack) {
			steps = append(steps, r)
		}
		break
	}
	t.say(text, steps...)
	switch {
	case lock != nil:
		t.kept(*lock)
	case turn != nil:
		t.departure(*turn)
	}
}

// reads is what a look at a variable or a lock found, in the present tense.
func (a *analysis) reads(e entry) string {
	obj := a.object(e)
	switch v := e.r.value(e.ev); {
	case isTry(e.op):
		return "fails to lock " + obj
	case v != "":
		return fmt.Sprintf("reads %s from %s", v, obj)
	case e.op == trace.OpAtomicCAS:
		return "fails to swap " + obj
	}
	return "reads " + obj
}

// maxRound bounds the length of a loop in events.
const maxRound = 200

// lastRound are the last events of a goroutine up to where they begin to repeat.
func (a *analysis) lastRound(g trace.GID) []int {
	var out []int
	list := a.fail.byG[g]
	for i := len(list) - 1; i >= 0 && len(out) < maxRound; i-- {
		x := list[i]
		if isNoise(a.fail.events[x].Op) || len(a.userFrames(a.fail.stack(x))) == 0 {
			continue
		}
		if len(out) > 0 && a.fail.events[x].Op == a.fail.events[out[0]].Op && sameStack(a.fail.stack(x), a.fail.stack(out[0])) {
			break
		}
		out = append(out, x)
	}
	slices.Reverse(out)
	return out
}

// loopLines are the lines of the innermost loop around all events of a round.
func (a *analysis) loopLines(at []trace.Frame, body []int) (from, to int) {
	for _, f := range at {
		fn := a.files.File(a.abs(f.File)).Func(f.Func, f.Line)
		loop, ok := fn.Loop(f.Line)
		if !ok {
			continue
		}
		if all(body, func(x int) bool {
			return slices.ContainsFunc(a.userFrames(a.fail.stack(x)), func(o trace.Frame) bool { return o.Func == f.Func && loop.Has(o.Line) })
		}) {
			return loop.From, loop.To
		}
	}
	return 0, 0
}

func all(list []int, ok func(int) bool) bool {
	return !slices.ContainsFunc(list, func(x int) bool { return !ok(x) })
}

// otherwise finds a passing run in which a read of the loop got another value, and
// the event that wrote it there.
func (a *analysis) otherwise(ev int) (*matching, int) {
	e := &a.fail.events[ev]
	for _, m := range a.matchings() {
		g := m.pass.byPath(a.fail.Goroutines[e.G].Path)
		for _, p := range m.pass.byG[g] {
			o := &m.pass.events[p]
			if o.Op != e.Op || o.Value == e.Value || !sameStack(m.pass.stack(p), a.fail.stack(ev)) {
				continue
			}
			if s := m.pass.src[p]; s >= 0 && m.pass.events[s].G != o.G && len(a.userFrames(m.pass.stack(s))) > 0 {
				return m, s
			}
		}
	}
	return nil, -1
}
