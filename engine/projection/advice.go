package projection

import (
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// mustPrecede is the advice that x comes before y, the other way round than in the failing
// run. It is asked for only where that order alone was shown to suffice for the failure;
// else it is said that a passing run has it, if one has. That goroutines that do the same
// come in another order is no advice.
func (a *analysis) mustPrecede(x, y entry) string {
	switch c := a.in.Cause; {
	case a.line(x, true) == a.line(y, true):
		return ""
	case c != nil && c.Settled() && len(c.Core) == 1 && a.requires(c.Core[0], x, y):
		return a.precedes(x, y)
	case a.cameBefore(x, y):
		return fmt.Sprintf("In a passing run, %s of %s came before %s.", a.line(x, true), a.who(x), a.lineOfOther(x, y))
	}
	return ""
}

// requires reports whether x comes before y wherever an order is the other way round: x is
// its second step or comes before that in the same goroutine, y is its first one or comes
// after that.
func (a *analysis) requires(l cause.Literal, x, y entry) bool {
	last := a.fail
	if l.Late {
		last = a.pass
	}
	return l.Before != cause.None && last != nil && (!l.Late || last.Trace == a.in.Cause.Late) &&
		y.r == a.fail && a.fail.inTurn(l.Before, y.ev) && x.r == last && last.inTurn(x.ev, l.After)
}

// inTurn is true of two events of one goroutine, or one event, in this order.
func (r *run) inTurn(x, y int) bool {
	in := func(ev int) bool { return ev >= 0 && ev < len(r.events) }
	return in(x) && in(y) && x <= y && r.events[x].G == r.events[y].G
}

// precedes asks for x before y.
func (a *analysis) precedes(x, y entry) string {
	return fmt.Sprintf("%s of %s must come before %s.", title(a.line(x, true)), a.who(x), a.lineOfOther(x, y))
}

// lineOfOther is the line of y, with its goroutine where that is another than that of x.
func (a *analysis) lineOfOther(x, y entry) string {
	if a.who(x) == a.who(y) {
		return a.line(y, true)
	}
	return a.line(y, true) + " of " + a.who(y)
}

// cameBefore reports whether a passing run has both steps, x first.
func (a *analysis) cameBefore(x, y entry) bool {
	in := func(m *matching, e entry) int {
		switch {
		case e.ev < 0 || m.pass == nil:
			return -1
		case !e.late:
			return m.toPass[e.ev]
		case e.r == m.pass:
			return e.ev
		}
		return -1
	}
	return slices.ContainsFunc(append([]*matching{a.m}, a.others...), func(m *matching) bool {
		first, then := in(m, x), in(m, y)
		return 0 <= first && first < then
	})
}

// opens reports whether what said too early that all was ready could decide that the step
// came: a message, or a read in a condition, of the function that both are called from or
// within a call of that.
func (a *analysis) opens(u *unit) bool {
	ready := u.extra[1]
	if !a.fail.events[ready].Op.IsMemory() {
		return true
	}
	x, y := a.fail.stack(ready), a.fail.stack(u.e)
	common, _ := commonFrame(x, y)
	for _, f := range x {
		if slices.ContainsFunc(a.fn(f).Conditions(f.Line+1), func(s source.Span) bool { return s.Has(f.Line) }) {
			return true
		}
		if f == common {
			break
		}
	}
	return false
}

// halfWritten is the advice for values of which one was written and the other one not yet,
// when another goroutine read both: to come in between is what must not be. It is known
// where one function writes both.
func (a *analysis) halfWritten(first, then, reader entry) (string, *Region) {
	f, t := commonFrame(first.full, then.full)
	if f.Line == 0 || f.Line > t.Line {
		return "", nil
	}
	u := unit{p: first.ev, region: &span{fn: f.Func, file: f.File, from: f.Line, to: t.Line}}
	return a.regionWords(u, reader)
}

// commonFrame is where two stacks are in the innermost function that both come from.
func commonFrame(x, y []trace.Frame) (f, g trace.Frame) {
	for i, j := len(x)-1, len(y)-1; i >= 0 && j >= 0 && x[i].Func == y[j].Func; i, j = i-1, j-1 {
		if f, g = x[i], y[j]; f != g {
			break
		}
	}
	return f, g
}

// leavesLoop reports whether a step comes after a loop that an earlier one of the same
// function is in, so that it can't be put before that.
func (a *analysis) leavesLoop(first, then entry) bool {
	f, t := a.shown(first), a.shown(then)
	if f.Func != t.Func || f.File != t.File {
		return false
	}
	around := a.fn(t).Controls(t.Line)
	return slices.ContainsFunc(a.fn(f).Controls(f.Line), func(c source.Control) bool {
		return (c.Kind == source.For || c.Kind == source.Range) &&
			!slices.ContainsFunc(around, func(o source.Control) bool { return o.Kind == c.Kind && o.Line == c.Line })
	})
}
