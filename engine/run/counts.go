package run

import (
	"cmp"
	"time"
)

// Counts measures how hard a run's schedule is to follow.
type Counts struct {
	Delay       time.Duration // that goroutines which could run had to wait for timers, in whole units of delayUnit
	Preemptions int           // switches away from a goroutine that could have gone on
	Switches    int           // all switches between goroutines
	Late        int           // sum of the positions at which goroutines were preempted
	Steps       int
}

// CountsOf measures the schedule that r ran, not the one that was requested.
func CountsOf(r *Result) Counts {
	c := Counts{Steps: r.Steps, Delay: (r.Delayed + delayUnit - 1).Truncate(delayUnit)}
	last := -1
	for i, s := range r.Schedule.Segments {
		if s.Timer {
			continue
		}
		if last >= 0 && r.Schedule.Segments[last].G != s.G {
			c.Switches++
			if r.EndOf(last) == Preempted {
				c.Preemptions++
				c.Late += int(r.Schedule.Segments[last].Until)
			}
		}
		last = i
	}
	return c
}

// delayUnit is what delays are compared in: they differ a little with every step.
const delayUnit = 100 * time.Microsecond

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

// Compare orders by what makes schedules hard to follow: delays, then preemptions,
// then switches, then how far into the run they are.
func (c Counts) Compare(d Counts) int {
	return cmp.Or(
		cmp.Compare(c.Delay, d.Delay),
		cmp.Compare(c.Preemptions, d.Preemptions),
		cmp.Compare(c.Switches, d.Switches),
		cmp.Compare(c.Late, d.Late),
	)
}
