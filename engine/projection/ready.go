package projection

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// toldReady is true of what came too early because it had read that all was ready:
// extra is what said so, and the read.
func (u *unit) toldReady() bool { return u.shape == early && len(u.extra) == 2 }

// letOn is what the goroutine that came too late had written before, and what the one
// that came too early read of it to come there.
func (a *analysis) letOn(u *unit) []int {
	r, late := a.fail, a.lateGoroutine(u)
	for i, f := range r.stack(u.e) {
		for _, cond := range a.fn(f).Conditions(f.Line) {
			for _, x := range r.passage(u.e, i, []source.Span{cond}) {
				src := r.src[x]
				if src < 0 || !r.events[x].Op.IsMemory() || r.overlap(x, u.e) || r.Goroutines[r.events[src].G].Path != late {
					continue
				}
				if len(a.userFrames(r.stack(src))) > 0 {
					return []int{src, x}
				}
			}
		}
	}
	return nil
}

// toldBy is the same where an order of the core says so: that a value was read before
// the failing step, and written by whoever came too late for that.
func (a *analysis) toldBy(u *unit) []int {
	if !a.in.Cause.Explains() {
		return nil
	}
	r, late := a.fail, a.lateGoroutine(u)
	for _, l := range a.in.Cause.Core {
		if l.Before == cause.None || l.Late || l.After >= u.e || r.src[l.After] != l.Before {
			continue
		}
		if r.events[l.After].Op.IsMemory() && r.events[l.After].G == r.events[u.e].G && !r.overlap(l.After, u.e) &&
			r.Goroutines[r.events[l.Before].G].Path == late && len(a.userFrames(r.stack(l.Before))) > 0 {
			return []int{l.Before, l.After}
		}
	}
	return nil
}

// halfRead is what the goroutine that came too late had written before, and what the one
// that came too early had read of it, where the failure depends on that, too: of two values
// it read the new one and the old one.
func (a *analysis) halfRead(u *unit) []int {
	r, late := a.fail, a.lateGoroutine(u)
	for _, x := range slices.Backward(r.byG[r.events[u.e].G][:r.pos[u.e]]) {
		src := r.src[x]
		if src < 0 || !r.events[x].Op.IsMemory() || r.events[x].Writes() || a.edges[x] == nil || r.overlap(x, u.e) || a.region(x, u.e) == nil || !a.reaches(x, u.e) {
			continue
		}
		if r.Goroutines[r.events[src].G].Path == late && len(a.userFrames(r.stack(src))) > 0 {
			return []int{src, x}
		}
	}
	return nil
}

// reaches reports whether what a read found decided about what followed, by value or
// condition: about a later read in the function that both are called from, the failure, or
// what the function returned.
func (a *analysis) reaches(x, e int) bool {
	st := a.fail.stack(x)
	f, g := commonFrame(st, a.fail.stack(e))
	for _, s := range st {
		fn := a.fn(s)
		if s == f {
			lines := append(fn.Returns(), g.Line)
			if last := a.fail.fail; a.fail.inTurn(x, last) {
				if own, fails := commonFrame(st, a.fail.stack(last)); own == f {
					lines = append(lines, fails.Line)
				}
			}
			return decides(fn, f.Line, lines)
		}
		if fn != nil && !a.isStd(s) && !decides(fn, s.Line, fn.Returns()) {
			return false
		}
	}
	return false
}

// decides reports whether what a line did decides about others: they use it, or it is
// asked before they are come to.
func decides(fn *source.Func, line int, others []int) bool {
	has := func(list []source.Span) bool {
		return slices.ContainsFunc(list, func(s source.Span) bool { return s.Has(line) })
	}
	return slices.ContainsFunc(others, func(o int) bool {
		return o == line || has(fn.StmtUses(o).Spans) || slices.ContainsFunc(fn.Controls(o), func(c source.Control) bool {
			return has(c.Spans) || has(fn.CondUses(c).Spans)
		})
	})
}

// announced is the last message that the goroutine that came too late had sent before
// that, and where the one that came too early had received it: nothing that is done
// after a message is there for who receives it.
func (a *analysis) announced(u *unit) []int {
	r := a.fail
	if !r.events[u.e].Op.IsMemory() || !r.events[u.e].Reads() {
		return nil
	}
	for _, x := range slices.Backward(r.byG[r.events[u.e].G][:r.pos[u.e]]) {
		for _, src := range slices.Backward(r.messages(x)) {
			if a.sentBefore(src, u) && len(a.userFrames(r.stack(src))) > 0 && len(a.userFrames(r.stack(x))) > 0 {
				return []int{src, x}
			}
		}
	}
	return nil
}

// messages are what an event waited for: what it received, a close, the calls of Done.
func (r *run) messages(x int) []int {
	switch {
	case r.events[x].Op == trace.OpWGWait:
		return r.dones(x)
	case isRecv(&r.events[x]) && r.src[x] >= 0:
		return []int{r.src[x]}
	}
	return nil
}

// sentBefore reports whether a message is of the goroutine that came too late, and in
// the passing run comes before what came too late.
func (a *analysis) sentBefore(message int, u *unit) bool {
	if a.fail.Goroutines[a.fail.events[message].G].Path != a.lateGoroutine(u) {
		return false
	}
	if u.late < 0 || a.fail.taken[message] { // what waits there has done nothing since
		return true
	}
	p := a.m.toPass[message]
	return p >= 0 && p < u.late
}

// lateGoroutine is the path of the goroutine that came too late.
func (a *analysis) lateGoroutine(u *unit) string {
	if u.late >= 0 {
		return a.pass.Goroutines[a.pass.events[u.late].G].Path
	}
	return a.fail.Goroutines[a.fail.events[u.w].G].Path
}
