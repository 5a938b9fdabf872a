package switches

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// bounded looks at all schedules with at most so many preemptions, depth first,
// and does not enter a state again that it has left with as many to spend.
type bounded struct {
	*processor
	budget *budget.Budget // a step for each state
	goal   constraint.Goal
	// happens and stands are what the goal asks of events one by one.
	happens, stands []constraint.EventID
	seen            map[state]int32 // most preemptions to spend with which it was left
	place           []int32         // by event: when it was performed, from 1; 0: it was not
	depth           int32
	// dead events end every hope of the goal; private ones concern no other
	// thread, so that nothing is lost if they are never preempted.
	dead, private []bool
	// beyond, if set, takes the goal's place: an event of these is performed.
	beyond  []bool
	path    []step // how the machine came to where it stands
	whole   bool   // the last search was never short of a preemption
	stopped bool
}

// state is where a search stands.
type state struct {
	key     [2]uint64
	running constraint.ThreadID
	told    uint64 // what else the goal asks, and who is parked
}

func newBounded(budget *budget.Budget, p *processor, goal constraint.Goal) *bounded {
	b := &bounded{processor: p.again(constraint.NewMachine(p.sys)), budget: budget, goal: goal,
		happens: goal.Happens(), stands: goal.Stands(),
		seen:  map[state]int32{},
		place: make([]int32, len(p.sys.Events)),
		dead:  make([]bool, len(p.sys.Events)), private: make([]bool, len(p.sys.Events)),
	}
	b.findDead()
	b.findPrivate()
	return b
}

// search looks for a schedule with at most k preemptions; exhausted: there is
// none. States that earlier searches saw are not paid for again.
func (b *bounded) search(k int) (f *found, exhausted bool) {
	b.whole, b.stopped = true, false
	if b.reached(noMove) || b.from(nobody, int32(k)) {
		return b.found(), false
	}
	return nil, !b.stopped
}

// from goes on where running runs, with preemptions to spend; true: reached,
// and the machine stands there.
func (b *bounded) from(running constraint.ThreadID, spend int32) bool {
	var forced []move
	for {
		mv, ok := b.force(running, spend)
		if !ok {
			break
		}
		forced = append(forced, mv)
		b.path = append(b.path, step{running, mv, leave{}})
		if b.reached(mv) {
			return true
		}
	}
	if b.enter(running, spend) && b.branch(running, spend) {
		return true
	}
	for i := len(forced) - 1; i >= 0; i-- {
		b.undo(forced[i])
		b.path = b.path[:len(b.path)-1]
	}
	return false
}

// branch tries all that may come next: who runs goes on, somebody who is parked
// gets done what he waits for, or another thread runs.
func (b *bounded) branch(running constraint.ThreadID, spend int32) bool {
	if running != nobody {
		for _, mv := range b.moves(running) {
			if b.try(step{running, mv, leave{}}, spend) {
				return true
			}
		}
	}
	for t, waits := range b.parked {
		if t := constraint.ThreadID(t); waits && t != running {
			for _, e := range b.m.Next(t) {
				if !b.dead[e] && !b.meets(e) && b.handed(e) && b.try(step{running, single(t, e), leave{}}, spend) {
					return true
				}
			}
		}
	}
	if running == nobody || len(b.m.Next(running)) == 0 {
		return b.others(running, leave{parks: constraint.NoEvent, ends: true}, spend)
	}
	if !b.canGoOn(running) {
		b.parked[running] = true
		if b.others(running, leave{parks: b.m.Next(running)[0]}, spend) {
			return true
		}
		b.parked[running] = false
		if !slices.ContainsFunc(b.m.Next(running), b.meets) {
			return false // to stop it before it parks makes no difference
		}
	}
	b.whole = b.whole && spend > 0
	return spend > 0 && b.others(running, leave{parks: constraint.NoEvent, preempted: true}, spend-1)
}

// others lets each of the other threads run.
func (b *bounded) others(running constraint.ThreadID, how leave, spend int32) bool {
	for t := range b.sys.Threads {
		t := constraint.ThreadID(t)
		if t == running || b.stopped {
			continue
		}
		for _, mv := range b.moves(t) {
			if b.try(step{t, mv, how}, spend) {
				return true
			}
		}
		// A thread that runs only to park lets others meet it.
		if next := b.m.Next(t); !b.parked[t] && slices.ContainsFunc(next, b.meets) && !b.canGoOn(t) {
			b.path = append(b.path, step{t, noMove, how})
			if b.from(t, spend) {
				return true
			}
			b.path = b.path[:len(b.path)-1]
		}
	}
	return false
}

// enter says whether the state is worth looking at, and notes it.
func (b *bounded) enter(running constraint.ThreadID, spend int32) bool {
	if b.stopped {
		return false
	}
	at := state{b.m.Key(), running, b.told()}
	left, known := b.seen[at]
	if known && left >= spend {
		return false
	}
	steps := int64(1)
	if known {
		steps = 0
	}
	if !b.budget.Spend(steps) {
		b.stopped = true
		return false
	}
	b.seen[at] = spend
	return true
}

// try takes a step and goes on from there.
func (b *bounded) try(st step, spend int32) bool {
	if b.stopped || !b.make(&st.move) {
		return false
	}
	b.path = append(b.path, st)
	if b.reached(st.move) || b.from(st.running, spend) {
		return true
	}
	b.path = b.path[:len(b.path)-1]
	b.undo(st.move)
	return false
}

// move is an event, or the two of a rendezvous, that a thread performs or gets
// done.
type move struct {
	thread        constraint.ThreadID
	first, second constraint.EventID // second: NoEvent, or the receive
	parked        [2]bool            // the threads of both were, before
}

// noMove is none: what has been reached before one, and a thread that only parks.
var noMove = move{thread: nobody, first: constraint.NoEvent, second: constraint.NoEvent}

// single is the move of an event that is no rendezvous.
func single(t constraint.ThreadID, e constraint.EventID) move {
	return move{thread: t, first: e, second: constraint.NoEvent}
}

// moves are what thread t may do; whether it can shows when it is tried.
func (b *bounded) moves(t constraint.ThreadID) []move {
	var all []move
	for _, e := range b.m.Next(t) {
		if b.dead[e] {
			continue
		}
		if !b.meets(e) {
			all = append(all, single(t, e))
			continue
		}
		for u, waits := range b.parked {
			if !waits || constraint.ThreadID(u) == t {
				continue
			}
			for _, p := range b.m.Next(constraint.ThreadID(u)) {
				switch {
				case b.dead[p] || !b.halves(e, p):
				case b.sys.Events[e].Op == constraint.Send:
					all = append(all, move{thread: t, first: e, second: p})
				default:
					all = append(all, move{thread: t, first: p, second: e})
				}
			}
		}
	}
	return all
}

// force performs the only thing that there is to do: the next event of who
// runs, if no preemption is left and nobody waits, or nobody else can tell.
func (b *bounded) force(running constraint.ThreadID, spend int32) (move, bool) {
	if running == nobody {
		return move{}, false
	}
	next := b.m.Next(running)
	if len(next) != 1 || b.dead[next[0]] || b.meets(next[0]) || b.m.Blocked(next[0]) {
		return move{}, false
	}
	if !b.private[next[0]] && (spend > 0 || slices.Contains(b.parked, true)) {
		return move{}, false
	}
	mv := single(running, next[0])
	if !b.make(&mv) {
		return move{}, false
	}
	if spend == 0 && !b.private[next[0]] {
		b.whole = false
	}
	return mv, true
}

// make performs a move and notes what to restore.
func (b *bounded) make(mv *move) bool {
	mv.parked[0] = b.parked[b.sys.Events[mv.first].Thread]
	if mv.second != constraint.NoEvent {
		mv.parked[1] = b.parked[b.sys.Events[mv.second].Thread]
	}
	if b.do(mv.first, mv.second) != nil {
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
	for i, e := range []constraint.EventID{mv.first, mv.second} {
		if e != constraint.NoEvent {
			b.m.Undo()
			b.depth--
			b.place[e] = 0
			b.parked[b.sys.Events[e].Thread] = mv.parked[i]
		}
	}
}

// reached says that the goal is met, the cheap parts first; mv came last. What is
// beyond may be either half of a rendezvous.
func (b *bounded) reached(mv move) bool {
	if b.beyond != nil {
		return mv.first != constraint.NoEvent && b.beyond[mv.first] || mv.second != constraint.NoEvent && b.beyond[mv.second]
	}
	for _, e := range b.happens {
		if !b.m.Happened(e) {
			return false
		}
	}
	for _, e := range b.stands {
		if !b.m.Stands(e) {
			return false
		}
	}
	return b.m.Meets(b.goal) == nil
}

// told is what the Machine's state does not tell: who is parked, and what the
// goal will ask: which end of each of its edges came first, and what the reads
// of its conditions took.
func (b *bounded) told() uint64 {
	h := uint64(0)
	for t, waits := range b.parked {
		if waits {
			x := (uint64(t) + 1) * 0x9e3779b97f4a7c15
			h += (x ^ x>>31) * 0xbf58476d1ce4e5b9
		}
	}
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
