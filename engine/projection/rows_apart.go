package projection

import (
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// apart words the columns of a row otherwise that read the same, where the runs differ
// there nevertheless.
func (a *analysis) apart(list []entry, e entry, failing, passing string) (string, string) {
	if a.pass == nil || e.late || e.ev < 0 || e.exact || e.failing != "" || e.ev == a.fail.fail {
		return failing, passing
	}
	if f, p, ok := a.related(list, e); ok {
		return f, p
	}
	p := a.m.toPass[e.ev]
	if p < 0 || !a.fail.events[e.ev].Reads() {
		return failing, passing
	}
	fs, ps := a.fail.src[e.ev], a.pass.src[p]
	if fs < 0 || ps < 0 || a.m.toPass[fs] == ps {
		return failing, passing
	}
	if f, p := a.fail.gname(a.fail.events[fs].G), a.pass.gname(a.pass.events[ps].G); f != p {
		return failing + ", by " + f, passing + ", by " + p
	}
	if f, p := a.fail.round(fs), a.pass.round(ps); f != p {
		return fmt.Sprintf("%s, time %d", failing, f), fmt.Sprintf("%s, time %d", passing, p)
	}
	return failing, passing
}

// lateAfter reports whether a step came before what the failing run had not come to,
// and in the passing run after it: o is another goroutine's, on the same object.
func (a *analysis) lateAfter(e, o entry) bool {
	if e.late || e.ev < 0 || e.obj == 0 || o.obj == 0 || e.g == o.g {
		return false
	}
	p := a.m.toPass[e.ev]
	return p > o.ev && o.r == a.pass && a.fail.Objects[e.obj].Name == a.pass.Objects[o.obj].Name &&
		(!e.op.IsMemory() || a.fail.events[e.ev].Writes() || o.writes())
}

// round says how often the goroutine of an event had done the same at the same place,
// that time included.
func (r *run) round(ev int) (n int) {
	for _, x := range r.byG[r.events[ev].G] {
		if x <= ev && r.events[x].Op == r.events[ev].Op && sameStack(r.stack(x), r.stack(ev)) {
			n++
		}
	}
	return n
}

// counterpart is what the passing run did at a step, -1 if nothing. A select that took
// another case, a call on a timer and the end of a context, whose channel has the name
// of whoever asked for it first, are not matched: they are found at the same place.
func (a *analysis) counterpart(e entry) int {
	p := a.m.toPass[e.ev]
	if p >= 0 || a.pass == nil || e.op != trace.OpSelect && e.op != trace.OpTimer && e.op != trace.OpTimerStop && !a.isContext(e.obj) {
		return p
	}
	list := a.fail.byG[e.g]
	at := slices.Index(list, e.ev)
	from, nth := -1, 0 // the matched event before, and how many like e came since
	for i := at - 1; i >= 0; i-- {
		if q := a.m.toPass[list[i]]; q >= 0 {
			from = q
			break
		}
		if a.fail.events[list[i]].Op == e.op && sameStack(a.fail.stack(list[i]), e.full) {
			nth++
		}
	}
	for i := range a.pass.events {
		x := &a.pass.events[i]
		if i <= from || x.Op != e.op || a.m.toFail[i] >= 0 || a.pass.Goroutines[x.G].Path != a.fail.Goroutines[e.g].Path || !sameStack(a.pass.stack(i), e.full) {
			continue
		}
		if nth == 0 {
			return i
		}
		nth--
	}
	return -1
}

// timerColumn is what a call that stops or sets a timer came to.
func timerColumn(r *run, ev int) string {
	switch {
	case ev < 0:
		return "-"
	case r.events[ev].Aux>>32 != 0:
		return "had not fired"
	case r.events[ev].Op == trace.OpTimerStop, r.events[ev].HasValue:
		return "had fired"
	}
	return "runs"
}
