package cause

import (
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// inversions are runs along the failing schedule with one order of the core the other
// way round and all else as it was (Symbiosis §3.5), for each order once. One that
// passes shows that the order is needed, and differs least from the failing run.
func (f *finder) inversions() (out []run.Spec) {
	for _, l := range f.Core {
		if f.inverted[l] || l.Before == None {
			continue
		}
		f.inverted[l] = true
		for _, segs := range f.walk.inverted(l) {
			s := f.opt.Base
			s.Record, s.Strategy, s.Schedule = run.Full, run.Replay, f.failing.Schedule
			s.Schedule.Segments = segs
			out = append(out, s)
		}
	}
	return out
}

// inverted are two schedules in which the literal's second event comes first: the
// goroutine of the first one is held before it, or that of the second goes on to it
// before its turn. What the failing run did not come to has only the former.
func (w *walk) inverted(l Literal) [][]trace.Segment {
	late := l.Late || l.After >= len(w.t.Events)
	before := w.positionOf(l.Before)
	if late {
		return [][]trace.Segment{w.segments(func(emit func(position)) { w.hold(before, position{thread: -1}, emit) })}
	}
	after := w.positionOf(l.After)
	return [][]trace.Segment{
		w.segments(func(emit func(position)) { w.hold(before, after, emit) }),
		w.segments(func(emit func(position)) { w.pull(before, after, emit) }),
	}
}

// position is how far a goroutine is.
type position struct {
	thread int
	count  uint32
}

func (w *walk) positionOf(event int) position {
	e := &w.t.Events[event]
	return position{w.of[e.G], e.Count}
}

// positions are the positions of the failing run, in its order.
func (w *walk) positions(yield func(position)) {
	for i := range min(w.end+1, len(w.t.Events)) {
		if _, ok := w.of[w.t.Events[i].G]; ok {
			yield(w.positionOf(i))
		}
	}
}

// hold keeps a goroutine before a step until another has done its own, for ever if
// there is no such step.
func (w *walk) hold(before, after position, emit func(position)) {
	var held []position
	open := true
	w.positions(func(s position) {
		if open && s.thread == before.thread && s.count >= before.count {
			held = append(held, s)
			return
		}
		emit(s)
		if open && s == after {
			open = false
			for _, h := range held {
				emit(h)
			}
		}
	})
}

// pull lets a goroutine do its steps up to after when before is about to be done.
func (w *walk) pull(before, after position, emit func(position)) {
	pulled := false
	w.positions(func(s position) {
		if !pulled && s == before {
			pulled = true
			emit(after)
		}
		if !pulled || s.thread != after.thread || s.count > after.count {
			emit(s)
		}
	})
}

// segments is a schedule of the steps that are emitted.
func (w *walk) segments(each func(emit func(position))) (out []trace.Segment) {
	each(func(s position) {
		key := w.keys[s.thread]
		if n := len(out); n > 0 && out[n-1].G == key {
			out[n-1].Until = s.count
			return
		}
		out = append(out, trace.Segment{G: key, Until: s.count})
	})
	return out
}
