package native

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Late is an operation that a failing run had not come to, as a passing run did it: it
// is not to happen before Before, an event of the failing run.
type Late struct {
	Before int
	Pass   *trace.Trace
	At     int // index in Pass.Events
}

// withLate is a failing run with what it had not come to put right before its failure,
// and the orders of core and late as indexes of that.
func withLate(t *trace.Trace, core []Edge, late []Late) (*trace.Trace, []Edge) {
	end := failureEnd(t)
	if len(late) == 0 || end == 0 {
		return t, core
	}
	c := *t
	c.Stacks, c.Sites = slices.Clone(t.Stacks), slices.Clone(t.Sites)
	at := end - 1
	c.Events = slices.Clone(t.Events[:at])
	edges := slices.Clone(core)
	for _, l := range late {
		if e, ok := carried(&c, l); ok && l.Before < at {
			edges = append(edges, Edge{l.Before, len(c.Events)})
			e.Seq = len(c.Events)
			c.Events = append(c.Events, e)
		}
	}
	moved := len(c.Events) - at
	for i := range core { // the failure itself has moved
		if edges[i].Before >= at {
			edges[i].Before += moved
		}
		if edges[i].After >= at {
			edges[i].After += moved
		}
	}
	for _, e := range t.Events[at:] {
		e.Seq += moved
		c.Events = append(c.Events, e)
	}
	return &c, edges
}

// carried is the operation as an event of t; false if t has no such goroutine.
func carried(t *trace.Trace, l Late) (trace.Event, bool) {
	e := l.Pass.Events[l.At]
	g := slices.IndexFunc(t.Goroutines, func(g trace.Goroutine) bool { return g.ID != 0 && g.Path == l.Pass.Goroutine(e.G).Path })
	if g < 0 || e.G == 0 || int(e.Stack) >= len(l.Pass.Stacks) {
		return e, false
	}
	name := l.Pass.Object(e.Obj).Name
	e.Obj = 0
	for i := range t.Objects {
		if i > 0 && t.Objects[i].Name == name {
			e.Obj = trace.ObjID(i)
		}
	}
	site := ""
	if int(e.Stack) < len(l.Pass.Sites) {
		site = l.Pass.Sites[e.Stack]
	}
	t.Stacks = append(t.Stacks, l.Pass.Stacks[e.Stack])
	for len(t.Sites) < len(t.Stacks)-1 {
		t.Sites = append(t.Sites, "")
	}
	t.Sites = append(t.Sites, site)
	e.G, e.Stack = trace.GID(g), trace.StackID(len(t.Stacks)-1)
	e.Count = 1
	for i := range t.Events {
		if t.Events[i].G == e.G {
			e.Count = t.Events[i].Count + 1
		}
	}
	return e, true
}
