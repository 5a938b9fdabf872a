package projection

import (
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/source"
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
	if f, p, ok := a.beforeFailure(e); ok {
		return f, p
	}
	if f, p := a.taken(a.fail, e.ev), a.taken(a.pass, a.m.toPass[e.ev]); f != p && f != "" && p != "" {
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
		return fmt.Sprintf("%s, its %s time", failing, ordinal(f)), fmt.Sprintf("%s, its %s time", passing, ordinal(p))
	}
	return failing, passing
}

// beforeFailure is for a close before the operation that failed of it, which a passing
// run does earlier or does not come to.
func (a *analysis) beforeFailure(e entry) (failing, passing string, ok bool) {
	p := a.m.toPass[e.ev]
	if e.op != trace.OpClose || a.fail.fail < 0 || p < 0 {
		return "", "", false
	}
	op, obj, ok := cause.FailedOn(a.fail.Trace)
	if !ok || obj != e.obj {
		return "", "", false
	}
	fails := a.entry(a.fail.fail)
	line := a.from(e, fails)
	st, path := a.fail.stack(a.fail.fail), a.fail.Goroutines[a.fail.events[a.fail.fail].G].Path
	for i := range a.pass.events {
		o := &a.pass.events[i]
		if o.Op == op && i < p && a.pass.Goroutines[o.G].Path == path && a.pass.Objects[o.Obj].Name == a.fail.Objects[obj].Name && sameStack(a.pass.stack(i), st) {
			return "before " + line, "after " + line, true
		}
	}
	return "before " + line, a.notReached(e, fails), true
}

// taken says who received a message or saw a close first, "" of other steps.
func (a *analysis) taken(r *run, ev int) string {
	if ev < 0 || !isSend(&r.events[ev]) && r.events[ev].Op != trace.OpClose {
		return ""
	}
	closes := r.events[ev].Op == trace.OpClose
	at := slices.IndexFunc(r.src, func(src int) bool { return src == ev })
	switch {
	case at < 0 && closes:
		return "nobody sees it"
	case at < 0:
		return "is not received"
	}
	by := entry{r: r, ev: at, g: r.events[at].G, op: r.events[at].Op, obj: r.events[at].Obj, stack: a.frames(r, r.events[at].G, r.events[at].Stack, r.events[at].Obj), full: r.stack(at)}
	own := entry{r: r, ev: ev, op: r.events[ev].Op, stack: a.frames(r, r.events[ev].G, r.events[ev].Stack, r.events[ev].Obj), full: r.stack(ev)}
	if len(by.stack) == 0 || len(own.stack) == 0 {
		return ""
	}
	if closes {
		return "seen at " + a.from(own, by)
	}
	return "received at " + a.from(own, by)
}

// ordinal of 3 is "3rd".
func ordinal(n int) string {
	end := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return fmt.Sprint(n) + end
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

const notShared = "not shared"

// lacking is the column of the passing run for a step that its trace lacks: plain accesses
// to what no other goroutine touches there are not recorded.
func (a *analysis) lacking(e entry) string {
	if a.pass == nil || !isPlain(e.op) || slices.ContainsFunc(a.pass.events, func(o trace.Event) bool {
		return o.Obj != 0 && a.pass.Objects[o.Obj].Name == a.fail.Objects[e.obj].Name
	}) {
		return "-"
	}
	if a.cameBy(e) {
		return notShared
	}
	return "-"
}

// cameBy reports whether the passing run must have come to a step that its trace lacks:
// it did something that comes later in the same block, or, where no condition decides
// about the step, anything later.
func (a *analysis) cameBy(e entry) bool {
	depth, at := 0, trace.Frame{} // where a condition decides: the frame, and how many there are up to it
	for i, f := range e.full {
		if len(a.fn(f).Controls(f.Line)) > 0 {
			depth, at = len(e.full)-i, f
			break
		}
	}
	for _, x := range a.fail.byG[e.g][a.fail.pos[e.ev]+1:] {
		if depth > 0 {
			st := a.fail.stack(x)
			if len(st) == 0 {
				continue
			}
			if !sameActivation(e.full, st, depth) || st[len(st)-depth].Line < at.Line {
				return false // another call or round
			}
			if !a.within(at, st[len(st)-depth]) {
				continue
			}
		}
		if a.m.toPass[x] >= 0 {
			return true
		}
	}
	return false
}

// within reports whether all that decides about one line of a function does so about
// another one.
func (a *analysis) within(line, other trace.Frame) bool {
	around := a.fn(other).Controls(other.Line)
	return !slices.ContainsFunc(a.fn(line).Controls(line.Line), func(c source.Control) bool {
		return !slices.ContainsFunc(around, func(o source.Control) bool {
			return o.Kind == c.Kind && o.Line == c.Line && o.Cond == c.Cond && o.Taken == c.Taken
		})
	})
}
