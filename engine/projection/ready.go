package projection

import (
	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/source"
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

// lateGoroutine is the path of the goroutine that came too late.
func (a *analysis) lateGoroutine(u *unit) string {
	if u.late >= 0 {
		return a.pass.Goroutines[a.pass.events[u.late].G].Path
	}
	return a.fail.Goroutines[a.fail.events[u.w].G].Path
}
