package hunt

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// confirmTime is what the confirmation of a finding may take while there is
// anything else to do.
const confirmTime = 10 * time.Second

// enqueue has a failure confirmed, unless one of the same cause is: then it
// refers to that one.
func (w *crew) enqueue(c *confirmation) {
	w.mu.Lock()
	key := c.cause()
	leader := w.leaders[key]
	switch {
	case leader == nil || key == "" || !c.caught.Replayed:
		if leader == nil {
			w.leaders[key] = c
		}
		w.waiting = append(w.waiting, c)
		w.change.Broadcast()
		leader = nil
	case leader.state != confirmed:
		leader.others = append(leader.others, c)
		leader = nil
	}
	w.mu.Unlock()
	if leader != nil {
		c.refer(leader)
	}
}

// cause is equal for failures of one cause in different targets, "" where equal
// failures may have different causes: what the user's code checks in one place, many
// tests may check for different reasons.
func (c *confirmation) cause() string {
	s := c.caught.Signature
	if s.Places == "" {
		return ""
	}
	switch s.Kind {
	case trace.Raced, trace.Deadlocked, trace.Leaked, trace.FatalError:
		return s.String()
	case trace.Panicked:
		if slices.ContainsFunc(ownPanics, func(p string) bool { return strings.HasPrefix(s.Message, p) }) {
			return s.String()
		}
	}
	return ""
}

// ownPanics begin the messages of panics that the user's code does not ask for.
var ownPanics = []string{"panic: runtime error: ", "panic: close of ", "panic: send on ", "panic: sync: "}

// nextConfirmation takes the confirmation that is worth most. While there is
// something to search, half of the workers go on with that.
func (w *crew) nextConfirmation() *confirmation {
	searches := !w.over && slices.ContainsFunc(w.all, func(p *pipeline) bool { return p.state != ended })
	if len(w.waiting) == 0 || searches && w.confirming >= w.workers/2 {
		return nil
	}
	best := slices.MinFunc(w.waiting, func(a, b *confirmation) int { return slices.Compare(a.rank(), b.rank()) })
	if best.tries > 0 && searches {
		return nil // it had its time
	}
	w.waiting = slices.DeleteFunc(w.waiting, func(c *confirmation) bool { return c == best })
	w.confirming++
	return best
}

// rank orders confirmations, the most valuable first: those that had no time yet,
// those that an earlier search did not complete, failures before races, which are
// proved as they are, and short runs.
func (c *confirmation) rank() []int {
	flag := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return []int{c.tries, flag(c.known), flag(c.caught.Race != nil), int(c.caught.Result.Duration.Milliseconds() / 50)}
}

// until is when a confirmation that begins now has to end.
func (w *crew) until(c *confirmation) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	alone := len(w.waiting) == 0 && w.confirming == 1
	if alone && (w.over || !slices.ContainsFunc(w.all, func(p *pipeline) bool { return p.state != ended })) {
		return w.deadline()
	}
	limit := confirmTime
	if c.caught.Signature.Kind == trace.Livelock {
		limit += loopTime
	}
	if d := time.Now().Add(limit); d.Before(w.deadline()) {
		return d
	}
	return w.deadline()
}

// confirm works on a confirmation until it ends or its time does.
func (w *crew) confirm(c *confirmation) {
	until := w.until(c)
	ctx, cancel := context.WithDeadline(w.ctx, until)
	defer cancel()
	c.until, c.tries = until, c.tries+1
	c.runner.narrow.Store(c.narrow())
	doubt, err := c.run(ctx)
	w.stopped(c)
	if err != nil && ctx.Err() == nil {
		c.obstacle("confirm", err)
		doubt = cmp.Or(doubt, words.OneLine(err.Error()))
	}
	var refer []*confirmation
	w.mu.Lock()
	switch {
	case doubt != "":
		c.state, c.doubt = doubtful, doubt
		w.promote(c)
	case c.stage == complete:
		c.state = confirmed
		refer, c.others = c.others, nil
	case w.ctx.Err() == nil:
		w.waiting = append(w.waiting, c) // goes on if nothing is more urgent
	}
	w.mu.Unlock()
	c.recount()
	if doubt != "" {
		c.withhold(c.caught, doubt)
	}
	for _, other := range refer {
		other.refer(c)
		other.settle()
	}
	c.settle()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.confirming--
	w.change.Broadcast()
}

// promote has another failure confirmed in place of one that is in doubt.
func (w *crew) promote(c *confirmation) {
	key := c.cause()
	if key == "" || w.leaders[key] != c {
		return
	}
	delete(w.leaders, key)
	if len(c.others) == 0 {
		return
	}
	next := c.others[0]
	next.others, c.others = append(next.others, c.others[1:]...), nil
	w.leaders[key] = next
	w.waiting = append(w.waiting, next)
}
