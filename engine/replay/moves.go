package replay

import (
	"iter"
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// The moves of Simplify: which schedules to try next. Segment.Until is an
// absolute position in a goroutine's life, so leaving segments out keeps the
// meaning of the others.

// truncate leaves the end to the default rule.
func (s *simplifier) truncate() {
	for s.step(func(yield func([]trace.Segment) bool) {
		n := len(s.segs)
		for _, k := range []int{0, n / 8, n / 4, n / 2, n * 3 / 4, n * 7 / 8, n - 1} {
			if k >= 0 && k < n && !yield(s.segs[:k]) {
				return
			}
		}
	}) {
	}
}

// chunks leaves out ever smaller runs of segments (as ddmin does), without
// starting over after each success.
func (s *simplifier) chunks() {
	for size := len(s.segs) / 2; size > 1; size /= 2 {
		for at := 0; at+size <= len(s.segs); {
			one := func(yield func([]trace.Segment) bool) { yield(without(s.segs, at, at+size)) }
			if !s.step(one) {
				at += size
			}
			if s.out {
				return
			}
		}
	}
}

// singles is every change of one segment: merged with the next of its
// goroutine (run at once, or later), left out, or run until it blocks.
func (s *simplifier) singles() iter.Seq[[]trace.Segment] {
	return func(yield func([]trace.Segment) bool) {
		for c := range changes(s.segs) {
			if !yield(c) {
				return
			}
		}
	}
}

func changes(segs []trace.Segment) iter.Seq[[]trace.Segment] {
	return func(yield func([]trace.Segment) bool) {
		for i := range segs {
			if !yield(without(segs, i, i+1)) || !yield(runOn(segs, i)) {
				return
			}
			if next := nextOf(segs, i); next > i+1 && !yield(without(segs, i+1, next)) {
				return
			}
			if i+1 < len(segs) && !yield(swapped(segs, i)) {
				return
			}
		}
	}
}

// swapped lets the next segment go first.
func swapped(segs []trace.Segment, i int) []trace.Segment {
	out := slices.Clone(segs)
	out[i], out[i+1] = out[i+1], out[i]
	return joined(out)
}

// pairs is every two changes after one another.
func (s *simplifier) pairs() iter.Seq[[]trace.Segment] {
	return func(yield func([]trace.Segment) bool) {
		for c := range changes(s.segs) {
			for d := range changes(c) {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// rebuildLimit bounds how many preemptions rebuild looks at.
const rebuildLimit = 40

// rebuild starts from the run without preemption and adds one of the failing
// run's preemptions at a time, then a second: noise that no single removal
// gets rid of falls away at once.
func (s *simplifier) rebuild() {
	plain := s.run(s.schedule(nil))
	if plain == nil || s.cost.Preemptions < 2 {
		return
	}
	cuts := preemptions(s.res)
	cuts = cuts[:min(len(cuts), rebuildLimit)]
	if s.step(withCuts(plain, cuts)) || s.cost.Preemptions < 3 {
		return
	}
	for _, c := range cuts {
		segs, ok := cutAt(plain, c)
		if !ok {
			continue
		}
		if one := s.run(s.schedule(segs)); one != nil && s.step(withCuts(one, cuts)) {
			return
		}
	}
}

// cut is a preemption: the goroutine of from stops there and to goes on.
type cut struct {
	from trace.Segment
	to   uint64
}

func preemptions(r *Result) (cuts []cut) {
	segs := r.Schedule.Segments
	for i := 0; i+1 < len(segs); i++ {
		if r.endOf(i) == Preempted && segs[i].G != segs[i+1].G {
			cuts = append(cuts, cut{segs[i], segs[i+1].G})
		}
	}
	return cuts
}

func withCuts(r *Result, cuts []cut) iter.Seq[[]trace.Segment] {
	return func(yield func([]trace.Segment) bool) {
		for _, c := range cuts {
			if segs, ok := cutAt(r, c); ok && !yield(segs) {
				return
			}
		}
	}
}

// cutAt is r's schedule up to the preemption c, and the default after it.
func cutAt(r *Result, c cut) ([]trace.Segment, bool) {
	for i, seg := range r.Schedule.Segments {
		if seg.G == c.from.G && seg.Until >= c.from.Until {
			out := append(slices.Clone(r.Schedule.Segments[:i]), c.from)
			return append(out, trace.Segment{G: c.to, Until: untilBlocked}), true
		}
	}
	return nil, false
}
