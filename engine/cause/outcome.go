package cause

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// outcome says whether a select, a try or a wake-up of the failing run came to the same
// in another run: there, it is the first operation of its kind at its place after what
// its goroutine did before it in both runs. A later one may be another round of a loop.
func (c *Cause) outcome(m *Matching, other *signer, ev int) status {
	e := &c.t.Events[ev]
	path := c.t.Goroutines[e.G].Path
	mine, theirs := c.signer.byPath[path], other.byPath[path]
	before := None // where the other run's goroutine stands
	for k, _ := slices.BinarySearch(mine, ev); k > 0 && before == None; k-- {
		before = m.To[mine[k-1]]
	}
	first, _ := slices.BinarySearch(theirs, before+1)
	for _, x := range theirs[first:] {
		o := &other.t.Events[x]
		if o.Op != e.Op || at(other.stacks, int(o.Stack)) != at(c.signer.stacks, int(e.Stack)) {
			continue
		}
		if at(other.objects, int(o.Obj)) == at(c.signer.objects, int(e.Obj)) && (e.Op == trace.OpCondWake || o.Value == e.Value) {
			return held
		}
		return broken
	}
	return lacking
}
