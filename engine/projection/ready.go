package projection

import "github.com/hocket-dev/hocket/engine/source"

// toldReady is true of what came too early because it had read that all was ready:
// extra is what said so, and the read.
func (u *unit) toldReady() bool { return u.shape == early && len(u.extra) == 2 }

// letOn is what the goroutine that came too late had written before, and what the one
// that came too early read of it to come there.
func (a *analysis) letOn(u *unit) []int {
	r := a.fail
	late := ""
	if u.late >= 0 {
		late = a.pass.Goroutines[a.pass.events[u.late].G].Path
	} else {
		late = r.Goroutines[r.events[u.w].G].Path
	}
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
