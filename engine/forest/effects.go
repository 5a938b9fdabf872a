package forest

import "github.com/hocket-dev/hocket/engine/trace"

// effects orders events by when they took effect. A channel operation that
// waited is recorded when its goroutine goes on, but happened when its partner
// woke it: a send on an unbuffered channel just before its receive, one into a
// full buffer just after the receive that made room, a receive just after the
// send or close.
func effects(t *trace.Trace) []int64 {
	at := make([]int64, len(t.Events))
	parked := map[trace.GID]bool{}
	woken := map[trace.GID]int{} // the event that woke it
	buffered := bufferedChans(t)
	for i := range t.Events {
		e := &t.Events[i]
		at[i] = 4 * int64(i)
		switch e.Op {
		case trace.OpBlock:
			parked[e.G] = true
			delete(woken, e.G)
			continue
		case trace.OpUnblock:
			woken[trace.GID(e.Aux)] = i
			continue
		}
		u, ok := woken[e.G]
		if parked[e.G] && ok {
			switch e.Op {
			case trace.OpSend, trace.OpRecv, trace.OpSelect:
				at[i] = 4*int64(partner(t, u)) + 1
				if sends(e) && !buffered[e.Obj] {
					at[i] -= 2
				}
			}
		}
		delete(parked, e.G)
		delete(woken, e.G)
	}
	return at
}

// partner is the operation during which event u woke somebody.
func partner(t *trace.Trace, u int) int {
	for i := u + 1; i < len(t.Events); i++ {
		if o := t.Events[i]; o.G == t.Events[u].G && o.Op != trace.OpUnblock {
			return i
		}
	}
	return u
}

// bufferedChans are the channels with a capacity. That of a channel known from
// selects alone is not recorded; it is taken to be 0.
func bufferedChans(t *trace.Trace) map[trace.ObjID]bool {
	out := map[trace.ObjID]bool{}
	for _, e := range t.Events {
		switch e.Op {
		case trace.OpSend, trace.OpRecv, trace.OpClose:
			out[e.Obj] = e.Aux>>32 > 0
		}
	}
	return out
}

func sends(e *trace.Event) bool {
	return e.Op == trace.OpSend || e.Op == trace.OpSelect && e.Aux>>32&1 == 1
}
