package trace

import "math"

// SegmentSwitches finds where in the trace each segment of its schedule
// switches to another goroutine. The key is the index of the segment that ends;
// those of timers are passed over.
func SegmentSwitches(t *Trace) map[int]Switch {
	ids := map[uint64]GID{}
	for _, g := range t.Goroutines {
		ids[g.Key] = g.ID
	}
	out := map[int]Switch{}
	segs, at := t.Schedule.Segments, 0
	for i := range segs {
		if segs[i].Timer {
			continue
		}
		at = endOf(t, at, ids[segs[i].G], segs[i].Until)
		next := i + 1
		for next < len(segs) && segs[next].Timer {
			next++
		}
		if next < len(segs) && segs[i].G != segs[next].G {
			out[i] = Switch{From: ids[segs[i].G], To: ids[segs[next].G], At: at}
		}
	}
	return out
}

// endOf is the index of the first event from at on that does not belong to the
// segment of g that ends at position until. What the runtime does on its own
// (GID 0) belongs to the goroutine that runs.
func endOf(t *Trace, at int, g GID, until uint32) int {
	for ; at < len(t.Events); at++ {
		e := t.Events[at]
		if e.G != 0 && (e.G != g || until != math.MaxUint32 && e.Count > until) {
			break
		}
	}
	return at
}
