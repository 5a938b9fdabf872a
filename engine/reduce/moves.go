package reduce

import (
	"iter"
	"slices"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// The moves of Simplify: which schedules to try next. Segment.Until is an
// absolute position in a goroutine's history, so leaving segments out keeps the
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

// singles tries every change of one segment until none helps. After a success
// it goes on from there: what was tried before seldom helps later.
func (s *simplifier) singles() {
	for at, failed := 0, 0; len(s.segs) > 0 && failed < len(s.segs) && !s.out; {
		at %= len(s.segs)
		if s.step(changesOf(s.segs, at)) {
			failed = 0
			continue
		}
		at++
		failed++
	}
}

// changesOf are the changes of one segment: left out; run until its goroutine
// blocks or is stopped again; merged with its next one, those in between left
// out; after the next segment.
func changesOf(segs []trace.Segment, i int) iter.Seq[[]trace.Segment] {
	return func(yield func([]trace.Segment) bool) {
		if !yield(without(segs, i, i+1)) || !yield(runOn(segs, i)) {
			return
		}
		if next := nextOf(segs, i); next > i+1 && !yield(without(segs, i+1, next)) {
			return
		}
		if i+1 < len(segs) {
			yield(swapped(segs, i))
		}
	}
}

func changes(segs []trace.Segment) iter.Seq[[]trace.Segment] {
	return func(yield func([]trace.Segment) bool) {
		for i := range segs {
			for c := range changesOf(segs, i) {
				if !yield(c) {
					return
				}
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
func pairs(segs []trace.Segment) iter.Seq[[]trace.Segment] {
	return func(yield func([]trace.Segment) bool) {
		for c := range changes(segs) {
			for d := range changes(c) {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// Bounds of rebuild: preemptions looked at, goroutines that they may switch
// to, and replays.
const (
	cutLimit     = 48
	targetLimit  = 8
	rebuildLimit = 300
)

// rebuild starts from the run without preemption and adds one of the given
// preemptions, then a second: this removes at once what no single removal can.
// If widely is set, any goroutine may go on after them. It reports whether that
// helped.
func (s *simplifier) rebuild(widely bool) bool {
	plain := s.run(s.schedule(nil))
	if plain == nil || s.cost.Preemptions < 2 {
		return false
	}
	cuts := lastCuts(s.res)
	if widely {
		cuts = anyCuts(s.res, plain)
	}
	if s.step(withCuts(plain, cuts)) {
		return true
	}
	if s.cost.Preemptions < 3 {
		return false
	}
	until := s.replays + rebuildLimit
	for _, c := range cuts {
		segs := cutAt(plain, c, 0)
		if segs == nil {
			continue
		}
		if s.replays > until {
			return false
		}
		if one := s.run(s.schedule(segs)); one != nil && s.step(withCuts(one, cuts)) {
			return true
		}
	}
	return false
}

// cut is a preemption: a goroutine stops at a position and another goes on.
type cut struct {
	g, to uint64
	until uint32
}

// lastCuts are the preemptions of a run, those next to the failure first.
func lastCuts(r *run.Result) (cuts []cut) {
	segs := r.Schedule.Segments
	for i := 0; i+1 < len(segs); i++ {
		if r.EndOf(i) == run.Preempted && segs[i].G != segs[i+1].G {
			cuts = append(cuts, cut{segs[i].G, segs[i+1].G, segs[i].Until})
		}
	}
	slices.Reverse(cuts)
	return cuts[:min(len(cuts), cutLimit)]
}

// anyCuts are the preemptions of r with every goroutine as the one that goes
// on, those included that only ran in other.
func anyCuts(r, other *run.Result) (cuts []cut) {
	var all []uint64
	for _, s := range slices.Concat(r.Schedule.Segments, other.Schedule.Segments) {
		if !slices.Contains(all, s.G) && len(all) < targetLimit {
			all = append(all, s.G)
		}
	}
	for _, c := range lastCuts(r) {
		for _, c.to = range all {
			if c.to != c.g {
				cuts = append(cuts, c)
			}
		}
	}
	return cuts
}

// nearCuts is how many cuts are also tried a little before and after.
const nearCuts = 8

func withCuts(r *run.Result, cuts []cut) iter.Seq[[]trace.Segment] {
	return func(yield func([]trace.Segment) bool) {
		for i, c := range cuts {
			offsets := []int{0}
			if i < nearCuts {
				offsets = []int{0, -1, 1, -2, 2}
			}
			for _, d := range offsets {
				if segs := cutAt(r, c, d); segs != nil && !yield(segs) {
					return
				}
			}
		}
	}
}

// cutAt is r's schedule up to the preemption c, so many points later, and the
// default after it; nil if c's goroutine does not get there. Positions mean the
// same in every run: a goroutine that was blocked passed no more points.
func cutAt(r *run.Result, c cut, offset int) []trace.Segment {
	at, before := int64(c.until)+int64(offset), int64(0)
	for i, seg := range r.Schedule.Segments {
		if seg.G != c.g {
			continue
		}
		if before < at && at <= int64(seg.Until) {
			segs := append(slices.Clone(r.Schedule.Segments[:i]), trace.Segment{G: c.g, Until: uint32(at)})
			return append(segs, trace.Segment{G: c.to, Until: run.UntilBlocked})
		}
		before = int64(seg.Until)
	}
	return nil
}
