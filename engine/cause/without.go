package cause

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// forget keeps of the runs only what is asked for later.
func (f *finder) forget() {
	f.Without = make([]*trace.Trace, len(f.Core))
	for i, l := range f.Core {
		rest := slices.DeleteFunc(slices.Clone(f.Core), func(x Literal) bool { return x == l })
		common := -1
		for _, o := range f.seen {
			if o.t != nil && o.common > common && l.in(o) == broken && f.holds(rest, o) {
				f.Without[i], common = o.t, o.common
			}
		}
	}
	f.seen = nil
}

// Broken lists the literals of the core, by index, that a run breaks.
func (c *Cause) Broken(t *trace.Trace) []int {
	o, _ := c.observation(t)
	o.odd = c.isOdd(o)
	return c.broken(o)
}

func (c *Cause) broken(o *observed) (out []int) {
	for i, l := range c.Core {
		if l.in(o) == broken {
			out = append(out, i)
		}
	}
	return out
}
