package reduce

import (
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Schedules as lists of segments: the edits that simplification tries.

// joined merges neighbouring segments of one goroutine. Positions are absolute
// in a goroutine's history, so the later one suffices.
func joined(segs []trace.Segment) []trace.Segment {
	out := make([]trace.Segment, 0, len(segs))
	for _, s := range segs {
		if n := len(out); n > 0 && out[n-1].G == s.G && !s.Timer {
			out[n-1].Until = max(out[n-1].Until, s.Until)
			out[n-1].Await = out[n-1].Await || s.Await
			continue
		}
		out = append(out, s)
	}
	return out
}

// without is segs less those in [from,to).
func without(segs []trace.Segment, from, to int) []trace.Segment {
	out := make([]trace.Segment, 0, len(segs))
	return joined(append(append(out, segs[:from]...), segs[to:]...))
}

// nextOf is the index of the next segment of segs[i]'s goroutine, or -1.
func nextOf(segs []trace.Segment, i int) int {
	for j := i + 1; j < len(segs); j++ {
		if segs[j].G == segs[i].G {
			return j
		}
	}
	return -1
}

// pulledUp lets segs[i]'s goroutine run its next segment at once: those in
// between come later.
func pulledUp(segs []trace.Segment, i, next int) []trace.Segment {
	out := append([]trace.Segment(nil), segs[:i]...)
	out = append(out, segs[next])
	return joined(append(append(out, segs[i+1:next]...), segs[next+1:]...))
}

// runOn lets segs[i]'s goroutine run until it blocks, ends or reaches the next
// position at which the schedule stops it.
func runOn(segs []trace.Segment, i int) []trace.Segment {
	if segs[i].Timer {
		return without(segs, i, i+1)
	}
	if next := nextOf(segs, i); next >= 0 {
		return pulledUp(segs, i, next)
	}
	out := append([]trace.Segment(nil), segs...)
	out[i].Until = run.UntilBlocked
	return out
}
