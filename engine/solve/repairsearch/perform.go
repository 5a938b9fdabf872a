package repairsearch

import (
	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
)

// run is one greedy performance under edges.
type run struct {
	q       *question
	m       *constraint.Machine
	demands map[constraint.EventID][]constraint.EventID // what has to be before
	ready   []constraint.ThreadID                       // threads that may go on
	in      []bool                                      // by thread: it is in ready
	// parked threads wait for something to happen to an object, or for an event.
	onObject map[constraint.ObjID][]constraint.ThreadID
	onEvent  map[constraint.EventID][]constraint.ThreadID
	announce map[constraint.EventID]bool // receives that have told their senders
	writer   map[constraint.ObjID]constraint.EventID
	holder   map[constraint.ObjID]constraint.EventID // the last acquisition
	left     int                                     // of need
	needed   map[constraint.EventID]bool

	reached, cancelled bool
}

// perform performs greedily until the goal is met or nothing can go on.
func (q *question) perform(b *budget.Budget, extra []edge) *run {
	r := &run{q: q, m: q.fresh.Clone(),
		demands:  map[constraint.EventID][]constraint.EventID{},
		in:       make([]bool, len(q.sys.Threads)),
		onObject: map[constraint.ObjID][]constraint.ThreadID{},
		onEvent:  map[constraint.EventID][]constraint.ThreadID{},
		announce: map[constraint.EventID]bool{},
		writer:   map[constraint.ObjID]constraint.EventID{},
		holder:   map[constraint.ObjID]constraint.EventID{},
		left:     len(q.need), needed: make(map[constraint.EventID]bool, len(q.need)),
	}
	for _, e := range q.need {
		r.needed[e] = true
	}
	for _, edges := range [][]edge{q.edges, extra} {
		for _, e := range edges {
			r.demands[e.after] = append(r.demands[e.after], e.before)
		}
	}
	for t := range q.sys.Threads {
		r.wake(constraint.ThreadID(t))
	}
	if r.left == 0 && r.meets() {
		return r
	}
	for steps := 0; ; steps++ {
		if steps%4096 == 0 && !b.Spend(1) {
			r.cancelled = true
			return r
		}
		t, ok := r.earliest()
		if !ok {
			break
		}
		if r.step(t) && r.left == 0 {
			if r.meets() {
				return r
			}
			if !q.waits {
				return r // what happens later can't repair it
			}
		}
	}
	return r
}

// meets looks whether goal and clauses hold now.
func (r *run) meets() bool {
	if r.m.Open() != constraint.NoEvent || r.m.Meets(r.q.goal) != nil {
		return false
	}
	r.reached = len(r.q.clauses) == 0 || solve.Place(r.q.sys, r.m.Performed()).First(r.q.clauses) == nil
	return r.reached
}

func (r *run) wake(t constraint.ThreadID) {
	if !r.in[t] {
		r.in[t] = true
		r.ready = append(r.ready, t)
	}
}

// earliest takes the thread whose next event comes first.
func (r *run) earliest() (constraint.ThreadID, bool) {
	best := -1
	for i := 0; i < len(r.ready); {
		e := r.next(r.ready[i])
		if e == constraint.NoEvent || r.q.stop[e] {
			r.drop(i)
			continue
		}
		if best < 0 || r.q.time[e] < r.q.time[r.next(r.ready[best])] {
			best = i
		}
		i++
	}
	if best < 0 {
		return 0, false
	}
	t := r.ready[best]
	r.drop(best)
	return t, true
}

func (r *run) drop(i int) {
	r.in[r.ready[i]] = false
	last := len(r.ready) - 1
	r.ready[i] = r.ready[last]
	r.ready = r.ready[:last]
}

// next is what thread t does next on its path; NoEvent: nothing.
func (r *run) next(t constraint.ThreadID) constraint.EventID {
	if l := r.m.Last(t); l != constraint.NoEvent {
		return r.q.next[l]
	}
	if e := r.q.first[t]; e != constraint.NoEvent && r.m.Stands(e) {
		return e
	}
	return constraint.NoEvent
}

// step performs what thread t does next, or parks it.
func (r *run) step(t constraint.ThreadID) bool {
	e := r.next(t)
	for _, b := range r.demands[e] {
		if !r.m.Happened(b) {
			r.onEvent[b] = append(r.onEvent[b], t)
			return false
		}
	}
	if r.do(e) {
		return true
	}
	if !r.q.onPath[e] {
		for _, other := range r.m.Next(t) {
			if other != e && !r.q.stop[other] && r.do(other) {
				return true
			}
		}
	}
	r.park(t, e)
	return false
}

// do performs e, with its receive if it is a send of capacity 0.
func (r *run) do(e constraint.EventID) bool {
	if r.m.Perform(e) != nil {
		return false
	}
	if r.m.Open() == constraint.NoEvent {
		r.done(e)
		return true
	}
	for t := range r.q.sys.Threads {
		for _, recv := range r.m.Next(constraint.ThreadID(t)) {
			if r.takes(recv, e) && r.m.Perform(recv) == nil {
				r.done(e)
				r.done(recv)
				return true
			}
		}
	}
	r.m.Undo()
	return false
}

// takes says that recv may be the other half of a send now.
func (r *run) takes(recv, send constraint.EventID) bool {
	a, b := &r.q.sys.Events[recv], &r.q.sys.Events[send]
	if a.Op != constraint.Recv || a.Obj != b.Obj || r.q.stop[recv] {
		return false
	}
	if path := r.next(a.Thread); path != recv && path != constraint.NoEvent && r.q.onPath[path] {
		return false
	}
	for _, d := range r.demands[recv] {
		if !r.m.Happened(d) && d != send {
			return false
		}
	}
	return true
}

// done counts an event that was performed and wakes who waited for it.
func (r *run) done(e constraint.EventID) {
	ev := &r.q.sys.Events[e]
	if r.needed[e] {
		r.left--
	}
	switch ev.Op {
	case constraint.Write, constraint.RMW:
		r.writer[ev.Obj] = e
	case constraint.Lock, constraint.RLock, constraint.TryLock, constraint.TryRLock:
		r.holder[ev.Obj] = e
	case constraint.Spawn:
		r.wake(ev.Child)
	}
	r.wake(ev.Thread)
	for _, t := range r.onEvent[e] {
		r.wake(t)
	}
	delete(r.onEvent, e)
	if ev.Obj != 0 {
		r.wakeObject(ev.Obj)
	}
}

func (r *run) wakeObject(o constraint.ObjID) {
	for _, t := range r.onObject[o] {
		r.wake(t)
	}
	r.onObject[o] = r.onObject[o][:0]
}

// park lets thread t wait until something happens to the objects of e. A
// receiver that has just come to a channel of capacity 0 tells its senders.
func (r *run) park(t constraint.ThreadID, e constraint.EventID) {
	ev := &r.q.sys.Events[e]
	if ev.Op == constraint.Recv && r.q.sys.Objects[ev.Obj].Cap == 0 && !r.announce[e] {
		r.announce[e] = true
		r.wakeObject(ev.Obj)
	}
	for _, c := range ev.Cases {
		r.onObject[c.Obj] = append(r.onObject[c.Obj], t)
	}
	if ev.Obj != 0 {
		r.onObject[ev.Obj] = append(r.onObject[ev.Obj], t)
	}
}
