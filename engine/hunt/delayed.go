package hunt

import (
	"fmt"
	"math"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/trace"
)

// timeDependent says who was slower than which timer in the failing run; nil if
// nobody was that could run.
func (c *confirmation) timeDependent() *report.TimeDependent {
	if c.simple.Result.Delayed == 0 {
		return nil
	}
	d := &report.TimeDependent{DelayMS: milliseconds(int64(c.simple.Result.Delayed))}
	if c.fail == nil || len(c.fail.Delays) == 0 {
		return d
	}
	var first *trace.Delay
	ns := int64(0)
	for i := range c.fail.Delays {
		y := &c.fail.Delays[i]
		p := c.delayedAt(*y)
		switch {
		case p.File == "": // what stands in the standard library matters to nobody
		case first == nil || y.G == first.G && y.Count == first.Count: // for this timer, or for more
			if first == nil {
				first, d.Goroutine, d.At = y, p.Goroutine, p.String()
			}
			ns += y.NS
			d.Timer, d.Sleep = c.timerOf(*y)
		case y.Time == first.Time:
			d.Others = append(d.Others, p)
		case y.Time != c.fail.Delays[i-1].Time:
			d.More++
		}
	}
	if first == nil {
		return d
	}
	d.DelayMS = milliseconds(ns)
	return d
}

// milliseconds rounds up to hundredths.
func milliseconds(ns int64) float64 { return math.Ceil(float64(ns)/1e4) / 100 }

// delayedAt is where a goroutine stood.
func (c *confirmation) delayedAt(y trace.Delay) report.Place {
	p := report.Place{Goroutine: c.fail.Goroutine(y.G).Display}
	if fr, ok := c.fail.UserFrame(y.Stack); ok {
		p.File, p.Line, p.Func = c.job.Roots.Name(fr.File), fr.Line, fr.Func
	}
	return p
}

// timerOf is where the timer of a delay was set last.
func (c *confirmation) timerOf(y trace.Delay) (place string, sleep bool) {
	sleep = y.Timer == 0
	for i := range c.fail.Events {
		e := &c.fail.Events[i]
		if e.Time > y.Time || !setsTimer(e, y) {
			continue
		}
		if fr, ok := c.fail.UserFrame(e.Stack); ok {
			place = fmt.Sprintf("%s:%d", c.job.Roots.Name(fr.File), fr.Line)
		}
	}
	return place, sleep
}

// setsTimer is true of an event that makes or sets the timer of a delay.
func setsTimer(e *trace.Event, y trace.Delay) bool {
	switch {
	case y.Timer == 0:
		return e.Op == trace.OpSleep && e.G == y.Maker
	case e.Op != trace.OpTimer || uint32(e.Aux) != y.Timer:
		return false
	case e.HasValue:
		return trace.GID(e.Value) == y.Maker
	}
	return e.G == y.Maker
}
