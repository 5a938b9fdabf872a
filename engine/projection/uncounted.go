package projection

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/trace"
)

// uncounted is why a step came before one that it should have come after although its
// goroutine had waited: what it waited for did not count the other goroutine yet. In the
// passing run, that wait is the link between the two.
func (a *analysis) uncounted(u *unit) (wait, add entry, ok bool) {
	if u.w >= 0 && u.e > u.w && (u.shape == misuse || u.shape == ordered) {
		if wait, add, ok := a.uncountedIn(u.w, u.e); ok {
			return wait, add, true
		}
	}
	if a.pass == nil || u.shape != early || u.late < 0 {
		return entry{}, entry{}, false
	}
	late := a.pass.byG[a.pass.events[u.late].G][:a.pass.pos[u.late]]
	before := a.fail.byG[a.fail.events[u.e].G][:a.fail.pos[u.e]]
	for i := len(before) - 1; i >= 0; i-- {
		w := &a.fail.events[before[i]]
		if w.Op != trace.OpWGWait {
			continue
		}
		for _, y := range late {
			o := &a.pass.events[y]
			if o.Op != trace.OpWGAdd || a.pass.Object(o.Obj).Name != a.fail.Object(w.Obj).Name {
				continue
			}
			switch f := a.m.toFail[y]; {
			case f < 0:
				add = a.lateEntry(y)
			case f > before[i]:
				add = a.entry(f)
			default:
				continue
			}
			wait = a.entry(before[i])
			return wait, add, len(wait.stack) > 0 && len(add.stack) > 0
		}
	}
	return entry{}, entry{}, false
}

// uncountedIn is the same of two steps of the failing run: the goroutine of the first one
// waited before that, and the other one called Add on what it had waited for.
func (a *analysis) uncountedIn(first, second int) (wait, add entry, ok bool) {
	waits := map[trace.ObjID]int{}
	for _, x := range a.fail.byG[a.fail.events[first].G][:a.fail.pos[first]] {
		if e := &a.fail.events[x]; e.Op == trace.OpWGWait {
			waits[e.Obj] = x
		}
	}
	for _, x := range a.fail.byG[a.fail.events[second].G][:a.fail.pos[second]] {
		e := &a.fail.events[x]
		if at, ok := waits[e.Obj]; ok && e.Op == trace.OpWGAdd && at < x {
			wait, add = a.entry(at), a.entry(x)
			return wait, add, len(wait.stack) > 0 && len(add.stack) > 0
		}
	}
	return entry{}, entry{}, false
}

// uncountedWords tell that, and what must hold.
func (a *analysis) uncountedWords(u *unit) (sentence, must string) {
	wait, add, ok := a.uncounted(u)
	if !ok {
		return "", ""
	}
	if read, write, ok := a.checkedFirst(wait, add); ok {
		c, w := a.entry(read), a.entry(write)
		must, _ = a.regionWords(unit{p: read, region: a.region(read, add.ev)}, w)
		return fmt.Sprintf(" %s had %s (%s) before %s %s (%s) and waited for %s (%s), and then called Add on that (%s).", title(a.who(c)), a.did(c, a.object(c)), a.at(c, false),
			a.who(w), a.did(w, a.again(c, w)), a.at(w, false), a.object(wait), a.at(wait, false), a.at(add, false)), must
	}
	sentence = fmt.Sprintf(" %s had waited for %s (%s) before %s called Add on it (%s).", title(a.who(wait)), a.object(wait), a.at(wait, false), a.who(add), a.at(add, false))
	st := a.userFrames(add.r.stackOf(add.r.Goroutine(add.g).Spawn))
	switch {
	case len(st) == 0:
		return sentence, a.mustPrecede(add, wait)
	case inTestFile(st[0]) && !inTestFile(a.shown(add)):
		return sentence, "" // the test starts what the program has to count
	}
	return sentence, fmt.Sprintf("%s must come before the go statement of %s.", title(a.line(add, true)), a.lineOf(st[0], true))
}

// checkedFirst is the read on which it depended that a goroutine called Add, and what
// whoever had waited by then wrote of that in between, before it waited: a flag that says
// that nothing may begin any more. It is known where one function of the first goroutine
// reads and adds.
func (a *analysis) checkedFirst(wait, add entry) (read, write int, ok bool) {
	if add.late || add.ev < 0 {
		return 0, 0, false
	}
	r := a.fail
	for _, d := range a.deps(r, add.ev, false) {
		if d.ctl == nil || !r.events[d.ev].Op.IsMemory() || a.region(d.ev, add.ev) == nil {
			continue
		}
		for _, x := range r.touching(d.ev) {
			if d.ev < x && x < wait.ev && r.events[x].G == wait.g && r.changed(d.ev, x) {
				return d.ev, x, true
			}
		}
	}
	return 0, 0, false
}
