package cause

import "github.com/hocket-dev/hocket/engine/trace"

// clock is, by goroutine, up to which event of it (index+1) something comes after it
// in every run that does the same.
type clock map[trace.GID]int

func (c clock) knows(t *trace.Trace, event int) bool { return c[t.Events[event].G] > event }

func (c clock) join(o clock) clock {
	for g, n := range o {
		if n > c[g] {
			c[g] = n
		}
	}
	return c
}

func (c clock) clone() clock { return make(clock, len(c)+1).join(c) }

// enforced computes what the program itself enforces: a goroutine comes after the go
// statement that started it, a receive after its send, what sees a channel closed
// after the close, the return of Wait after the Done calls, of Cond.Wait after the
// signal. How locks are handed on and what atomics find is not enforced: the sides
// could have come the other way round. The result is by event, before its own effect, and for each Wait of a WaitGroup without
// the Done calls, which a Wait that comes before the Add does not wait for.
func enforced(t *trace.Trace, end int) (out []clock, alone map[int]clock) {
	w := &walker{t: t, alone: map[int]clock{}, now: map[trace.GID]clock{}, sent: map[trace.ObjID][]clock{}, closed: map[trace.ObjID]clock{},
		done: map[trace.ObjID]clock{}, signal: map[trace.ObjID]clock{}, received: map[trace.ObjID]int{}}
	out = make([]clock, len(t.Events))
	for i := range t.Events {
		if i > end {
			break
		}
		out[i] = w.step(i)
	}
	return out, w.alone
}

type walker struct {
	t        *trace.Trace
	now      map[trace.GID]clock
	sent     map[trace.ObjID][]clock // by message
	received map[trace.ObjID]int
	closed   map[trace.ObjID]clock
	done     map[trace.ObjID]clock
	signal   map[trace.ObjID]clock
	alone    map[int]clock
}

// step gives what event i comes after by its goroutine alone, so that the order
// that the event itself enforces is one of the literals where others decide it.
func (w *walker) step(i int) clock {
	e := &w.t.Events[i]
	c := w.now[e.G]
	if c == nil {
		c = clock{}
	}
	before := c
	c = c.clone()
	switch {
	case e.Op == trace.OpSend && e.Value == 1, e.Op == trace.OpSelect && e.Obj != 0 && e.Aux>>32&1 == 1:
		sent := c.clone()
		sent[e.G] = i + 1
		w.sent[e.Obj] = append(w.sent[e.Obj], sent)
	case e.Op == trace.OpRecv && e.Value == 1, e.Op == trace.OpSelect && e.Obj != 0:
		if n := w.received[e.Obj]; n < len(w.sent[e.Obj]) {
			c.join(w.sent[e.Obj][n])
			before = c
			w.received[e.Obj]++
		} else if cl := w.closed[e.Obj]; cl != nil {
			c.join(cl)
		}
	case e.Op == trace.OpRecv && e.Value == 2:
		c.join(w.closed[e.Obj])
	case e.Op == trace.OpClose:
		w.closed[e.Obj] = c.clone()
		w.closed[e.Obj][e.G] = i + 1
	case e.Op == trace.OpWGDone:
		w.done[e.Obj] = w.done[e.Obj].clone().join(c)
		w.done[e.Obj][e.G] = i + 1
	case e.Op == trace.OpWGWait:
		w.alone[i] = before
		c.join(w.done[e.Obj])
		before = c
	case e.Op == trace.OpSignal, e.Op == trace.OpBroadcast:
		w.signal[e.Obj] = w.signal[e.Obj].clone().join(c)
		w.signal[e.Obj][e.G] = i + 1
	case e.Op == trace.OpCondWake:
		c.join(w.signal[e.Obj])
	case e.Op == trace.OpOnceDo:
		done := w.done[e.Obj]
		c.join(done)
		if e.Value == 1 {
			w.done[e.Obj] = c.clone()
			w.done[e.Obj][e.G] = i + 1
		}
	case e.Op == trace.OpSpawn:
		child := c.clone()
		child[e.G] = i + 1
		w.now[trace.GID(e.Aux)] = child
	}
	c[e.G] = i + 1
	w.now[e.G] = c
	return before
}
