package hunt

import (
	"math"
	"slices"
	"time"
)

// What a search is worth. The time goes to searches in proportion to it: the next
// slice is of the one that has had the least for its worth, so that none starves.
const (
	leastEach  = 5 * time.Millisecond // runs are not quicker, with all that is around them
	unfinished = 2.0                  // a target with a race may fail, too
	spentOnce  = 0.25                 // an earlier search of the program was completed
)

// worthMost is the open search that has had the least time for its worth.
func (w *crew) worthMost() (best *pipeline) {
	for _, p := range w.all {
		if p.state == searched && !p.busy && (best == nil || p.had() < best.had()) {
			best = p
		}
	}
	return best
}

// had is the time that the search has had, for its worth.
func (p *pipeline) had() float64 { return p.spent.Seconds() / p.worth() }

// worth is greater the more of the latest runs did what no run before had done,
// and the shorter they are. It is never zero.
func (p *pipeline) worth() float64 {
	fresh := (float64(p.fresh) + 1) / (float64(p.attempts) + 1)
	v := fresh / math.Sqrt(max(p.each(), leastEach).Seconds())
	if len(p.caught) > 0 {
		v *= unfinished
	}
	if p.past.Spent {
		v *= spentOnce
	}
	return v
}

// each is about how long a run takes; where none has ended, longer than they had.
func (p *pipeline) each() time.Duration {
	if p.last.Schedules == 0 {
		return 2 * p.spent
	}
	return p.last.Each
}

// narrow is true of a target whose runs take long, or which nothing is known of: it
// has one slot, while there are other targets.
func (p *pipeline) narrow() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return (p.last.Schedules == 0 || p.each() > slowRun) &&
		slices.ContainsFunc(p.all, func(o *pipeline) bool { return o != p && o.state != ended })
}

// nextSlow is a target of which no run has ended yet, when it is time for those: in
// the second half of the time, one after the other.
func (w *crew) nextSlow() (next *pipeline) {
	if time.Until(w.end) > w.Budget/2 {
		return nil
	}
	for _, p := range w.all {
		if p.state != searched || p.last.Schedules > 0 {
			continue
		}
		if p.busy {
			return nil
		}
		if next == nil || p.spent < next.spent {
			next = p
		}
	}
	return next
}
