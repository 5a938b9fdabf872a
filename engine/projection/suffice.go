package projection

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// orders are the literals of the core whose events are in the root cause; untold is how
// many others it has.
func (a *analysis) orders() (out *report.Cause, untold int) {
	c := a.in.Cause
	if !c.Explains() {
		return nil, 0
	}
	out = &report.Cause{Runs: c.Held, Made: c.Runs, Compared: c.Compared(), Note: c.Why, Orders: []report.Order{}}
	for _, l := range c.Core {
		o := report.Order{Before: cause.None}
		if l.Before != cause.None {
			o.Before = a.firstInRoot(l.Before)
		}
		if l.Late {
			o.After = a.lateInRoot(l)
		} else {
			o.After = a.lastInRoot(l.After)
		}
		if o.After > o.Before && (o.Before >= 0 || l.Before == cause.None) { // not that of another round
			out.Orders = append(out.Orders, o)
		} else {
			untold++
		}
	}
	if len(out.Orders) == 0 {
		return nil, untold
	}
	out.Proved = c.Proved != "" && untold == 0 // of the orders that are told
	slices.SortStableFunc(out.Orders, func(x, y report.Order) int { return cmp.Or(x.Before-y.Before, x.After-y.After) })
	out.Orders = slices.Compact(out.Orders)
	if untold > 0 {
		if out.Note != "" {
			out.Note += "; "
		}
		out.Note += words.CountOf(untold, "further order belongs", "further orders belong") + " to it"
	}
	return out, untold
}

// inRoot is the index of an event's step in the root cause, -1 if it has none.
func (a *analysis) inRoot(ev int, late bool) int {
	return slices.IndexFunc(a.root, func(e entry) bool { return e.late == late && e.ev == ev })
}

// firstInRoot is the index of the step as which the first event of an order is told,
// -1 if it has none: what comes after a later step of the same place comes after it.
func (a *analysis) firstInRoot(ev int) int {
	return a.toldAs(ev, func(e entry) bool { return e.ev >= ev })
}

// lastInRoot is the same of the second event of an order: x++ comes after something if
// its read does.
func (a *analysis) lastInRoot(ev int) int {
	return a.toldAs(ev, func(e entry) bool { return e.ev <= ev || e.ev == a.whole(ev) })
}

// lateInRoot is the index of the step that a late literal is about: what a passing run
// does, the wait that never ends for it, or the failure in its place.
func (a *analysis) lateInRoot(l cause.Literal) int {
	late := a.late[l.After]
	if at := a.inRoot(late, true); at >= 0 || late < 0 {
		return at
	}
	x := a.lateEntry(late)
	return slices.IndexFunc(a.root, func(e entry) bool {
		return !e.late && (e.wait || e.fails(a)) && a.fail.gname(e.g) == a.pass.gname(x.g) && sameLines(e.stack, x.stack) && (e.op == x.op || e.fails(a))
	})
}

func (a *analysis) toldAs(ev int, implies func(entry) bool) int {
	if same := a.inRoot(ev, false); same >= 0 || ev >= len(a.fail.events) {
		return same
	}
	x := a.entry(ev)
	if x.op == trace.OpBlock || x.op == trace.OpCondWait { // the beginning of a wait that never ends
		at := slices.IndexFunc(a.root, func(e entry) bool { return e.wait && e.g == x.g && e.obj == x.obj && sameLines(e.stack, x.stack) })
		if at >= 0 {
			return at
		}
	}
	return slices.IndexFunc(a.root, func(e entry) bool {
		return !e.late && e.ev >= 0 && e.g == x.g && sameLines(e.stack, x.stack) && a.fail.overlap(e.ev, ev) && implies(e)
	})
}

// coreEvidence says what the core is worth.
func (a *analysis) coreEvidence() []string {
	c := a.in.Cause
	told, untold := a.orders()
	if told == nil {
		return nil
	}
	these, suffice, had, without := "these orders", "suffice", "them", "one of them"
	switch {
	case untold > 0:
		these += " and " + words.CountOf(untold, "further one", "further ones")
	case len(told.Orders) == 1:
		these, suffice, had, without = "this order", "suffices", "it", "it"
	}
	if c.Proved != "" {
		return []string{fmt.Sprintf("%s %s: proved, every schedule that has %s fails (%s); without %s a run passed", these, suffice, had, c.Proved, without)}
	}
	if !c.Settled() {
		return []string{fmt.Sprintf("not settled whether %s %s: %s; in %s that had %s the program failed", these, suffice, c.Why, words.Count(c.Held, "run"), had)}
	}
	return []string{fmt.Sprintf("%s %s in %d of %d runs that had %s, whatever else came first; without %s a run passed", these, suffice, c.Held, c.Held, had, without)}
}
