package forest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// Frontier is something that no run has shown: its goal asks whether any
// schedule does.
type Frontier struct {
	Key      uint64 // the same in later systems of the forest
	Name     string // for people
	Goal     constraint.Goal
	Failure  bool  // it would be a failure
	Race     *Race // of a Failure that is a data race
	Thread   string
	Last     uint64               // the goroutine (trace.Goroutine.Key) that goes on when the goal is reached; 0: any
	Distance int                  // operations known to follow in its goroutine, at most
	Never    []constraint.EventID // may not happen: what follows them is not known
	Given    []constraint.Clause  // hold besides: what the goal alone does not say of the program

	// Where runs were said to leave a way (SetLeft): whether it lies beyond such a place,
	// and else how many operations of its goroutine there are up to the nearest one, Far if
	// there is none.
	Off bool
	To  int
}

// frontier adds the outcomes that were not seen. Events of the frontier have
// nothing after them.
func (b *builder) frontier() {
	b.pending()
	heights := b.heights()
	known := len(b.nodes)
	for t := range b.f.threads {
		b.after(b.f.threads[t].root, heights)
	}
	for i := range known {
		if b.ends() {
			return
		}
		b.after(b.nodes[i], heights)
	}
	slices.SortStableFunc(b.front, func(x, y Frontier) int { return cmp.Compare(x.Distance, y.Distance) })
	b.front = slices.Concat(b.failures(heights), b.races(heights), b.front)
	b.along()
}

// pending notes what goroutines stand before without ever doing it.
func (b *builder) pending() {
	b.eachDecision(func(n *node) {
		d := &n.next
		for i, a := range d.arms {
			if a.send && !slices.ContainsFunc(d.kids, func(k *node) bool { return k.took == int32(i) }) {
				b.uses[d.locs[i]].willSend = true
			}
		}
		if d.op == constraint.Close && len(d.kids) == 0 {
			b.uses[d.loc].willClose = true
		}
	})
}

func (b *builder) eachDecision(do func(n *node)) {
	for t := range b.f.threads {
		do(b.f.threads[t].root)
	}
	for _, n := range b.nodes {
		if n != nil {
			do(n)
		}
	}
}

// heights is by node how many operations follow at most.
func (b *builder) heights() map[*node]int {
	h := map[*node]int{}
	for i := len(b.nodes) - 1; i >= 0; i-- {
		n := b.nodes[i]
		h[n.parent] = max(h[n.parent], h[n]+1)
	}
	return h
}

// after adds what could follow a node besides what did.
func (b *builder) after(n *node, heights map[*node]int) {
	d := &n.next
	switch {
	case !d.known:
		switch {
		case d.unclear() && n.parent != nil:
			b.ask(n, n.id, "what comes next", heights)
		case d.unclear(): // the run ended before it began
			e := b.plain(n, constraint.Start, 0)
			e.Pending = true
			b.ask(n, b.put(e), "its start", heights)
		}
	case d.arms != nil:
		b.newComm(n, heights)
	case d.reads():
		b.newValue(n, heights)
	case d.op == constraint.TryLock || d.op == constraint.TryRLock:
		for out := range int8(2) {
			if !slices.ContainsFunc(d.kids, func(k *node) bool { return k.out == out }) {
				e := b.plain(n, d.op, d.loc)
				e.Outcome = int(out)
				b.ask(n, b.put(e), fmt.Sprint(d.op), heights)
			}
		}
	case len(d.kids) == 0 && d.loc != 0:
		e := b.plain(n, d.op, d.loc)
		e.Delta, e.Pending = d.delta, true
		if d.op == constraint.CondWake {
			e.Partner = b.ticket(n)
		}
		b.ask(n, b.put(e), fmt.Sprint(d.op), heights)
	case len(d.kids) == 0 && d.op == constraint.Start:
		e := b.plain(n, d.op, 0)
		e.Pending = true
		b.ask(n, b.put(e), fmt.Sprint(d.op), heights)
	}
}

// ticket is the CondWait before a CondWake that never came.
func (b *builder) ticket(n *node) constraint.EventID {
	for ; n != nil && n.parent != nil; n = n.parent {
		if n.op == constraint.CondWait {
			return n.id
		}
	}
	return constraint.NoEvent
}

// put adds an event of the frontier.
func (b *builder) put(e constraint.Event) constraint.EventID {
	id := constraint.EventID(len(b.sys.Events))
	b.sys.Events = append(b.sys.Events, e)
	b.rank = append(b.rank, -1)
	b.nodes = append(b.nodes, nil)
	return id
}

// putCase adds an event of the frontier that is a case of n's select.
func (b *builder) putCase(e constraint.Event, arm int32) constraint.EventID {
	id := b.put(e)
	b.cases[id] = arm
	return id
}

// ask adds a goal: the event happens.
func (b *builder) ask(n *node, e constraint.EventID, what string, heights map[*node]int) {
	ev := b.sys.Events[e]
	f := Frontier{
		Key:      hash(n.key, uint64(ev.Op), uint64(ev.Obj), uint64(ev.Outcome), uint64(len(n.next.kids)), uint64(b.cases[e])),
		Thread:   b.f.threads[n.thread].path,
		Distance: heights[n],
		Goal:     constraint.Goal{Include: []constraint.EventID{e}},
	}
	b.at(&f, n)
	f.Name = "goroutine " + f.Thread + ": " + what
	if ev.Obj != 0 {
		f.Name += " of " + b.sys.Objects[ev.Obj].Name
	}
	f.Goal.Name = f.Name
	b.front = append(b.front, f)
}

// newValue asks for a read that finds what none found there.
func (b *builder) newValue(n *node, heights map[*node]int) {
	d := &n.next
	opaque := b.f.table.locs[d.loc].opaque
	news := func(w *node) bool {
		if w.thread == n.thread && !w.before(n) {
			return false
		}
		if opaque {
			return !slices.ContainsFunc(d.kids, func(k *node) bool { return k.from == w })
		}
		return !w.left.known || !slices.ContainsFunc(d.kids, func(k *node) bool { return k.found == w.left })
	}
	if len(d.kids) > 0 && !slices.ContainsFunc(b.uses[d.loc].writes, news) && !b.newInit(d, opaque) {
		return
	}
	op := constraint.Read
	if d.op == constraint.RMW {
		op = constraint.RMW
	}
	e := b.plain(n, op, d.loc)
	id := b.put(e)
	for _, k := range d.kids {
		if v, ok := b.foundBy(k); ok {
			b.sys.Events[id].Cond = append(b.sys.Events[id].Cond, compare(constraint.TNe, id, v))
		}
	}
	b.ask(n, id, "another value", heights)
}

// newInit: no read here found the initial value.
func (b *builder) newInit(d *decision, opaque bool) bool {
	l := b.f.table.locs[d.loc]
	if opaque {
		return !slices.ContainsFunc(d.kids, func(k *node) bool { return k.from == nil })
	}
	return !l.init.known || !slices.ContainsFunc(d.kids, func(k *node) bool { return k.found == l.init })
}

// before is true if n, which is no root, comes after w on every path or is it.
func (w *node) before(n *node) bool { return w.id <= n.id && n.id <= w.last }

// newComm asks for cases not taken, values not received, a close, a default.
func (b *builder) newComm(n *node, heights map[*node]int) {
	d := &n.next
	for i, a := range d.arms {
		c := d.locs[i]
		if c == 0 || b.f.table.things[a.thing].absent {
			continue
		}
		took := func(out int8) func(*node) bool {
			return func(k *node) bool { return k.took == int32(i) && k.out == out }
		}
		if a.send {
			if !slices.ContainsFunc(d.kids, func(k *node) bool { return k.took == int32(i) }) {
				b.ask(n, b.putCase(b.plain(n, constraint.Send, c), int32(i)), "send", heights)
			}
			continue
		}
		u := &b.uses[c]
		if !slices.ContainsFunc(d.kids, took(constraint.Closed)) && (len(u.closes) > 0 || u.willClose) {
			e := b.plain(n, constraint.Recv, c)
			e.Outcome = constraint.Closed
			b.ask(n, b.putCase(e, int32(i)), "the end", heights)
		}
		b.newReceive(n, int32(i), c, heights)
	}
	if d.deflt && !slices.ContainsFunc(d.kids, func(k *node) bool { return k.out == gaveUp }) {
		e := b.plain(n, constraint.Default, 0)
		e.Cases = cases(d)
		b.ask(n, b.put(e), "giving up", heights)
	}
}

func (b *builder) newReceive(n *node, arm, c int32, heights map[*node]int) {
	d := &n.next
	var seen []*node
	for _, k := range d.kids {
		if k.took == arm && k.out == constraint.Received && k.from != nil {
			seen = append(seen, k.from)
		}
	}
	news := func(w *node) bool {
		return !slices.Contains(seen, w) && (w.thread != n.thread || w.before(n))
	}
	if u := &b.uses[c]; !u.willSend && !slices.ContainsFunc(u.sends, news) {
		return
	}
	e := b.plain(n, constraint.Recv, c)
	e.Outcome = constraint.Received
	id := b.putCase(e, arm)
	for _, w := range seen {
		b.sys.Events[id].Cond = append(b.sys.Events[id].Cond, compare(constraint.TNe, id, constraint.Value{Fresh: int32(w.id) + 1}))
	}
	b.ask(n, id, "another value", heights)
}
