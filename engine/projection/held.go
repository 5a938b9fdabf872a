package projection

import "github.com/hocket-dev/hocket/engine/trace"

// holder is a lock that was taken and not released.
type holder struct {
	g    trace.GID
	obj  trace.ObjID
	ev   int  // the event that took it
	read bool // for reading
}

// held lists the locks that were not released, by object.
func (r *run) held() map[trace.ObjID][]holder {
	held := map[trace.ObjID][]holder{}
	for i := range r.events {
		e := &r.events[i]
		switch e.Op {
		case trace.OpTryLock, trace.OpTryRLock, trace.OpLock, trace.OpRLock:
			if isTry(e.Op) && e.Value != 1 {
				continue
			}
			read := e.Op == trace.OpRLock || e.Op == trace.OpTryRLock
			held[e.Obj] = append(held[e.Obj], holder{e.G, e.Obj, i, read})
		case trace.OpUnlock, trace.OpRUnlock:
			held[e.Obj] = release(held[e.Obj], e.G)
		}
	}
	return held
}

func isTry(op trace.Op) bool { return op == trace.OpTryLock || op == trace.OpTryRLock }

// release takes out the latest holding by g, else any: another goroutine may
// unlock.
func release(l []holder, g trace.GID) []holder {
	at := len(l) - 1
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].g == g {
			at = i
			break
		}
	}
	if at < 0 {
		return l
	}
	return append(append([]holder{}, l[:at]...), l[at+1:]...)
}

// blockers are the holdings that keep an operation on their lock waiting.
func blockers(op trace.Op, l []holder) []holder {
	var out []holder
	for _, h := range l {
		if op != trace.OpRLock || !h.read {
			out = append(out, h)
		}
	}
	return out
}

// released is the event at which the lock that event ev took was given back, -1
// if it never was.
func (r *run) released(ev int) int {
	e := &r.events[ev]
	depth := 0
	for i := ev + 1; i < len(r.events); i++ {
		x := &r.events[i]
		if x.Obj != e.Obj {
			continue
		}
		switch x.Op {
		case trace.OpRLock:
			if x.G == e.G {
				depth++
			}
		case trace.OpUnlock, trace.OpRUnlock:
			if x.Op == trace.OpRUnlock && x.G != e.G {
				continue
			}
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}
