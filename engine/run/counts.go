package run

import "cmp"

// Counts measures how hard a run's schedule is to follow.
type Counts struct {
	Preemptions int // switches away from a goroutine that could have gone on
	Switches    int // all switches between goroutines
	Late        int // sum of the positions at which goroutines were preempted
	Steps       int
}

// CountsOf measures the schedule that r ran, not the one that was requested.
func CountsOf(r *Result) Counts {
	c := Counts{Steps: r.Steps}
	segs := r.Schedule.Segments
	for i := 0; i+1 < len(segs); i++ {
		if segs[i].G == segs[i+1].G {
			continue
		}
		c.Switches++
		if r.EndOf(i) == Preempted {
			c.Preemptions++
			c.Late += int(segs[i].Until)
		}
	}
	return c
}

// EndOf falls back on "until it blocks" marking a segment that was not preempted.
func (r *Result) EndOf(i int) EndReason {
	if i < len(r.Ends) {
		return r.Ends[i]
	}
	if r.Schedule.Segments[i].Until == UntilBlocked {
		return Blocked
	}
	return Preempted
}

const UntilBlocked = 1<<32 - 1 // trace.Segment.Until

// Compare orders by what makes schedules hard to follow: preemptions, then
// switches, then how far into the run they are.
func (c Counts) Compare(d Counts) int {
	return cmp.Or(
		cmp.Compare(c.Preemptions, d.Preemptions),
		cmp.Compare(c.Switches, d.Switches),
		cmp.Compare(c.Late, d.Late),
	)
}
