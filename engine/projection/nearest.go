package projection

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/trace"
)

// compare takes in the passing runs and chooses the nearest of those that have the late
// events of the core.
func (a *analysis) compare() {
	best := 0
	for _, t := range a.known() {
		r := newRun(t)
		m := align(a.fail, r)
		a.passes, a.others = append(a.passes, r), append(a.others, m)
		d := a.distance(m)
		if t == a.in.Pass {
			d -= givenBonus
		}
		if a.pass != nil && d >= best {
			continue
		}
		if late, ok := a.lateIn(t); ok {
			a.pass, a.m, a.late, best = r, m, late, d
		}
	}
}

// known are the passing runs, each once: those that were given, and those that the
// search for the cause found, which may be nearer.
func (a *analysis) known() (out []*trace.Trace) {
	all := append([]*trace.Trace{a.in.Pass}, a.in.Passes...)
	if c := a.in.Cause; c != nil {
		all = append(append(all, c.Late), c.Without...)
	}
	for _, t := range all {
		if t != nil && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// lateIn are the events of a passing run, by event of the one that the late literals of
// the core are about; ok is false if it lacks one of theirs.
func (a *analysis) lateIn(t *trace.Trace) (events []int, ok bool) {
	c := a.in.Cause
	if c == nil || c.Late == nil {
		return nil, true
	}
	events = cause.Match(c.Late, t, cause.Counts).To
	return events, !slices.ContainsFunc(c.Core, func(l cause.Literal) bool { return l.Late && events[l.After] < 0 })
}

// givenBonus is by how many differences the given nearest run may exceed
// another passing run before that one is taken instead: the run with the
// nearest schedule need not be the one with the nearest events.
const givenBonus = 4

// distance counts what a passing run lacks or reads otherwise, up to the failure.
func (a *analysis) distance(m *matching) int {
	n := 0
	for i := range a.fail.events {
		if i == a.fail.fail {
			break
		}
		if isNoise(a.fail.events[i].Op) {
			continue
		}
		p := m.toPass[i]
		switch {
		case p < 0:
			n += 2
		case isPlain(a.fail.events[i].Op) && !sameSource(a.fail, m.pass, m, i, p):
			n++
		}
	}
	return n
}
