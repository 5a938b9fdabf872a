package search

import (
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
)

// DefaultDelay is by how much goroutines that can run may be delayed in one run, all
// delays taken together, while the clock passes to timers.
const DefaultDelay = 10 * time.Millisecond

// smallDelay comes before larger ones: few programs need more, and what is slower by
// less is likelier.
const smallDelay = time.Millisecond

const (
	undelayedFirst = 8   // attempts without a delay, before all others
	delayedOf5     = 2   // of 5 later attempts so many have one, if it can matter
	delayExtra     = 100 // attempts to go on after a failure that had a delay: one without is worth more
)

// delays decides which attempts may delay goroutines, and by how much. It knows
// what the strategy may know, so that equal seeds make equal attempts.
type delays struct {
	seed    uint64
	most    time.Duration
	soonest time.Duration // the shortest time for which a timer was set; 0: there was none
	steps   int           // of the longest run that ended by itself
}

func (d *delays) observe(r *run.Result) {
	if r.Soonest > 0 && (d.soonest == 0 || r.Soonest < d.soonest) {
		d.soonest = r.Soonest
	}
	if !r.Hang {
		d.steps = max(d.steps, r.Steps)
	}
}

// complete fills in the delay of attempt n. One that follows an earlier run keeps
// the run's.
func (d *delays) complete(n int, s *run.Spec) {
	delay := min(time.Duration(s.Schedule.Delay), d.most)
	if n >= undelayedFirst {
		delay = max(delay, d.draw(n))
	}
	if s.Schedule.Delay = int64(delay); delay > 0 && s.Length == 0 {
		s.Length = d.steps
	}
}

func (d *delays) draw(n int) time.Duration {
	if d.soonest == 0 || d.soonest > d.most {
		return 0
	}
	rng := stream(d.seed^0x64656c6179, n)
	if rng.IntN(5) >= delayedOf5 {
		return 0
	}
	var sizes []time.Duration
	for _, size := range []time.Duration{smallDelay, DefaultDelay, d.most} {
		if size >= d.soonest && size <= d.most && (len(sizes) == 0 || sizes[len(sizes)-1] < size) {
			sizes = append(sizes, size)
		}
	}
	return sizes[rng.IntN(len(sizes))]
}

// timeOut keeps a failure at a time-out of the program's own that came only since
// others were delayed: a time-out is there for that.
func (l *ledger) timeOut(n int, r *run.Result) { l.timeOuts = addNew(l.timeOuts, n, r) }

// addNew adds what attempt n showed, unless it is there.
func addNew(list []Finding, n int, r *run.Result) []Finding {
	f := Finding{Signature: run.SignatureOf(r), Attempt: n, Result: r}
	if len(list) < maxSamples && !slices.ContainsFunc(list, func(g Finding) bool { return g.Signature == f.Signature }) {
		list = append(list, f)
	}
	return list
}
