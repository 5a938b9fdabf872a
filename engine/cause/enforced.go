package cause

import (
	"maps"

	"github.com/hocket-dev/hocket/engine/trace"
)

// clock is, by other goroutine, up to which event of it (index+1) something comes
// after it in every run that does the same.
type clock map[trace.GID]int

func (c clock) knows(t *trace.Trace, event int) bool { return c[t.Events[event].G] > event }

func (c clock) has(o clock) bool {
	for g, n := range o {
		if c[g] < n {
			return false
		}
	}
	return true
}

func (c clock) take(o clock) {
	for g, n := range o {
		c[g] = max(c[g], n)
	}
}

// enforced goes through a run and tells what the program itself enforces: a goroutine
// comes after the go statement that started it, a receive after its send, what sees a
// channel closed after the close, the return of Wait after the Done calls, of Cond.Wait
// after the signal. How locks are handed on and what atomics find is not enforced: the
// sides could have come the other way round.
type enforced struct {
	t      *trace.Trace
	now    map[trace.GID]clock     // what the goroutine comes after, but for its own events
	sent   map[trace.ObjID][]clock // by message that was not received yet
	closed map[trace.ObjID]clock
	done   map[trace.ObjID]clock // of all Done calls, and of what Once ran
	signal map[trace.ObjID]clock
	alone  clock // of a Wait without the Done calls: one that comes before the Add does not wait for them
}

func newEnforced(t *trace.Trace) *enforced {
	return &enforced{t: t, now: map[trace.GID]clock{}, sent: map[trace.ObjID][]clock{}, closed: map[trace.ObjID]clock{},
		done: map[trace.ObjID]clock{}, signal: map[trace.ObjID]clock{}}
}

// after is a new clock of event i, which comes after c.
func (w *enforced) after(c clock, i int) clock {
	out := make(clock, len(c)+1)
	out.take(c)
	out[w.t.Events[i].G] = i + 1
	return out
}

// gather adds event i, which comes after c, to those of its kind on its object.
func (w *enforced) gather(all map[trace.ObjID]clock, c clock, i int) {
	e := &w.t.Events[i]
	if all[e.Obj] == nil {
		all[e.Obj] = clock{}
	}
	all[e.Obj].take(c)
	all[e.Obj][e.G] = i + 1
}

// step gives what event i, the next one, comes after by its goroutine alone, so that
// the order that the event itself enforces is one of the literals where others decide
// it. The clock holds until the next step.
func (w *enforced) step(i int) clock {
	e := &w.t.Events[i]
	if w.now[e.G] == nil {
		w.now[e.G] = clock{}
	}
	c := w.now[e.G]
	switch {
	case e.Op == trace.OpSend && e.Value == 1, e.Op == trace.OpSelect && e.Obj != 0 && e.Aux>>32&1 == 1:
		w.sent[e.Obj] = append(w.sent[e.Obj], w.after(c, i))
	case e.Op == trace.OpRecv && e.Value == 1, e.Op == trace.OpSelect && e.Obj != 0:
		if sent := w.sent[e.Obj]; len(sent) > 0 {
			c.take(sent[0])
			w.sent[e.Obj] = sent[1:]
		} else {
			w.learn(e.G, w.closed[e.Obj])
		}
	case e.Op == trace.OpRecv && e.Value == 2:
		w.learn(e.G, w.closed[e.Obj])
	case e.Op == trace.OpClose:
		w.closed[e.Obj] = w.after(c, i)
	case e.Op == trace.OpWGDone:
		w.gather(w.done, c, i)
	case e.Op == trace.OpWGWait:
		w.alone = maps.Clone(c)
		c.take(w.done[e.Obj])
	case e.Op == trace.OpSignal, e.Op == trace.OpBroadcast:
		w.gather(w.signal, c, i)
	case e.Op == trace.OpCondWake:
		w.learn(e.G, w.signal[e.Obj])
	case e.Op == trace.OpOnceDo:
		w.learn(e.G, w.done[e.Obj])
		if e.Value == 1 {
			w.done[e.Obj] = w.after(w.now[e.G], i)
		}
	case e.Op == trace.OpSpawn:
		w.now[trace.GID(e.Aux)] = w.after(c, i)
	}
	return c
}

// learn adds what a goroutine comes after from its next event on.
func (w *enforced) learn(g trace.GID, o clock) {
	if c := w.now[g]; !c.has(o) {
		c = maps.Clone(c)
		c.take(o)
		w.now[g] = c
	}
}
