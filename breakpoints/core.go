package breakpoints

import (
	"slices"
	"sync"
	"time"
)

// core is the state of a plan being played. It knows roles by name only;
// where goroutines come from is role.go's business, how to wait is wait.go's.
type core struct {
	mu      sync.Mutex
	plan    Plan
	steps   map[string]*progress   // by id
	byRole  map[string][]*progress // in the plan's order
	waiting []*progress            // room for all steps from the start
	open    int                    // steps that have not gone on yet, late ones apart
	left    int                    // steps that have not arrived yet
	freed   int                    // steps that went on before their time
	broken  string                 // why the plan was given up; "" while it holds
	report  *report
	watch   watcher
	ending  int64 // goroutine that is in Linger: as good as gone
}

// progress is what has happened to one step.
type progress struct {
	Step
	next    *progress // of the same role
	rank    int       // in the order in which the steps go on
	wantID  bool      // some step waits for the state of this one's goroutine
	arrived bool
	passed  bool
	freed   bool  // nobody could go on while it waited
	when    int64 // nanotime at which it passed
	goid    int64
	due     int64 // nanotime at which its sleep is over; 0: it has not begun
}

// passTime is how long after a step has gone on its operation counts as done.
const passTime = 2 * ms

// cursor counts a role's visits against its next step.
type cursor struct {
	next   int // index into core.byRole[role]
	visits int // of the next step's point since the previous step
	last   *progress
}

//go:norace
func newCore(p Plan, rep *report) *core {
	if p.Timeout == 0 {
		p.Timeout = 2 * time.Second
	}
	if p.Linger == 0 {
		p.Linger = 20 * time.Millisecond
	}
	c := &core{plan: p, steps: map[string]*progress{}, byRole: map[string][]*progress{},
		waiting: make([]*progress, 0, len(p.Steps)), left: len(p.Steps), report: rep}
	for _, s := range p.Steps {
		pr := &progress{Step: s}
		c.steps[s.ID] = pr
		if own := c.byRole[s.Role]; len(own) > 0 {
			own[len(own)-1].next = pr
		}
		c.byRole[s.Role] = append(c.byRole[s.Role], pr)
		if !s.Late {
			c.open++
		}
	}
	for _, s := range p.Steps {
		for _, r := range s.After {
			if r.State == Blocked || r.State == Gone {
				c.steps[r.Step].wantID = true
			}
		}
	}
	c.rank()
	return c
}

// rank numbers the steps in an order in which they can go on; those that can't, last. A
// step arrives once the one before it, of the same role, has gone on.
//
//go:norace
func (c *core) rank() {
	const never = 1 << 30
	for _, p := range c.steps {
		p.rank = never
	}
	n := 0
	for more := true; more; {
		more = false
		for i := range c.plan.Steps {
			p := c.steps[c.plan.Steps[i].ID]
			own := c.byRole[p.Role]
			at := slices.Index(own, p)
			if p.rank == never && (at == 0 || own[at-1].rank < never) && c.canFollow(p, never) {
				n++
				p.rank, more = n, true
			}
		}
	}
}

// canFollow reports whether all that a step waits for has happened when the steps with a
// rank have gone on.
//
//go:norace
func (c *core) canFollow(p *progress, never int) bool {
	for _, r := range p.After {
		t := c.steps[r.Step]
		if t.rank < never {
			continue
		}
		if r.State != Arrived {
			return false
		}
		for _, before := range c.byRole[t.Role] {
			if before == t {
				break
			}
			if before.rank == never {
				return false
			}
		}
	}
	return true
}

// visit counts a visit of a role to a place with points and returns the step
// that has thereby arrived, or nil. mu is held.
//
//go:norace
func (c *core) visit(role string, cur *cursor, points []int) *progress {
	cur.last = nil
	s := c.nextAt(role, cur, points)
	if s == nil {
		return nil
	}
	cur.visits++
	if cur.visits < s.Visit {
		return nil
	}
	return c.arrive(cur, s)
}

// sameVisit returns the step that arrives in the visit in which another has
// just gone on, or nil. mu is held.
//
//go:norace
func (c *core) sameVisit(role string, cur *cursor, points []int) *progress {
	s := c.nextAt(role, cur, points)
	if s == nil || s.Visit > 0 {
		return nil
	}
	return c.arrive(cur, s)
}

//go:norace
func (c *core) nextAt(role string, cur *cursor, points []int) *progress {
	steps := c.byRole[role]
	if cur.next >= len(steps) || !slices.Contains(points, steps[cur.next].Point) {
		return nil
	}
	return steps[cur.next]
}

//go:norace
func (c *core) arrive(cur *cursor, s *progress) *progress {
	cur.next, cur.visits, cur.last = cur.next+1, 0, s
	s.arrived = true
	c.left--
	c.report.line("arrived " + s.ID)
	return s
}

// ready reports whether everything a step waits for has happened. states asks for
// the state of a passed step's goroutine. mu is held.
//
//go:norace
func (c *core) ready(s *progress, states func(p *progress) goState) bool {
	for _, r := range s.After {
		t := c.steps[r.Step]
		if !t.arrived {
			return false
		}
		if r.State == Arrived {
			continue
		}
		if !t.passed {
			return false
		}
		if r.State == Passed {
			if nanotime()-t.when < passTime {
				return false
			}
			continue
		}
		if r.State == Blocked && t.next != nil && t.next.arrived {
			continue // it was, or did not have to wait
		}
		st := states(t)
		if t.goid == c.ending {
			st = goGone
		}
		switch {
		case r.State == Gone && st != goGone:
			return false
		case r.State == Blocked && st == goRunning:
			return false
		}
	}
	return true
}

// slept is true once a step that could go on has slept. mu is held.
//
//go:norace
func (s *progress) slept() bool {
	if s.Sleep == 0 {
		return true
	}
	if s.due == 0 {
		s.due = nanotime() + int64(s.Sleep)
	}
	return nanotime() >= s.due
}

// pass marks that a step goes on. mu is held.
//
//go:norace
func (c *core) pass(s *progress) {
	if s.passed {
		return
	}
	s.passed, s.when = true, nanotime()
	if s.Late {
		return
	}
	c.open--
	if c.open == 0 && c.broken == "" {
		c.report.line("played")
	}
}

// maxFreed is how many steps may go on before their time, before the plan is given up.
const maxFreed = 5

// free lets the first of the steps that wait go on, since nobody else can, and keeps the
// rest of the order. by is who noticed. mu is held.
//
//go:norace
func (c *core) free(by *progress) {
	var first *progress
	for _, p := range c.waiting {
		if !p.freed && (first == nil || p.rank < first.rank) {
			first = p
		}
	}
	if first == nil || c.freed == maxFreed {
		c.giveUp("stuck", by)
		return
	}
	c.freed++
	c.watch.stuck = 0
	first.freed = true
	c.report.line("freed " + first.ID)
}

// giveUp releases all waits for good. mu is held.
//
//go:norace
func (c *core) giveUp(why string, s *progress) {
	if c.broken == "" {
		c.broken = why
		c.report.line("broken " + why + " " + s.ID)
	}
}

// over reports whether no step is left to arrive. mu is held.
//
//go:norace
func (c *core) over() bool { return c.broken != "" || c.left == 0 }

// played reports whether every step has gone on as planned. mu is held.
//
//go:norace
func (c *core) played() bool { return c.open == 0 && c.broken == "" && c.freed == 0 }
