package native

import (
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/trace"
)

// delayMargin is by how much a goroutine sleeps longer than the clock passed while it
// could run: what the timer does takes time, too.
const delayMargin = 500 * time.Microsecond

// delays lets the goroutines that were slower than a timer sleep where they stood.
// Where another goroutine ran before they went on, they wait for it in any case; but
// one that a timer starts is there only when the clock has passed.
func (d *deriver) delays() {
	passed := 0 // the last delay that began a passing of the clock
	for i, y := range d.t.Delays {
		if i > 0 && y.Time == d.t.Delays[passed].Time {
			continue // could run, too
		}
		passed = i
		for _, x := range d.r.opers[y.G] {
			if x.at.file == "" || x.start >= len(d.t.Events) || d.t.Events[x.start].Count <= y.Count {
				continue
			}
			if d.alone(y, x.start) {
				d.step(x).sleep += time.Duration(y.NS)*5/4 + delayMargin
			}
			break
		}
	}
}

// alone is true if no goroutine with places ran from the delay on until the event.
func (d *deriver) alone(y trace.Delay, until int) bool {
	for i := until - 1; i >= 0; i-- {
		e := &d.t.Events[i]
		switch {
		case e.G == y.G && e.Count <= y.Count:
			return true
		case e.G != 0 && e.G != y.G && e.Op != trace.OpUnblock && d.hasPlace(e.G):
			return false
		}
	}
	return true
}

// hasPlace reports whether a goroutine comes to a point: those of contexts' timers run
// in the standard library only.
func (d *deriver) hasPlace(g trace.GID) bool {
	return slices.ContainsFunc(d.r.opers[g], func(x *oper) bool { return x.at.file != "" })
}

// pace is how long the plan must be patient: those that wait for timers seem unable to go
// on for as long as the clock passed at once, and come late by as much as it passed in
// all. 0 stands for what breakpoints.Plan says.
func (d *deriver) pace() (patience, timeout time.Duration) {
	var most, all int64
	for i, e := range d.t.Events[:failureEnd(d.t)] {
		if i == 0 {
			continue
		}
		if gap := e.Time - d.t.Events[i-1].Time; gap >= int64(clockPasses) {
			most, all = max(most, gap), all+gap
		}
	}
	if most == 0 {
		return 0, 0
	}
	patience = min(time.Duration(most)*5/4+5*time.Millisecond, longestPatience)
	return patience, min(planTimeout+time.Duration(all), longestTimeout)
}

// lateness is by how much timers may make a run longer.
func (p *Plan) lateness() time.Duration {
	if p == nil || p.Steps.Timeout == 0 {
		return 0
	}
	return p.Steps.Timeout - planTimeout
}

const (
	clockPasses     = 200 * time.Microsecond // between two events, if nobody could run; less is what their steps cost
	planTimeout     = 2 * time.Second
	longestPatience = 1500 * time.Millisecond
	longestTimeout  = 6 * time.Second
)
