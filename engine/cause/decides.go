package cause

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

const (
	maxGuards    = 2    // literals that decide one event
	notNecessary = 8.0  // for a literal that runs lack in which the event happens
	awayCost     = 0.05 // by event of the goroutine between a literal and the event
)

// Decides is what decided that the failing run came to an event, by the runs made: a
// few literals, before the event, of what its goroutine did with another's, of which
// each run that does not come to the event lacks one. It is nil if every run comes to
// it, or if that many do not tell.
func (c *Cause) Decides(ev int) []Literal {
	if ev < 0 || ev >= len(c.t.Events) {
		return nil
	}
	var all []Literal
	var cost []float64
	for i, l := range c.all {
		if mine := c.mine(l, ev); mine >= 0 {
			all = append(all, l)
			cost = append(cost, c.cost[i]+awayCost*float64(min(c.between(mine, ev), 100))+notNecessary*c.unneeded(l, ev))
		}
	}
	literals, costs, sets := c.gather(all, cost, func(o *observed) bool { return o.passed && o.m.To[ev] < 0 })
	if len(sets) < 2 {
		return nil
	}
	best, ok := choose(costs, sets)
	if !ok || len(best) > maxGuards {
		return nil
	}
	out := make([]Literal, len(best))
	for i, b := range best {
		out[i] = literals[b]
	}
	slices.SortFunc(out, func(x, y Literal) int { return c.place(x) - c.place(y) })
	return out
}

// mine is the event of a literal that ev's goroutine did before ev, -1 if there is
// none.
func (c *Cause) mine(l Literal, ev int) int {
	g := c.t.Events[ev].G
	if l.Late || l.After >= ev {
		if l.Before == None || l.Before >= ev || c.t.Events[l.Before].G != g || c.t.Events[l.Before].Op == trace.OpLock {
			return -1
		}
		return l.Before // what it found was changed later
	}
	if c.t.Events[l.After].G == g {
		return l.After
	}
	if l.Before != None && c.t.Events[l.Before].G == g {
		return l.Before
	}
	return -1
}

func (c *Cause) between(a, b int) (n int) {
	g := c.t.Events[b].G
	for i := a; i < b; i++ {
		if c.t.Events[i].G == g && Counts(c.t.Events[i].Op) {
			n++
		}
	}
	return n
}

// unneeded is the share of the runs that come to an event without a literal.
func (c *Cause) unneeded(l Literal, ev int) float64 {
	with, without := 0, 0
	for _, o := range c.seen {
		if o.m.To[ev] < 0 {
			continue
		}
		if l.holds(o) {
			with++
		} else {
			without++
		}
	}
	if with+without == 0 {
		return 0
	}
	return float64(without) / float64(with+without)
}
