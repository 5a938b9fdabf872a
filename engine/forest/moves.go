package forest

import (
	"math"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/run"
)

// Moves turns a schedule of the system made last, found for a goal, into what
// the goroutines do one after the other, for run.Plan. What the goal does not
// need any more is left out; what it stops before comes last.
func (f *Forest) Moves(order []constraint.EventID, g constraint.Goal) []run.Move {
	p := &planner{b: f.last, done: map[constraint.ThreadID]int64{}}
	order = p.gather(p.cut(order, g))
	if g.Stuck {
		p.hold(order)
	}
	for i := 0; i < len(order); i++ {
		p.park(order[i], g)
		if e := order[i]; i+1 < len(order) && p.meet(e, order[i+1]) {
			p.together(e, order[i+1])
			i++
		} else {
			p.move(e, false)
		}
	}
	p.held = nil
	if g.Stuck {
		p.writersFirst(order)
	}
	for _, e := range slices.Concat(g.Stop, g.Blocked) {
		p.move(e, p.parked)
	}
	return p.out
}

// hold keeps goroutines from the blocks of the locks before which an order
// leaves them: what a block does ahead of its lock (RWMutex.RLock reads a field,
// say) would let it take the lock, too, before the writers wait.
func (p *planner) hold(order []constraint.EventID) {
	last := map[constraint.ThreadID]constraint.EventID{}
	for _, e := range order {
		last[p.b.sys.Events[e].Thread] = e
	}
	p.held = map[constraint.ThreadID]uint32{}
	for i := range p.b.sys.Events {
		e := &p.b.sys.Events[i]
		if at, begun := last[e.Thread]; begun && e.Prev == at && (e.Op == constraint.Lock || e.Op == constraint.RLock) {
			p.held[e.Thread], _ = p.position(constraint.EventID(i))
		}
	}
}

// writersFirst lets those who can't have a lock for themselves begin to wait:
// they keep readers out from then on.
func (p *planner) writersFirst(order []constraint.EventID) {
	last := map[constraint.ThreadID]constraint.EventID{}
	for _, e := range order {
		last[p.b.sys.Events[e].Thread] = e
	}
	for i := range p.b.sys.Events {
		e := &p.b.sys.Events[i]
		if at, begun := last[e.Thread]; e.Op == constraint.Lock && (begun && e.Prev == at) {
			p.move(constraint.EventID(i), false)
		}
	}
}

type planner struct {
	b    *builder
	out  []run.Move
	done map[constraint.ThreadID]int64 // latest block performed
	// parked: what the goal stops before was begun already, and waits.
	parked bool
	held   map[constraint.ThreadID]uint32 // blocks not to begin yet
}

// park begins a wait that the goal stops before, ahead of the event that is to
// come while it lasts.
func (p *planner) park(next constraint.EventID, g constraint.Goal) {
	if len(g.Order) == 0 || len(g.Stop) == 0 || g.Order[0].After != next || p.b.sys.Events[g.Stop[0]].Op != constraint.Wait {
		return
	}
	p.parked = true
	p.move(g.Stop[0], false)
}

// cut ends an order with the last event that the goal names, or its partner.
func (p *planner) cut(order []constraint.EventID, g constraint.Goal) []constraint.EventID {
	if g.Stuck || len(g.Order) > 0 || len(g.Cond) > 0 || len(g.Stop)+len(g.Blocked) > 0 || len(g.Include) == 0 {
		return order
	}
	last := 0
	for i, e := range order {
		if slices.Contains(g.Include, e) {
			last = i
		}
	}
	if last+1 < len(order) && p.meet(order[last], order[last+1]) {
		last++
	}
	return order[:last+1]
}

// move performs an event's block, unless that was done with an earlier event of
// it; again lets the goroutine finish the block.
func (p *planner) move(e constraint.EventID, again bool) {
	ev := &p.b.sys.Events[e]
	count, choice := p.position(e)
	if h, ok := p.held[ev.Thread]; ok && count >= h {
		return
	}
	if d, ok := p.done[ev.Thread]; ok && d >= int64(count) && !again {
		return
	}
	p.done[ev.Thread] = int64(count)
	p.out = append(p.out, run.Move{G: p.b.f.threads[ev.Thread].key, Count: count, Choice: choice})
}

// gather puts what one operation does at several locations (append copies
// elements that not all are shared) to where the last of it is: a goroutine can't
// stop in between, and the order may have kept only the first of it early.
func (p *planner) gather(order []constraint.EventID) []constraint.EventID {
	out := make([]constraint.EventID, 0, len(order))
	put := make(map[constraint.EventID]bool)
	for _, e := range slices.Backward(order) {
		for !put[e] {
			put[e] = true
			out = append(out, e)
			if !p.continues(e) {
				break
			}
			e = p.b.sys.Events[e].Prev
		}
	}
	slices.Reverse(out)
	return out
}

// continues is true of an event that is part of the operation before it.
func (p *planner) continues(e constraint.EventID) bool {
	n := p.b.owner(e)
	if n.parent == nil || len(n.next.kids) == 0 {
		return false
	}
	next := n.next.kids[0] // of the run that showed n first
	return next.seq == n.seq && next.op == n.op && next.thing == n.thing
}

// meet is true of the two halves of a rendezvous.
func (p *planner) meet(send, recv constraint.EventID) bool {
	s, r := &p.b.sys.Events[send], &p.b.sys.Events[recv]
	return s.Op == constraint.Send && r.Op == constraint.Recv && r.Outcome == constraint.Received && s.Obj == r.Obj && p.b.sys.Objects[s.Obj].Cap == 0
}

// together performs a rendezvous: one half waits for the other and goes on
// after it. A half that could give up or take another case can't wait.
func (p *planner) together(send, recv constraint.EventID) {
	first, second := send, recv
	if p.free(send) > p.free(recv) {
		first, second = recv, send
	}
	p.move(first, false)
	p.move(second, false)
	p.move(first, true)
}

// free is how many other ways an operation has.
func (p *planner) free(e constraint.EventID) int {
	d := &p.b.owner(e).next
	n := len(d.arms)
	if d.deflt {
		n += 1000
	}
	return n
}

// position is where an event is in its goroutine's history.
func (p *planner) position(e constraint.EventID) (count uint32, choice int) {
	owner := p.b.owner(e)
	d := &owner.next
	count, choice = math.MaxUint32, run.NoChoice
	if n := p.b.nodes[e]; n != nil {
		count = n.count
	} else if len(d.kids) > 0 {
		count = d.kids[0].count
	} else if d.count > 0 || d.op == constraint.Start || owner.parent == nil {
		count = d.count
	}
	if len(d.arms) > 1 || d.deflt && d.arms != nil {
		choice = p.choice(e)
	}
	return count, choice
}

func (p *planner) choice(e constraint.EventID) int {
	if n := p.b.nodes[e]; n != nil {
		return int(n.took)
	}
	if i, ok := p.b.cases[e]; ok {
		return int(i)
	}
	return run.NoChoice
}
