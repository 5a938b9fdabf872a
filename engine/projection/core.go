package projection

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/cause"
)

// farAway is the distance of an event that the failure does not depend on.
const farAway = 10

// Distances says how far the events of the failing run are from the failure, over
// data flow and dependences, from 0 to farAway; events in the standard library and
// the test runner count as further away.
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
		if c, ok := cost[ev]; ok {
			return c
		}
		return farAway
	}
}

func (a *analysis) debugCore() []string {
	c := a.in.Cause
	if c == nil {
		return nil
	}
	out := []string{fmt.Sprintf("CORE why %q held %d runs %d passed %d", c.Why, c.Held, c.Runs, c.Passed)}
	show := func(l cause.Literal) string {
		at := func(ev int, late bool) string {
			if ev < 0 {
				return "-"
			}
			var e entry
			if late {
				r := newRun(c.Late)
				x := &r.events[ev]
				e = entry{r: r, ev: ev, g: x.G, op: x.Op, obj: x.Obj, stack: a.userFrames(r.stack(ev))}
			} else {
				e = a.entry(ev)
			}
			if len(e.stack) == 0 {
				return fmt.Sprintf("%s %s ?", e.r.gname(e.g), e.op)
			}
			f := a.shown(e)
			return fmt.Sprintf("%s %s:%d %s %s", e.r.gname(e.g), "", f.Line, e.op, e.r.varName(e.obj))
		}
		return fmt.Sprintf("[%s] < [%s] late=%v", at(l.Before, false), at(l.After, l.Late), l.Late)
	}
	for _, l := range c.Core {
		out = append(out, show(l))
		for _, ev := range []int{l.Before, l.After} {
			if ev == l.After && l.Late {
				continue
			}
			for _, g := range c.Decides(ev) {
				out = append(out, fmt.Sprintf("   ev %d decided by %s", ev, show(g)))
			}
		}
	}
	return out
}
