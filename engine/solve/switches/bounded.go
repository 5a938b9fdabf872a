package switches

import (
	"context"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// bounded looks at all schedules with at most so many preemptions, depth first,
// and does not enter a state again that it has left with as many to spend.
type bounded struct {
	ctx   context.Context
	sys   *constraint.System
	goal  constraint.Goal
	m     *constraint.Machine
	limit int
	seen  map[state]int32 // most preemptions to spend with which it was left
	place []int32         // by event: when it was performed, from 1, for goal.Order
	depth int32
	// dead events end every hope of the goal; private ones concern no other
	// thread, so that nothing is lost if they are never preempted.
	dead, private []bool
	whole         bool // the last search was never short of a preemption
	stopped       bool
	entered       int
}

// state is where a search stands.
type state struct {
	key     [2]uint64
	running constraint.ThreadID
	told    uint64 // what else the goal asks
}

func newBounded(ctx context.Context, sys *constraint.System, goal constraint.Goal, limit int) *bounded {
	b := &bounded{ctx: ctx, sys: sys, goal: goal, m: constraint.NewMachine(sys), limit: limit,
		seen:  map[state]int32{},
		place: make([]int32, len(sys.Events)),
		dead:  make([]bool, len(sys.Events)), private: make([]bool, len(sys.Events)),
	}
	b.findDead()
	b.findPrivate()
	return b
}

// search looks for an order with at most k preemptions; exhausted: there is
// none. States that were seen by earlier searches count against the limit.
func (b *bounded) search(k int) (order []constraint.EventID, exhausted bool) {
	b.whole, b.stopped = true, false
	if b.from(nobody, int32(k)) {
		return b.m.Performed(), false
	}
	return nil, !b.stopped
}

// from goes on where running runs, with preemptions to spend; true: reached,
// and the machine stands there.
func (b *bounded) from(running constraint.ThreadID, spend int32) bool {
	var forced []move
	back := func() bool {
		for i := len(forced) - 1; i >= 0; i-- {
			b.undo(forced[i])
		}
		return false
	}
	for {
		if b.reached() {
			return true
		}
		mv, ok := b.force(running, spend)
		if !ok {
			break
		}
		forced = append(forced, mv)
	}
	if !b.enter(running, spend) || b.stopped {
		return back()
	}
	if running != nobody {
		for _, mv := range b.moves(running) {
			if b.try(mv, spend) {
				return true
			}
		}
		if canGoOn(b.m, running) {
			b.whole = b.whole && spend > 0
			spend--
		}
	}
	if spend < 0 {
		return back()
	}
	for t := range b.sys.Threads {
		if t := constraint.ThreadID(t); t != running {
			for _, mv := range b.moves(t) {
				if b.try(mv, spend) {
					return true
				}
			}
		}
	}
	return back()
}

// enter says whether the state is worth looking at, and notes it.
func (b *bounded) enter(running constraint.ThreadID, spend int32) bool {
	at := state{b.m.Key(), running, b.told()}
	if left, known := b.seen[at]; known && left >= spend {
		return false
	}
	if b.entered++; len(b.seen) >= b.limit || b.entered%64 == 0 && b.ctx.Err() != nil {
		b.stopped = true
		return false
	}
	b.seen[at] = spend
	return true
}

func (b *bounded) try(mv move, spend int32) bool {
	if b.stopped || !b.do(mv) {
		return false
	}
	if b.from(mv.thread, spend) {
		return true
	}
	b.undo(mv)
	return false
}

// move is an event, or the two of a rendezvous, performed by a thread.
type move struct {
	thread        constraint.ThreadID
	first, second constraint.EventID // second: NoEvent, or the receive
}

// moves are what thread t may do; whether it can shows when it is tried.
func (b *bounded) moves(t constraint.ThreadID) []move {
	var all []move
	for _, e := range b.m.Next(t) {
		if b.dead[e] {
			continue
		}
		if !b.meets(e) {
			all = append(all, move{t, e, constraint.NoEvent})
			continue
		}
		for u := range b.sys.Threads {
			if constraint.ThreadID(u) == t {
				continue
			}
			for _, p := range b.m.Next(constraint.ThreadID(u)) {
				if b.dead[p] || !b.meets(p) || b.sys.Events[p].Obj != b.sys.Events[e].Obj {
					continue
				}
				switch {
				case b.sys.Events[p].Op == b.sys.Events[e].Op:
				case b.sys.Events[e].Op == constraint.Send:
					all = append(all, move{t, e, p})
				default:
					all = append(all, move{t, p, e})
				}
			}
		}
	}
	return all
}

// meets says that e is one half of a rendezvous.
func (b *bounded) meets(e constraint.EventID) bool {
	ev := &b.sys.Events[e]
	return (ev.Op == constraint.Send || ev.Op == constraint.Recv && ev.Outcome == constraint.Received) &&
		b.sys.Objects[ev.Obj].Cap == 0
}

// force performs the only thing that there is to do: the next event of who
// runs, if no preemption is left or nobody else can tell.
func (b *bounded) force(running constraint.ThreadID, spend int32) (move, bool) {
	if running == nobody {
		return move{}, false
	}
	next := b.m.Next(running)
	if len(next) != 1 || b.dead[next[0]] || b.meets(next[0]) || spend > 0 && !b.private[next[0]] {
		return move{}, false
	}
	mv := move{running, next[0], constraint.NoEvent}
	if !b.do(mv) {
		return move{}, false
	}
	if spend == 0 && !b.private[next[0]] {
		b.whole = false
	}
	return mv, true
}

func (b *bounded) do(mv move) bool {
	if b.m.Perform(mv.first) != nil {
		return false
	}
	if mv.second != constraint.NoEvent && b.m.Perform(mv.second) != nil {
		b.m.Undo()
		return false
	}
	for _, e := range []constraint.EventID{mv.first, mv.second} {
		if e != constraint.NoEvent {
			b.depth++
			b.place[e] = b.depth
		}
	}
	return true
}

func (b *bounded) undo(mv move) {
	for _, e := range []constraint.EventID{mv.second, mv.first} {
		if e != constraint.NoEvent {
			b.m.Undo()
			b.depth--
			b.place[e] = 0
		}
	}
}

// reached says that the goal is met, the cheap parts first.
func (b *bounded) reached() bool {
	for _, e := range b.goal.Include {
		if !b.m.Happened(e) {
			return false
		}
	}
	for _, e := range b.goal.Stop {
		if !b.m.Stands(e) {
			return false
		}
	}
	for _, e := range b.goal.Blocked {
		if !b.m.Stands(e) {
			return false
		}
	}
	for _, d := range b.goal.Order {
		if b.place[d.Before] == 0 || b.place[d.After] == 0 {
			return false
		}
	}
	return b.m.Meets(b.goal) == nil
}

// told is what the goal will ask that the Machine's state does not tell: which
// end of each of its edges came first, and what the reads of its conditions took.
func (b *bounded) told() uint64 {
	h := uint64(0)
	for _, c := range b.goal.Cond {
		for _, r := range c.Symbols() {
			v := b.m.Value(r)
			h = (h ^ v.Bits ^ uint64(uint32(v.Fresh))<<32) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
	}
	for _, d := range b.goal.Order {
		x, y := b.place[d.Before], b.place[d.After]
		h *= 3
		switch {
		case x == 0 && y == 0:
		case x != 0 && (y == 0 || x < y):
			h++
		default:
			h += 2
		}
	}
	return h
}

// findDead marks the events with which a thread leaves the way to what the goal
// wants of it.
func (b *bounded) findDead() {
	kids := map[constraint.EventID][]constraint.EventID{} // of events on ways only
	way := make([]bool, len(b.sys.Events))
	roots := make([]bool, len(b.sys.Threads))
	mark := func(e constraint.EventID) {
		if e == constraint.NoEvent {
			return
		}
		roots[b.sys.Events[e].Thread] = true
		for ; e != constraint.NoEvent && !way[e]; e = b.sys.Events[e].Prev {
			way[e] = true
		}
	}
	for _, e := range b.goal.Include {
		mark(e)
	}
	for _, d := range b.goal.Order {
		mark(d.Before)
		mark(d.After)
	}
	for _, c := range b.goal.Cond {
		for _, r := range c.Symbols() {
			mark(r)
		}
	}
	stops := map[constraint.EventID]bool{} // threads stand right after these
	first := map[constraint.ThreadID]bool{}
	for _, all := range [][]constraint.EventID{b.goal.Stop, b.goal.Blocked} {
		for _, e := range all {
			p := b.sys.Events[e].Prev
			mark(p)
			if p == constraint.NoEvent {
				first[b.sys.Events[e].Thread] = true
			} else {
				stops[p] = true
			}
		}
	}
	hasWay := map[constraint.EventID]bool{} // an event on the way follows
	for i := range b.sys.Events {
		if p := b.sys.Events[i].Prev; p != constraint.NoEvent && way[p] {
			kids[p] = append(kids[p], constraint.EventID(i))
			hasWay[p] = hasWay[p] || way[i]
		}
	}
	for i := range b.sys.Events {
		ev := &b.sys.Events[i]
		if ev.Prev == constraint.NoEvent {
			b.dead[i] = first[ev.Thread] || roots[ev.Thread] && !way[i]
		}
	}
	for p, after := range kids {
		for _, e := range after {
			b.dead[e] = stops[p] || hasWay[p] && !way[e]
		}
	}
}

// findPrivate marks events whose object no other thread uses, or that have
// none. Spawn is not private: a new thread could run.
func (b *bounded) findPrivate() {
	const several = -2
	user := make([]constraint.ThreadID, len(b.sys.Objects))
	for o := range user {
		user[o] = nobody
	}
	use := func(o constraint.ObjID, t constraint.ThreadID) {
		if user[o] == nobody {
			user[o] = t
		} else if user[o] != t {
			user[o] = several
		}
	}
	for i := range b.sys.Events {
		ev := &b.sys.Events[i]
		use(ev.Obj, ev.Thread)
		for _, c := range ev.Cases {
			use(c.Obj, ev.Thread)
		}
	}
	for i := range b.sys.Events {
		ev := &b.sys.Events[i]
		switch ev.Op {
		case constraint.Nop, constraint.Start, constraint.End:
			b.private[i] = true
		case constraint.Spawn, constraint.Default:
		default:
			b.private[i] = ev.Obj != 0 && user[ev.Obj] != several
		}
	}
}
