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
