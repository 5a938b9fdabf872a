package constraint

import "math"

// unknownFrom is whom an event took from that has not taken yet, or from nobody.
const unknownFrom EventID = -2

// The work of one pass beside the simulation is bounded by these, in literals
// made; to look at some events costs as much as a literal. One violation is
// always told.
const (
	literalsPerEvent  = 4
	minLiterals       = 1 << 12
	eventsPerLiteral  = 8
	literalsPerWriter = 8 // to find out whether a read may take from it
)

// Checker simulates and explains orders of one system, again and again without
// much allocation. Not safe for concurrent use.
//
// It takes every event of an order as having happened, whatever rules that
// broke, and looks at the sums that events before a point add up to. As long as
// no rule is broken these sums are the Machine's state; after that each further
// violation is still one that every schedule with the same events before and
// after that point has.
type Checker struct {
	x       *index
	regions *regions
	given   []Edge // see Given
	must    *Order // made when first needed
	places  map[EventID]place
	uses    uses // made when first needed

	pos    []int32 // per event and End: place in the current order
	end    int32   // pos of End
	took   []Value // as Machine's
	made   []Value
	from   []EventID
	ticket []int32
	chosen []EventID // per event: the alternative after it that came first
	first  []EventID // per thread: same for its first event
	last   []EventID // per thread: its last event
	broken []bool    // per thread: its events don't come as a path of its tree
	anyBad bool
	objs   []tally

	limit  int
	budget int // literals that the pass may still make
	found  []*Violation
	lits   Clause    // scratch: the clause that is being made
	ids    []EventID // scratch
	seen   []int32   // scratch: per event, the round in which the support walk met it
	round  int32
	val    func(EventID) Value // what an event took in the current order

	stop    func() bool // see StopWhen
	stopped bool        // it was true in the current call
	polls   uint
}

// tally is what the events so far add up to for one object.
type tally struct {
	writers, readers int64
	counter          int64 // WaitGroup; items of a Channel
	value            Value
	writer           EventID
	waits            int32
	called           int32
	closed           EventID // the first Close
	sends            []EventID
	received         int
	holders          []EventID // acquisitions that began a region that has not ended
}

// NewChecker needs a valid system.
func NewChecker(s *System) *Checker {
	x := newIndex(s)
	n := len(s.Events)
	c := &Checker{
		x:       x,
		regions: newRegions(x),
		pos:     make([]int32, n+1),
		took:    make([]Value, n),
		made:    make([]Value, n),
		from:    make([]EventID, n),
		ticket:  make([]int32, n),
		chosen:  make([]EventID, n),
		first:   make([]EventID, len(s.Threads)),
		last:    make([]EventID, len(s.Threads)),
		broken:  make([]bool, len(s.Threads)),
		objs:    make([]tally, max(1, len(s.Objects))),
		seen:    make([]int32, n),
	}
	c.val = func(r EventID) Value { return c.took[r] }
	return c
}

// reset starts a pass over an order. Events that it does not list come last.
func (c *Checker) reset(order []EventID, limit int) {
	c.begins()
	for i := range c.pos {
		c.pos[i] = math.MaxInt32
	}
	end := c.x.s.End()
	for i, e := range order {
		if e >= 0 && e <= end && c.pos[e] == math.MaxInt32 {
			c.pos[e] = int32(i)
		}
	}
	if c.pos[end] == math.MaxInt32 {
		c.pos[end] = int32(len(order))
	}
	c.end = c.pos[end]
	for i := range c.from {
		c.from[i] = unknownFrom
		c.chosen[i] = NoEvent
	}
	for t := range c.first {
		c.first[t], c.last[t], c.broken[t] = NoEvent, NoEvent, false
	}
	for i := range c.objs {
		o := &c.objs[i]
		*o = tally{writer: NoEvent, closed: NoEvent, sends: o.sends[:0], holders: o.holders[:0]}
		if i < len(c.x.s.Objects) {
			o.value = c.x.s.Objects[i].Init
		}
	}
	c.anyBad, c.limit, c.found = false, limit, nil
	c.budget = literalsPerEvent*len(c.x.pre) + minLiterals
}

// happens says that e is before End.
func (c *Checker) happens(e EventID) bool { return c.pos[e] < c.end }

// report adds a violation with the clause in c.lits.
func (c *Checker) report(e EventID, rule, reason string) {
	if c.full() || c.stopped {
		return
	}
	clause := make(Clause, len(c.lits))
	copy(clause, c.lits)
	c.budget -= len(clause)
	c.found = append(c.found, &Violation{Event: e, Rule: rule, Reason: reason, Clause: clause})
}

// full says that the pass has reported enough: as many violations as asked for,
// or so many literals that it would not be linear in the events any more.
func (c *Checker) full() bool {
	return c.limit > 0 && len(c.found) >= c.limit || c.budget <= 0
}

// begin empties the scratch clause; with e it starts with "e does not happen".
func (c *Checker) begin(e EventID) {
	c.lits = c.lits[:0]
	if end := c.x.s.End(); e != end {
		c.lits = append(c.lits, Lit{A: end, B: e})
	}
}

func (c *Checker) or(a, b EventID) { c.lits = append(c.lits, Lit{A: a, B: b}) }

// take notes what e takes from whom.
func (c *Checker) take(e EventID, ev *Event) {
	o := &c.objs[ev.Obj]
	switch {
	case ev.Op == Read || ev.Op == RMW:
		c.took[e], c.from[e] = o.value, o.writer
	case ev.Op == Recv && ev.Outcome == Closed:
		c.took[e], c.from[e] = Value{}, NoEvent
	case ev.Op == Recv && o.received < len(o.sends):
		s := o.sends[o.received]
		c.took[e], c.from[e] = c.made[s], s
	case ev.Op == Recv:
		c.took[e] = Value{}
	}
}

// effect adds e to the tally of its object.
func (c *Checker) effect(e EventID, ev *Event) {
	o := &c.objs[ev.Obj]
	switch ev.Op {
	case Write, RMW:
		c.give(e, ev)
		o.value, o.writer = c.made[e], e
	case Lock, Unlock, TryLock, RLock, RUnlock, TryRLock:
		o.writers += weightOf(ev, countWriters)
		o.readers += weightOf(ev, countReaders)
		c.hold(e, o)
	case Add:
		o.counter += ev.Delta
	case CondWait:
		c.ticket[e] = o.waits
		o.waits++
	case Signal:
		o.called = min(o.called+1, o.waits)
	case Broadcast:
		o.called = o.waits
	case Send:
		c.give(e, ev)
		o.counter++
		o.sends = append(o.sends, e)
	case Recv:
		if ev.Outcome == Received {
			o.counter--
			o.received++
		}
	case Close:
		if o.closed == NoEvent {
			o.closed = e
		}
	}
}

func (c *Checker) give(e EventID, ev *Event) {
	if ev.Val == nil {
		c.made[e] = FreshOf(e)
		return
	}
	if ev.Val.Op == Const {
		c.made[e] = wrap(ev.Val.Value, ev.Val.Width)
		return
	}
	c.made[e] = ev.Val.Eval(c.val)
}

// hold keeps the list of open regions.
func (c *Checker) hold(e EventID, o *tally) {
	start := c.regions.start[e]
	if start == e {
		o.holders = append(o.holders, e)
		return
	}
	for _, u := range c.ends(start) {
		if u != e {
			continue
		}
		for i, h := range o.holders {
			if h == start {
				o.holders[i] = o.holders[len(o.holders)-1]
				o.holders = o.holders[:len(o.holders)-1]
				return
			}
		}
	}
}

func (c *Checker) ends(start EventID) []EventID {
	if start == NoEvent {
		return nil
	}
	return c.regions.ends[start]
}
