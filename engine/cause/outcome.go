package cause

import "github.com/hocket-dev/hocket/engine/trace"

// outcome says whether a select, a try or a wake-up of the failing run came to the same
// in another run: there, it is the first operation of its kind at its place after what
// its goroutine did before it in both runs. A later one may be another round of a loop.
func (c *Cause) outcome(m *Matching, other *signer, ev int) status {
	e := &c.t.Events[ev]
	path := c.t.Goroutines[e.G].Path
	before := None // where the other run's goroutine stands
	for _, x := range c.signer.byPath[path] {
		if x >= ev {
			break
		}
		before = max(before, m.To[x])
	}
	for _, x := range other.byPath[path] {
		o := &other.t.Events[x]
		if x <= before || o.Op != e.Op || at(other.stacks, int(o.Stack)) != at(c.signer.stacks, int(e.Stack)) {
			continue
		}
		if at(other.objects, int(o.Obj)) == at(c.signer.objects, int(e.Obj)) && (e.Op == trace.OpCondWake || o.Value == e.Value) {
			return held
		}
		return broken
	}
	return lacking
}
