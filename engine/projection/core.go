package projection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/trace"
)

// farAway is the distance of an event that the failure does not depend on.
const farAway = 10

// Distances says how far the events of the failing run are from the failure, over
// data flow and dependences, from 0 to farAway; what the standard library does for itself
// counts as further away than all else.
func Distances(in Input) func(event int) float64 {
	a := newAnalysis(in)
	if a.fail.fail < 0 {
		return func(int) float64 { return 0 }
	}
	cost := map[int]float64{}
	for _, n := range a.slice(a.fail.fail) {
		cost[n.ev] = min(n.cost, farAway)
	}
	return func(ev int) float64 {
		if ev < len(a.fail.events) && a.isInternal(ev) {
			return cause.MostCost
		}
		if c, ok := cost[ev]; ok {
			return c
		}
		return farAway
	}
}

// isInternal is true of an event that says nothing to who only calls the function of the
// standard library in which it is: all that package testing does in Run, Parallel or Log,
// and elsewhere all but messages and cancels, which may be the user's.
func (a *analysis) isInternal(ev int) bool {
	e := a.entry(ev)
	switch {
	case slices.ContainsFunc(a.outside(e), func(f trace.Frame) bool { return trace.Package(f) == "testing" }):
		return true
	case !a.inStd(e):
		return false
	}
	op := a.fail.events[ev].Op
	return op.IsMemory() || trace.OpLock <= op && op <= trace.OpPoolPut || op == trace.OpOnceLoad
}

// coreCause makes the explanation of the core: its literals as units, and the guards
// that decided that their events happened, to depth 2. It reports whether there is
// one.
func (a *analysis) coreCause(set *rootSet) bool {
	if !a.in.Cause.Explains() {
		return false
	}
	set.limit = MaxRoot - 1 // and the failure
	units := a.coreUnits()
	a.several = len(units) > 1
	for i, u := range units {
		if i == 1 {
			a.addLiterals(set) // before what explains less
		}
		if set.add(a.members(u)...) {
			a.chosen = append(a.chosen, u)
		}
	}
	if len(a.chosen) == 1 {
		a.led = a.ledTo(a.chosen[0])
		if !set.add(a.led...) {
			a.led = nil
		}
	}
	return len(a.chosen) > 0
}

// coreUnits are the literals of the core as units: the misuse in which the run failed,
// if it did so, interrupted regions, those nearest to the failure first, and the rest.
func (a *analysis) coreUnits() []unit {
	used := map[cause.Literal]bool{}
	var out []unit
	if u, ok := a.misuseUnit(); ok {
		out = append(out, u)
	}
	core := slices.Clone(a.in.Cause.Core)
	slices.SortStableFunc(core, func(x, y cause.Literal) int { return y.After - x.After })
	for _, l := range core {
		if used[l] {
			continue
		}
		u, ok := a.tornUnit(l, used)
		if !ok {
			u, ok = a.literalUnit(l)
		}
		if ok {
			used[l] = true
			u.differs = true
			out = append(out, u)
		}
	}
	for i := range out {
		a.complete(&out[i])
		switch out[i].shape {
		case torn:
			out[i].extra = append(out[i].extra, a.wakeUps(&out[i])...)
			out[i].extra = append(out[i].extra, a.handover(&out[i])...)
		case ordered:
			out[i].extra = append(out[i].extra, a.handover(&out[i])...)
		}
	}
	slices.SortStableFunc(out, func(x, y unit) int { return x.rank() - y.rank() })
	return out
}

// rank orders the units of a core: the first one is told.
func (u *unit) rank() int {
	switch {
	case u.shape == misuse:
		return 0
	case u.shape == torn, u.toldReady():
		return 1
	}
	return 2
}

// tornUnit is a literal w < e, or p < w, as part of a region p..e of one goroutine that
// another's w interrupted. The other half is a literal of the core, about the same
// thing if there is one, or an access of e's goroutine to the same memory before.
func (a *analysis) tornUnit(l cause.Literal, used map[cause.Literal]bool) (unit, bool) {
	if !a.isOrder(l) {
		return unit{}, false
	}
	best, half, found := unit{}, cause.Literal{}, false
	consider := func(u unit, o cause.Literal) {
		if !found || a.fail.overlap(u.p, u.e) && !a.fail.overlap(best.p, best.e) {
			best, half, found = u, o, true
		}
	}
	for _, o := range a.in.Cause.Core {
		if o == l || !a.isOrder(o) {
			continue
		}
		if u, ok := a.interrupted(o, l); ok {
			consider(u, o)
		}
		if u, ok := a.interrupted(l, o); ok {
			consider(u, o)
		}
	}
	if !found || !a.fail.overlap(best.p, best.e) {
		if p := a.ownBefore(l.After, l.Before); p >= 0 && !a.follows(l.Before, p) {
			if u, ok := a.interrupted(cause.Literal{Before: p, After: l.Before}, l); ok {
				return u, true
			}
		}
		if e := a.ownAfter(l.Before, l.After); e >= 0 && !a.follows(e, l.After) {
			if u, ok := a.interrupted(l, cause.Literal{Before: l.After, After: e}); ok {
				return u, true
			}
		}
	}
	if found {
		used[half] = true
	}
	return best, found
}

// waitedFirst is true of a receive of which an order of the core says that it waited
// already when the other side sent.
func (a *analysis) waitedFirst(ev int) bool {
	return a.in.Cause != nil && isRecv(&a.fail.events[ev]) && slices.ContainsFunc(a.in.Cause.Core, func(l cause.Literal) bool {
		return l.Before == ev && !l.Late && l.After < ev && a.fail.src[ev] == l.After
	})
}

// follows reports whether y comes after x, of another goroutine, however the locks are
// taken: nothing can be done about that.
func (a *analysis) follows(y, x int) bool {
	last, ok := a.fail.before(y, a.fail.anyLock)[a.fail.events[x].G]
	return ok && last >= x
}

// isOrder is true of a literal about two events of the failing run before its failure.
func (a *analysis) isOrder(l cause.Literal) bool {
	return l.Before != cause.None && !l.Late && l.After < len(a.fail.Events) && l.After != a.fail.fail
}

// interrupted is a region of one goroutine that begins with first.Before and ends with
// last.After, where what another goroutine did in between is first.After or last.Before,
// the one that writes if only one does.
func (a *analysis) interrupted(first, last cause.Literal) (unit, bool) {
	r := a.fail
	p, e := first.Before, last.After
	if r.events[p].G != r.events[e].G || r.events[first.After].G != r.events[last.Before].G || p >= e {
		return unit{}, false
	}
	w := -1
	for _, x := range []int{last.Before, first.After} {
		if p < x && x < e && (w < 0 || r.events[x].Writes() && !r.events[w].Writes()) {
			w = x
		}
	}
	if w < 0 {
		return unit{}, false
	}
	if pe, ee := a.entry(p), a.entry(e); a.inStd(pe) && a.inStd(ee) && sameLines(pe.stack, ee.stack) {
		return unit{}, false // within one call
	}
	reg := a.region(p, e)
	u := unit{shape: torn, p: p, w: w, e: e, late: -1, region: reg}
	for _, x := range []int{first.After, last.Before} {
		if x != w && p < x && x < e {
			u.extra = append(u.extra, x)
		}
	}
	return u, reg != nil
}

// ownAfter is the first access of p's goroutine, after w, to what p accesses; -1 if
// there is none.
func (a *analysis) ownAfter(p, w int) int {
	if !a.fail.events[p].Op.IsMemory() {
		return -1
	}
	for _, x := range a.fail.touching(p) {
		if x > w && a.fail.events[x].G == a.fail.events[p].G {
			return x
		}
	}
	return -1
}

// ownBefore is the last access of e's goroutine, before w, to what e accesses; -1 if
// there is none.
func (a *analysis) ownBefore(e, w int) int {
	if !a.fail.events[e].Op.IsMemory() {
		return -1
	}
	list := a.fail.touching(e)
	for i := len(list) - 1; i >= 0; i-- {
		if x := list[i]; x < w && a.fail.events[x].G == a.fail.events[e].G {
			return x
		}
	}
	return -1
}

// literalUnit is a literal by itself.
func (a *analysis) literalUnit(l cause.Literal) (unit, bool) {
	r := a.fail
	u := unit{p: -1, w: l.Before, e: l.After, late: -1}
	switch {
	case l.Late:
		return a.lateUnit(l)
	case l.Before == cause.None:
		return a.choiceUnit(l.After)
	case l.After >= len(a.fail.Events) || l.After == r.fail:
		return u, false // it is told of the failure
	case r.events[l.Before].Op.IsMemory() && !r.events[l.Before].Writes():
		u.shape, u.w, u.e = early, l.After, l.Before
	default:
		u.shape = ordered
	}
	return u, true
}

// lateUnit is for what the failing run did not come to: a select there chose something
// else, or it was too late.
func (a *analysis) lateUnit(l cause.Literal) (unit, bool) {
	if a.pass == nil {
		return unit{}, false
	}
	late := a.late[l.After]
	if d := a.divergence(late); d >= 0 && a.fail.events[d].Op == trace.OpSelect && sameStack(a.fail.stack(d), a.pass.stack(late)) {
		if u, ok := a.choiceUnit(d); ok {
			return u, true
		}
	}
	e := a.lateEntry(late)
	if a.fail.fail >= 0 {
		if f := a.entry(a.fail.fail); e.r.gname(e.g) == f.r.gname(f.g) && sameLines(e.stack, f.stack) {
			return unit{}, false // in its place it failed
		}
	}
	return unit{shape: early, p: -1, w: -1, e: l.Before, late: late}, len(e.stack) > 0
}

// choiceUnit is a select that took the case that it took.
func (a *analysis) choiceUnit(ev int) (unit, bool) {
	u := unit{shape: choice, p: -1, w: a.fail.src[ev], e: ev, late: -1}
	u.extra = a.overlooked(ev)
	return u, u.w >= 0 || a.fail.events[ev].Op == trace.OpSelect && a.tookOther(a.entry(ev)) != ""
}

// tookOther is the case of a select that the passing run took instead, "" if it is the
// same or not known.
func (a *analysis) tookOther(e entry) string {
	p := a.counterpart(e)
	if p < 0 || len(e.stack) == 0 || a.fail.events[e.ev].Value == a.pass.events[p].Value {
		return ""
	}
	o := entry{r: a.pass, ev: p, g: a.pass.events[p].G, op: trace.OpSelect, obj: a.pass.events[p].Obj, stack: e.stack, full: e.full}
	line, text := a.selectCase(o)
	if text == "" {
		return ""
	}
	f := e.stack[0]
	f.Line = line
	return fmt.Sprintf("`%s` (%s)", text, a.lineOf(f, false))
}

// startedBy is the go statement with which the goroutine that came too late had started
// the one that came too early and read what was there before that.
func (a *analysis) startedBy(u *unit) []int {
	r := a.fail
	if e := &r.events[u.e]; !e.Reads() || e.Writes() {
		return nil
	}
	child := r.events[u.e].G
	var late trace.Goroutine
	if u.late >= 0 {
		late = a.pass.Goroutines[a.pass.events[u.late].G]
	} else {
		late = r.Goroutines[r.events[u.w].G]
	}
	for _, x := range r.byG[r.Goroutines[child].Parent] {
		e := &r.events[x]
		if e.Op == trace.OpSpawn && trace.GID(e.Aux) == child && r.src[u.e] < x && r.Goroutines[e.G].Path == late.Path && a.goesOn(a.entry(x), a.lateStack(u)) {
			return []int{x}
		}
	}
	return nil
}

func (a *analysis) lateStack(u *unit) []trace.Frame {
	if u.late >= 0 {
		return a.lateEntry(u.late).stack
	}
	return a.entry(u.w).stack
}

// goesOn is true if a stack is of the function of an entry, further down.
func (a *analysis) goesOn(e entry, st []trace.Frame) bool {
	return len(e.stack) > 0 && slices.ContainsFunc(st, func(f trace.Frame) bool {
		return f.Func == e.stack[0].Func && f.File == e.stack[0].File && f.Line > e.stack[0].Line
	})
}

// lateTimerCalls are what others did with the timer that started a unit's goroutine, to
// stop it or to set it again, when it had fired.
func (a *analysis) lateTimerCalls(u *unit) (out []int) {
	r := a.fail
	for _, ev := range []int{u.p, u.w, u.e} {
		if ev < 0 {
			continue
		}
		g := r.Goroutines[r.events[ev].G]
		at := strings.LastIndex(g.Path, ".t")
		if !g.ByTimer() || at < 0 {
			continue
		}
		number, _, _ := strings.Cut(g.Path[at+2:], ".")
		for i := range r.Events {
			e := &r.Events[i]
			waits := e.Aux>>32 != 0
			if (e.Op == trace.OpTimerStop || e.Op == trace.OpTimer && e.HasValue) && !waits && e.G != g.ID && !slices.Contains(out, i) &&
				trace.GID(e.Value) == g.Parent && fmt.Sprint(uint32(e.Aux)) == number && i < max(u.e, u.w) && len(a.userFrames(r.stack(i))) > 0 {
				out = append(out, i)
			}
		}
	}
	return out
}

// firedBefore says of calls that stop or set a timer that it had fired.
func (a *analysis) firedBefore(u unit) string {
	if len(u.timer) == 0 {
		return ""
	}
	e, did := a.entry(u.timer[0]), "set it again"
	if e.op == trace.OpTimerStop {
		did = "stopped it"
	}
	return fmt.Sprintf(" The timer that started %s had fired when %s %s (%s).", a.whoStarted(u), a.who(e), did, a.at(e, false))
}

// whoStarted is the goroutine of a unit that a timer started.
func (a *analysis) whoStarted(u unit) string {
	for _, ev := range []int{u.w, u.e, u.p} {
		if ev >= 0 && a.fail.Goroutines[a.fail.events[ev].G].ByTimer() {
			return a.who(a.entry(ev))
		}
	}
	return "it"
}
