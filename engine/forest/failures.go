package forest

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// failures asks for what would be a failure: goroutines that wait for one
// another, sends and closes on closed channels, counters below zero, unlocks
// of what is not locked.
func (b *builder) failures(heights map[*node]int) []Frontier {
	var out []Frontier
	add := func(e constraint.EventID, g constraint.Goal, partner constraint.EventID) {
		n := b.owner(e)
		if n.next.fails {
			return
		}
		out = append(out, Frontier{
			Key: hash(n.key, uint64(b.sys.Events[e].Op), uint64(partner), 0xf), Name: g.Name, Goal: g, Failure: true,
			Thread: b.f.threads[n.thread].path, Distance: heights[n],
		})
		b.at(&out[len(out)-1], n)
	}
	out = append(out, b.stuck()...)
	closes := map[constraint.ObjID][]constraint.EventID{}
	for i := range b.sys.Events {
		if e := &b.sys.Events[i]; e.Op == constraint.Close {
			closes[e.Obj] = append(closes[e.Obj], constraint.EventID(i))
		}
	}
	for i := range b.sys.Events {
		if b.ends() {
			return nil
		}
		id, e := constraint.EventID(i), &b.sys.Events[i]
		name := b.sys.Objects[e.Obj].Name
		switch e.Op {
		case constraint.Send, constraint.Close:
			for _, c := range closes[e.Obj] {
				if c != id && (b.sys.Events[c].Thread != e.Thread || b.precedes(c, id)) {
					add(id, constraint.Goal{Name: b.verb(e.Op) + " on closed channel " + name, Stop: []constraint.EventID{id}, Include: []constraint.EventID{c}}, c)
				}
			}
		case constraint.Add:
			if e.Delta < 0 {
				add(id, constraint.Goal{Name: "negative counter of " + name, Blocked: []constraint.EventID{id}}, 0)
			}
		case constraint.Unlock, constraint.RUnlock:
			if !b.holds(id) {
				add(id, constraint.Goal{Name: "unlock of unlocked " + name, Blocked: []constraint.EventID{id}}, 0)
			}
		}
	}
	b.doubtTries()
	return append(out, b.groups(heights)...)
}

// doubtTries doubts if readers try while writers lock: RWMutex.TryRLock fails while a
// writer waits for readers, too, and no schedule of the model has waiting in it.
func (b *builder) doubtTries() {
	const tries, writes = 1, 2
	has := make([]int, len(b.sys.Objects))
	for i := range b.sys.Events {
		switch e := &b.sys.Events[i]; e.Op {
		case constraint.TryRLock:
			has[e.Obj] |= tries
		case constraint.Lock:
			has[e.Obj] |= writes
		}
	}
	for o, what := range has {
		if what == tries|writes {
			b.f.doubt("RWMutex.TryRLock may fail because of a writer that waits: " + b.sys.Objects[o].Name)
		}
	}
}

func (b *builder) verb(op constraint.Op) string {
	if op == constraint.Send {
		return "send"
	}
	return "close"
}

// owner is the node after which an event comes.
func (b *builder) owner(e constraint.EventID) *node {
	if n := b.nodes[e]; n != nil {
		return n.parent
	}
	ev := &b.sys.Events[e]
	if ev.Prev == constraint.NoEvent {
		return b.f.threads[ev.Thread].root
	}
	return b.nodes[ev.Prev]
}

// precedes is true if a comes before e in their thread.
func (b *builder) precedes(a, e constraint.EventID) bool {
	for p := b.sys.Events[e].Prev; p != constraint.NoEvent; p = b.sys.Events[p].Prev {
		if p == a {
			return true
		}
	}
	return false
}

// holds is true if the goroutine itself has what it unlocks.
func (b *builder) holds(e constraint.EventID) bool {
	obj, n := b.sys.Events[e].Obj, 0
	unlock, lock, try := constraint.Unlock, constraint.Lock, constraint.TryLock
	if b.sys.Events[e].Op == constraint.RUnlock {
		unlock, lock, try = constraint.RUnlock, constraint.RLock, constraint.TryRLock
	}
	for p := b.sys.Events[e].Prev; p != constraint.NoEvent; p = b.sys.Events[p].Prev {
		ev := &b.sys.Events[p]
		switch {
		case ev.Obj != obj:
		case ev.Op == unlock:
			n--
		case ev.Op == lock, ev.Op == try && ev.Outcome == 1:
			if n++; n > 0 {
				return true
			}
		}
	}
	return false
}

// stuck asks whether everybody can come to wait for ever. Once a run ended so,
// the question is for each operation by itself at which no run did.
func (b *builder) stuck() []Frontier {
	never, given := b.never(), b.panics()
	seen := false
	b.eachDecision(func(n *node) { seen = seen || n.next.blocked })
	goal := func(key uint64, thread int32, stop ...constraint.EventID) Frontier {
		g := constraint.Goal{Name: "deadlock or leak", Stuck: true, Stop: stop}
		return Frontier{Key: key, Name: g.Name, Goal: g, Failure: true, Thread: b.f.threads[thread].path, Never: never, Given: given}
	}
	if !seen {
		return []Frontier{goal(0xdead, 0)}
	}
	var out []Frontier
	b.eachDecision(func(n *node) {
		if d := &n.next; !b.ends() && d.known && !d.blocked && waits(d) {
			if e := b.first(n); e != constraint.NoEvent {
				out = append(out, goal(hash(n.key, 0xdead), n.thread, e))
			}
		}
	})
	return out
}

// never are the events after which it is not known how their goroutines go on.
func (b *builder) never() (out []constraint.EventID) {
	for i, n := range b.nodes {
		if n == nil || n.next.unclear() || n.next.fails && !n.next.known {
			out = append(out, constraint.EventID(i))
		}
	}
	return out
}

// panics says of operations that fail where they are not possible that nobody
// waits in them: who gets there goes on, or a channel is not closed.
func (b *builder) panics() (out []constraint.Clause) {
	end := constraint.EventID(len(b.sys.Events))
	follow := map[constraint.EventID][]constraint.EventID{}
	closes := map[constraint.ObjID][]constraint.EventID{}
	for i := range b.sys.Events {
		e := &b.sys.Events[i]
		follow[e.Prev] = append(follow[e.Prev], constraint.EventID(i))
		if e.Op == constraint.Close {
			closes[e.Obj] = append(closes[e.Obj], constraint.EventID(i))
		}
	}
	for i := range b.sys.Events {
		e := &b.sys.Events[i]
		if e.Prev == constraint.NoEvent {
			continue // a thread stands before its start, main before a go statement
		}
		on := constraint.Clause{{A: end, B: e.Prev}}
		for _, k := range follow[e.Prev] {
			on = append(on, constraint.Lit{A: k, B: end})
		}
		switch e.Op {
		case constraint.Unlock, constraint.RUnlock, constraint.Add, constraint.Close:
			out = append(out, on)
		case constraint.Send:
			for _, c := range closes[e.Obj] {
				out = append(out, append(slices.Clone(on), constraint.Lit{A: end, B: c}))
			}
		}
	}
	return out
}

// waits is true of operations that can wait for others.
func waits(d *decision) bool {
	switch d.op {
	case constraint.Lock, constraint.RLock, constraint.Wait, constraint.CondWake:
		return true
	}
	return d.arms != nil && !d.deflt
}

// first is some event that comes after a node.
func (b *builder) first(n *node) constraint.EventID {
	return constraint.EventID(slices.IndexFunc(b.sys.Events, func(e constraint.Event) bool {
		return e.Prev == n.id && e.Thread == constraint.ThreadID(n.thread)
	}))
}
