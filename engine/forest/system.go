package forest

import (
	"cmp"
	"context"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// builder makes a system of the trees.
type builder struct {
	ctx   context.Context
	polls int  // of ctx
	ended bool // it did: what was made is of no use
	f     *Forest
	sys   *constraint.System
	nodes []*node   // by event; nil of the frontier's
	rank  []int     // by event: when the run that showed it first had it
	uses  []locUses // by location
	front []Frontier
	to    map[*node]int                // how far it is to where a way was left; nil: it never was
	cases map[constraint.EventID]int32 // which case of a select an event of the frontier is
}

// locUses is who can give a reader of a location something new.
type locUses struct {
	writes, sends, closes []*node
	willSend, willClose   bool // somebody stands before doing so, and never did
}

// System makes the trees into one system, with a frontier.
func (f *Forest) System() (*constraint.System, []Frontier) {
	sys, front, _ := f.SystemContext(context.Background())
	return sys, front
}

// SystemContext is System until ctx ends, whose error it returns then; the system
// made last is still the one before.
func (f *Forest) SystemContext(ctx context.Context) (*constraint.System, []Frontier, error) {
	b := f.known(ctx)
	b.left()
	b.frontier()
	if b.ended {
		return nil, nil, ctx.Err()
	}
	b.order()
	f.last = b
	distinct(b.front)
	return b.sys, b.front, nil
}

// poll is how many steps of a loop over events pass between two checks of the
// context: each may look at all events once more.
const poll = 16

// ends is true once the context has ended.
func (b *builder) ends() bool {
	if b.polls++; b.polls%poll == 1 && !b.ended {
		b.ended = b.ctx.Err() != nil
	}
	return b.ended
}

// distinct gives goals keys of their own: two cases of one select may ask for
// the same.
func distinct(front []Frontier) {
	seen := map[uint64]bool{}
	for i := range front {
		f := &front[i]
		for seen[f.Key] {
			f.Key = hash(f.Key, 1)
		}
		seen[f.Key] = true
	}
}

// known makes the events that runs showed.
func (f *Forest) known(ctx context.Context) *builder {
	b := &builder{ctx: ctx, f: f, sys: &constraint.System{}, cases: map[constraint.EventID]int32{}, uses: make([]locUses, len(f.table.locs))}
	b.objects()
	for i := range f.threads {
		b.sys.Threads = append(b.sys.Threads, constraint.Thread{Name: f.threads[i].path})
		b.events(f.threads[i].root)
	}
	for id, n := range b.nodes {
		if b.ends() {
			break
		}
		b.conditions(constraint.EventID(id), n)
	}
	return b
}

// order gives the events that were seen their places in a recorded order:
// those of the first run that showed them.
func (b *builder) order() {
	ids := make([]constraint.EventID, 0, len(b.nodes))
	for i, n := range b.nodes {
		if n != nil {
			ids = append(ids, constraint.EventID(i))
		}
	}
	slices.SortStableFunc(ids, func(x, y constraint.EventID) int { return cmp.Compare(b.rank[x], b.rank[y]) })
	for i, id := range ids {
		b.sys.Events[id].At = i
	}
}

// objects: a location's index is its object's.
func (b *builder) objects() {
	b.sys.Objects = make([]constraint.Object, len(b.f.table.locs))
	for i := 1; i < len(b.f.table.locs); i++ {
		l := b.f.table.locs[i]
		th := b.f.table.things[l.thing]
		o := constraint.Object{Kind: th.kind, Name: th.name, Nil: th.absent}
		switch th.kind {
		case constraint.Location:
			o.Init = b.initial(int32(i))
			if !l.opaque {
				o.Width = th.width
			}
		case constraint.Channel:
			o.Cap = max(th.cap, 0)
		}
		b.sys.Objects[i] = o
	}
}

func (b *builder) initial(loc int32) constraint.Value {
	l := b.f.table.locs[loc]
	if l.opaque || !l.init.known {
		return constraint.Value{Fresh: -loc}
	}
	return constraint.Value{Bits: l.init.bits}
}

// events makes a thread's events, each before those that follow it.
func (b *builder) events(root *node) {
	root.id = constraint.NoEvent
	first := len(b.nodes)
	stack := []*node{root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.parent != nil {
			b.event(n)
		}
		for i := len(n.next.kids) - 1; i >= 0; i-- {
			stack = append(stack, n.next.kids[i])
		}
	}
	for i := len(b.nodes) - 1; i >= first; i-- {
		n := b.nodes[i]
		n.parent.last = max(n.parent.last, n.last)
	}
}

func (b *builder) event(n *node) {
	n.id = constraint.EventID(len(b.sys.Events))
	n.last = n.id
	b.nodes = append(b.nodes, n)
	b.rank = append(b.rank, n.at)
	e := b.plain(n.parent, n.op, n.loc)
	e.Outcome, e.Delta, e.Child = int(n.out), n.delta, constraint.ThreadID(n.child)
	e.Origin.Seq = int(n.seq)
	if n.op == constraint.Default {
		e.Outcome, e.Cases = 0, cases(&n.parent.next)
	}
	b.sys.Events = append(b.sys.Events, e)
	u := &b.uses[n.loc]
	switch n.op {
	case constraint.Write, constraint.RMW:
		u.writes = append(u.writes, n)
	case constraint.Send:
		u.sends = append(u.sends, n)
	case constraint.Close:
		u.closes = append(u.closes, n)
	}
}

// plain is an event after a node.
func (b *builder) plain(after *node, op constraint.Op, loc int32) constraint.Event {
	return constraint.Event{
		Thread: constraint.ThreadID(after.thread), Prev: after.id, Op: op, Obj: constraint.ObjID(loc),
		Partner: constraint.NoEvent, Child: -1, At: -1, Origin: constraint.Origin{Seq: -1},
	}
}

func cases(d *decision) []constraint.Case {
	var out []constraint.Case
	for i, a := range d.arms {
		out = append(out, constraint.Case{Obj: constraint.ObjID(d.locs[i]), Send: a.send})
	}
	return out
}

// conditions adds what refers to other events: Φ_path is that each read finds
// what it found.
func (b *builder) conditions(id constraint.EventID, n *node) {
	e := &b.sys.Events[id]
	switch {
	case n.op == constraint.CondWake && n.partner != nil:
		e.Partner = n.partner.id
	case n.op == constraint.Recv && n.out == constraint.Received, n.reads():
		if v, ok := b.foundBy(n); ok {
			e.Cond = []*constraint.Term{compare(constraint.TEq, id, v)}
		}
	}
	if n.writes() && n.left.known && !b.f.table.locs[n.loc].opaque {
		e.Val = constant(constraint.Value{Bits: n.left.bits})
	}
}

// foundBy is what a read or receive took.
func (b *builder) foundBy(n *node) (constraint.Value, bool) {
	switch {
	case n.op != constraint.Recv && !b.f.table.locs[n.loc].opaque:
		return constraint.Value{Bits: n.found.bits}, n.found.known
	case n.from != nil:
		return constraint.Value{Fresh: int32(n.from.id) + 1}, true
	}
	return constraint.Value{Fresh: -n.loc}, n.op != constraint.Recv
}

func constant(v constraint.Value) *constraint.Term {
	return &constraint.Term{Op: constraint.Const, Value: v}
}

func compare(op constraint.TermOp, e constraint.EventID, v constraint.Value) *constraint.Term {
	return &constraint.Term{Op: op, Args: []*constraint.Term{{Op: constraint.Sym, Event: e}, constant(v)}}
}

// Events is how many events the system made last has: its End.
func (f *Forest) Events() int { return len(f.last.sys.Events) }
