package projection

import "github.com/hocket-dev/hocket/engine/trace"

// before gives, per goroutine, the last event that happens before event w by
// synchronisation. Handing on a lock for which skip holds orders nothing: the
// two could have taken it the other way round. Atomics likewise, for skip(0).
func (r *run) before(w int, skip func(trace.ObjID) bool) map[trace.GID]int {
	reach := map[trace.GID]int{}
	done := map[trace.GID]int{} // events up to this position were expanded
	todo := []int{w}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		g := r.events[x].G
		if old, ok := reach[g]; !ok || x > old {
			reach[g] = x
		}
		list := r.byG[g]
		stop, ok := done[g]
		if !ok {
			stop = -1
		}
		for p := r.pos[x]; p > stop; p-- {
			todo = append(todo, r.syncBefore(list[p], skip)...)
		}
		if r.pos[x] > stop {
			done[g] = r.pos[x]
		}
	}
	return reach
}

// syncBefore lists the events of other goroutines that event y follows by
// itself.
func (r *run) syncBefore(y int, skip func(trace.ObjID) bool) []int {
	e := &r.events[y]
	switch {
	case e.Op == trace.OpWGWait:
		return r.dones(y)
	case isSend(e):
		if x, ok := r.freed[y]; ok && r.events[x].G != e.G {
			return []int{x}
		}
	case isPlain(e.Op) || isLockOp(e.Op) && skip(e.Obj) || isAtomic(e.Op) && skip(0):
		return nil
	}
	if s := r.src[y]; s >= 0 && r.events[s].G != e.G {
		return []int{s}
	}
	return nil
}

// anyLock makes before ignore how locks were handed on.
func (r *run) anyLock(trace.ObjID) bool { return true }

// dones are all the Done calls that a Wait waited for.
func (r *run) dones(wait int) []int {
	var out []int
	for i := 0; i < wait; i++ {
		if r.events[i].Op == trace.OpWGDone && r.events[i].Obj == r.events[wait].Obj {
			out = append(out, i)
		}
	}
	return out
}

// locksAt are the locks that an event's goroutine holds.
func (r *run) locksAt(ev int) map[trace.ObjID]bool {
	held := map[trace.ObjID]bool{}
	list := r.byG[r.events[ev].G]
	for _, x := range list[:r.pos[ev]] {
		e := &r.events[x]
		switch e.Op {
		case trace.OpLock, trace.OpRLock:
			held[e.Obj] = true
		case trace.OpTryLock, trace.OpTryRLock:
			held[e.Obj] = held[e.Obj] || e.Value == 1
		case trace.OpUnlock, trace.OpRUnlock:
			delete(held, e.Obj)
		}
	}
	return held
}
