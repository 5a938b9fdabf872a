package projection

import "github.com/hocket-dev/hocket/engine/trace"

// pairing says which waits the signals of a run ended: Cond wakes in the order
// of its tickets, which Wait takes when it begins.
type pairing struct {
	woke map[int][]int // signal or broadcast → the OpCondWait events that it ended
	by   map[int]int   // OpCondWait event → what ended it
}

func (r *run) signals() *pairing {
	p := &pairing{woke: map[int][]int{}, by: map[int]int{}}
	queue := map[trace.ObjID][]int{}
	for i := range r.events {
		e := &r.events[i]
		n := len(queue[e.Obj])
		switch e.Op {
		case trace.OpCondWait:
			queue[e.Obj] = append(queue[e.Obj], i)
			continue
		case trace.OpSignal:
			n = min(n, 1)
		case trace.OpBroadcast:
		default:
			continue
		}
		p.woke[i] = queue[e.Obj][:n:n]
		queue[e.Obj] = queue[e.Obj][n:]
		for _, w := range p.woke[i] {
			p.by[w] = i
		}
	}
	return p
}

// ticket is the OpCondWait event that an OpCondWake belongs to, or, of a waiter,
// its last; -1 if there is none.
func (r *run) ticket(g trace.GID, obj trace.ObjID, before int) int {
	list := r.byG[g]
	for i := len(list) - 1; i >= 0; i-- {
		if e := &r.events[list[i]]; list[i] < before && e.Op == trace.OpCondWait && e.Obj == obj {
			return list[i]
		}
	}
	return -1
}

// wokenBy is the signal that ended the wait of which at is the OpCondWake.
func (r *run) wokenBy(at int) int {
	t := r.ticket(r.events[at].G, r.events[at].Obj, at)
	if s, ok := r.signals().by[t]; ok && t >= 0 {
		return s
	}
	return -1
}
