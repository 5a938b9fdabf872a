package recordings

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// onceCall is a call of Once.Do in a controlled run.
type onceCall struct {
	g        uint64
	at, done uint32 // its first count, and the last one that it has
	ran      bool   // the function
	wanted   bool   // it ran the function in the recorded run
}

// onces are the calls of each Once, of those that returned: which calls are of one Once a
// controlled run tells.
func (d *director) onces(t *trace.Trace, all [][]match) map[trace.ObjID][]*onceCall {
	begun := map[int]bool{} // events at which a call begins that ran in the recorded run
	for i, ms := range all {
		for _, m := range ms {
			if t.Events[m.begun].Op == trace.OpOnceLoad && d.ran(i, m.step) {
				begun[m.begun] = true
			}
		}
	}
	type in struct {
		g   trace.GID
		obj trace.ObjID
	}
	out := map[trace.ObjID][]*onceCall{}
	open := map[in]*onceCall{}
	for _, e := range t.Events {
		at := in{e.G, e.Obj}
		switch {
		case e.Op == trace.OpOnceLoad && open[at] == nil:
			open[at] = &onceCall{g: t.Goroutine(e.G).Key, at: e.Count, wanted: begun[e.Seq]}
		case e.Op == trace.OpOnceDo && open[at] != nil:
			c := open[at]
			c.done, c.ran = e.Count, e.Value == 1
			delete(open, at)
			out[e.Obj] = append(out[e.Obj], c)
		}
	}
	return out
}

// asRecorded are the orders by which the calls of Onces that ran their functions in the
// recorded run do so: others come after them. What a function does is counted by who runs
// it: shifted is the count that an operation has then.
func asRecorded(calls map[trace.ObjID][]*onceCall) (orders []run.Order, shifted func(g uint64, n uint32) uint32) {
	type shift struct {
		from uint32
		by   int
	}
	shifts := map[uint64][]shift{}
	var inside []uint32 // of each order, what the call does that is waited for
	for _, cs := range calls {
		wanted, ran := slices.IndexFunc(cs, func(c *onceCall) bool { return c.wanted }), slices.IndexFunc(cs, func(c *onceCall) bool { return c.ran })
		if wanted < 0 || ran < 0 {
			continue
		}
		runner, does := cs[wanted], cs[ran].done-cs[ran].at
		seen := map[uint64]bool{runner.g: true}
		for i, c := range cs {
			by := -int(c.done - c.at)
			if i == wanted {
				by += int(does)
			}
			if by != 0 {
				shifts[c.g] = append(shifts[c.g], shift{c.at, by})
			}
			if !seen[c.g] {
				seen[c.g] = true
				orders = append(orders, run.Order{G: c.g, Count: c.at, After: runner.g, AfterCount: runner.at})
				inside = append(inside, does)
			}
		}
	}
	shifted = func(g uint64, n uint32) uint32 {
		by := 0
		for _, s := range shifts[g] {
			if n > s.from {
				by += s.by
			}
		}
		return uint32(max(1, int(n)+by))
	}
	for i := range orders {
		o := &orders[i]
		o.Count, o.AfterCount = shifted(o.G, o.Count), shifted(o.After, o.AfterCount)+inside[i]
	}
	return orders, shifted
}

// ran reports whether a step is a call of a Once that ran its function.
func (d *director) ran(thread, step int) bool {
	return slices.ContainsFunc(d.run.Threads[thread].Records, func(r record.Record) bool {
		return int(r.At) == step && r.Kind == rt.KindOnce && r.From < 0
	})
}
