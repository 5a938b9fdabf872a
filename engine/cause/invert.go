package cause

import (
	"cmp"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// inversions are runs along the failing schedule with one of the orders the other way
// round and all else as it was (Symbiosis §3.5), for each order once. One that passes
// shows that the order is needed, and differs least from the failing run.
func (f *finder) inversions(of []Literal) (out []run.Spec) {
	for _, l := range of {
		if f.inverted[l] || l.Before == None {
			continue
		}
		f.inverted[l] = true
		for _, segs := range f.walk.inverted(l, f.Late) {
			s := f.opt.Base
			s.Record, s.Strategy, s.Schedule = run.Full, run.Replay, f.failing.Schedule
			s.Schedule.Segments = segs
			out = append(out, s)
		}
	}
	return out
}

// maxRivals bounds the orders beside the core that are inverted.
const maxRivals = 24

// challenge is an inversion of an order that does not belong to the core, the cheapest
// first: if the program passes although the core holds, that order is needed as well.
func (f *finder) challenge() []run.Spec {
	if f.rivals == nil {
		order := make([]int, len(f.all))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(f.cost[x], f.cost[y]) })
		f.rivals = []Literal{}
		for _, i := range order {
			if l := f.all[i]; l.Before != None && !f.inverted[l] && len(f.rivals) < maxRivals {
				f.rivals = append(f.rivals, l)
			}
		}
	}
	if len(f.rivals) == 0 {
		return nil
	}
	l := f.rivals[0]
	f.rivals = f.rivals[1:]
	return f.inversions([]Literal{l})
}

// inverted are schedules in which the literal's second event comes first: the goroutine
// of the first one is held before it, or that of the second goes on to it before its
// turn. late is the run that a late literal is about.
func (w *walk) inverted(l Literal, late *trace.Trace) [][]trace.Segment {
	before := w.positionOf(l.Before)
	never := position{thread: -1}
	switch {
	case l.Late:
		e := &late.Events[l.After]
		n, ok := w.byKey[late.Goroutines[e.G].Key]
		if !ok {
			break
		}
		return [][]trace.Segment{w.segments(func(emit func(position)) {
			w.hold(before, never, emit)
			emit(position{n, e.Count})
			w.rest(before, emit)
		})}
	case l.After < len(w.t.Events):
		after := w.positionOf(l.After)
		return [][]trace.Segment{
			w.segments(func(emit func(position)) { w.hold(before, after, emit) }),
			w.segments(func(emit func(position)) { w.pull(before, after, emit) }),
		}
	}
	return [][]trace.Segment{w.segments(func(emit func(position)) { w.hold(before, never, emit) })}
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

// rest are the steps of a goroutine from a position on.
func (w *walk) rest(from position, emit func(position)) {
	w.positions(func(s position) {
		if s.thread == from.thread && s.count >= from.count {
			emit(s)
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
