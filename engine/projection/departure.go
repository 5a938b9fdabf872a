package projection

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// departure is how a goroutine of the failing run left the way on which, in a
// passing run, it would have let another one go on.
type departure struct {
	m     *matching
	want  int         // the passing run's event that never came
	g     trace.GID   // 0 if the failing run has no such goroutine
	ev    int         // what it saw or took instead, -1 if that is not known
	by    int         // the event of another goroutine that decided that, -1
	later bool        // by would have decided otherwise, had it come before
	ret   trace.Frame // the line at which it returned, 0 if that is not known
	ended bool
}

// departed explains why the event want of a passing run is missing.
func (a *analysis) departed(m *matching, want int) departure {
	d := departure{m: m, want: want, ev: -1, by: -1}
	d.g = a.inFail(m.pass, m.pass.events[want].G)
	if d.g == 0 {
		return d
	}
	d.ended = a.hasEnded(d.g)
	a.against(m, func() {
		d.ev = a.turn(want, d.g)
		d.by, d.later = a.decider(d.ev)
	})
	d.ret = a.returned(&d)
	return d
}

// hasEnded reports whether a goroutine came to its end.
func (a *analysis) hasEnded(g trace.GID) bool {
	return a.fail.Goroutines[g].Ended || g == 1 && a.fail.Outcome.Kind == trace.Leaked
}

// against looks at another passing run for a while.
func (a *analysis) against(m *matching, f func()) {
	pass, old := a.pass, a.m
	defer func() { a.pass, a.m = pass, old }()
	a.pass, a.m = m.pass, m
	f()
}

// turn is the event of goroutine g that made it do something else than come to
// the passing run's event want.
func (a *analysis) turn(want int, g trace.GID) int {
	for _, d := range a.deps(a.pass, want, false) { // what decided there
		f := a.m.toFail[d.ev]
		if d.ctl != nil && f >= 0 && a.isChoice(f) && a.fail.events[f].Value != a.pass.events[d.ev].Value && !a.opaque(&a.fail.events[f]) {
			return f
		}
	}
	if d := a.divergence(want); d >= 0 && a.isChoice(d) {
		return d
	}
	list := a.fail.byG[g]
	for i := len(list) - 1; i >= 0; i-- {
		x := list[i]
		if !a.isChoice(x) {
			continue
		}
		p := a.m.toPass[x]
		if p < 0 || a.fail.events[x].Value != a.pass.events[p].Value && !a.opaque(&a.fail.events[x]) || !a.sameSource(x, p) {
			return x
		}
		if p < want && i < len(list)-1 && a.pass.events[p].G == a.pass.events[want].G {
			// What it saw last was the same, save what is in a message.
			if isRecv(&a.fail.events[x]) {
				return x
			}
			return -1
		}
	}
	return -1
}

// isChoice reports whether an event of the user's code can decide a branch.
func (a *analysis) isChoice(ev int) bool {
	return isQuery(&a.fail.events[ev]) && len(a.userFrames(a.fail.stack(ev))) > 0
}

// maxDecider bounds how far behind a choice its reason is looked for.
const maxDecider = 16

// decider is the event of another goroutine that decided what event ev saw, or
// that came too late to do so.
func (a *analysis) decider(ev int) (by int, later bool) {
	if ev < 0 {
		return -1, false
	}
	foreign := func(r *run, s, g int) bool {
		return s >= 0 && r.events[s].G != r.events[g].G && len(a.userFrames(r.stack(s))) > 0 && !isLockOp(r.events[s].Op) && !r.always(s, g)
	}
	nodes := a.slice(ev)
	for _, n := range nodes[:min(len(nodes), maxDecider)] {
		if a.fail.events[n.ev].G != a.fail.events[ev].G {
			continue
		}
		message := isRecv(&a.fail.events[n.ev])
		if s := a.fail.src[n.ev]; foreign(a.fail, s, n.ev) && (!a.sameFlow(n.ev) || message && n.ev == ev) {
			return s, false
		}
		p := a.m.toPass[n.ev]
		if message || p < 0 || !foreign(a.pass, a.pass.src[p], p) {
			continue
		}
		if f := a.m.toFail[a.pass.src[p]]; f > n.ev {
			return f, true
		}
	}
	return -1, false
}

// always reports whether a read of memory follows the write that it saw in every
// run.
func (r *run) always(write, read int) bool {
	if !r.events[read].Op.IsMemory() {
		return false
	}
	last, ok := r.before(read, r.anyLock)[r.events[write].G]
	return ok && last >= write
}

// returned is the line of the return by which the goroutine left the function in
// which it parted from the passing run: known where a deferred call ran there, or
// where the source leaves no other way.
func (a *analysis) returned(d *departure) trace.Frame {
	from := d.ev
	if from < 0 {
		from = a.lastCommon(d)
	}
	if from < 0 {
		return trace.Frame{}
	}
	st := a.userFrames(a.fail.stack(from))
	i, past := part(st, a.userFrames(d.m.pass.stack(d.want)))
	if i < 0 {
		return trace.Frame{}
	}
	chosen := 0 // the frame in which it chose
	if a.isAccessor(st) {
		chosen = 1
	}
	if f := a.returnFrom(d.g, from, chosen, 0); chosen < i && d.ev >= 0 && f.Line > 0 {
		return f
	}
	return a.returnFrom(d.g, from, i, past)
}

// lastCommon is the last event that the goroutine has in common with the passing
// run before want.
func (a *analysis) lastCommon(d *departure) int {
	list := a.fail.byG[d.g]
	for i := len(list) - 1; i >= 0; i-- {
		if p := d.m.toPass[list[i]]; p >= 0 && p < d.want && len(a.userFrames(a.fail.stack(list[i]))) > 0 {
			return list[i]
		}
	}
	return -1
}

// part is the index of the frame of st in which it parts from stack to, and the
// line of to there: 0 if they have no such function in common.
func part(st, to []trace.Frame) (int, int) {
	i, j := len(st)-1, len(to)-1
	for i > 0 && j > 0 && st[i] == to[j] {
		i--
		j--
	}
	switch {
	case i < 0:
		return -1, 0
	case j >= 0 && st[i].Func == to[j].Func:
		return i, to[j].Line
	}
	return i, 0
}

// returnFrom is the line at which goroutine g returned from the activation of
// user frame i of event from; past is a line to which it did not come, 0 if none
// is known, and neither to the lines in not.
func (a *analysis) returnFrom(g trace.GID, from, i, past int, not ...int) trace.Frame {
	st := a.userFrames(a.fail.stack(from))
	f := st[i]
	fn := a.files.File(a.abs(f.File)).Func(f.Func, f.Line)
	returns := slices.DeleteFunc(fn.Returns(), func(r int) bool {
		return slices.ContainsFunc(not, func(l int) bool { return l < r && follows(fn, l, r) == straight })
	})
	line := f.Line
	if e := a.entry(from); i == 0 && e.op == trace.OpSelect {
		if l, _ := a.selectCase(e); l > 0 {
			line = l
		}
	}
	below, left := len(st)-i, a.hasEnded(g)
	list := a.fail.byG[g]
	for _, x := range list[a.fail.pos[from]+1:] {
		xs := a.userFrames(a.fail.stack(x))
		if len(xs) == 0 {
			continue
		}
		if !sameActivation(st, xs, below) {
			left = true
			break
		}
		l := xs[len(xs)-below].Line
		if slices.Contains(returns, l) {
			return trace.Frame{Func: f.Func, File: f.File, Line: l}
		}
		if l != fn.End() { // where deferred calls run
			line = max(line, l)
		}
	}
	if !left {
		return trace.Frame{}
	}
	if l := a.onlyReturn(fn, returns, line, past); l > 0 {
		return trace.Frame{Func: f.Func, File: f.File, Line: l}
	}
	return trace.Frame{}
}

// onlyReturn chooses among the returns of a function, after line and before the
// line that was not reached: the one that what runs at line decided; or else the
// one to which all ways lead.
func (a *analysis) onlyReturn(fn *source.Func, returns []int, line, past int) int {
	var fits []int
	for _, r := range returns {
		if r < line || past > line && r > past {
			continue
		}
		way := follows(fn, line, r)
		switch {
		case way == decided:
			return r
		case way != never:
			fits = append(fits, r)
		}
		if way == straight {
			break
		}
	}
	if len(fits) == 1 {
		return fits[0]
	}
	return 0
}

// way is how a line of a function can follow another one without going round a
// loop.
type way int

const (
	never    way = iota
	may          // other conditions in between
	decided      // a condition on what ran at the first
	straight     // no condition in between
)

func follows(fn *source.Func, from, to int) way {
	here := map[int]source.Control{}
	for _, c := range fn.Controls(from) {
		here[c.Line] = c
	}
	out := straight
	for _, c := range fn.Controls(to) {
		h, same := here[c.Line]
		has := func(s source.Span) bool { return s.Has(from) }
		switch {
		case c.Kind == source.Guard:
		case c.Kind == source.Select && c.Line == from:
			return decided
		case same:
			if h.Taken != c.Taken || h.Cond != c.Cond {
				return never
			}
		case slices.ContainsFunc(c.Spans, has) || slices.ContainsFunc(fn.CondUses(c).Spans, has):
			out = decided
		case c.Line < from:
			return never
		case out == straight:
			out = may
		}
	}
	return out
}
