package breakpoints

// Breakpoint is a concurrent breakpoint (l1, ..., ln; φ): see [New] for those
// that are put into code by hand.
type Breakpoint struct {
	gates   *gateRow
	def     Definition
	order   []int
	joint   *expr                     // joint predicate of a definition; nil is true
	when    func(values [][]any) bool // the same of New, or nil
	journal *journal                  // where statistics go, or nil
	own     gateRow                   // of one that is in code by hand

	// The rest is guarded by waiters.mu.
	sides    [MaxSides + 1]sideState
	meetings *meeting // those whose goroutines have not all gone on
	met      int      // meetings, those to ignore included
	stat     Stat
	hitTime  int64 // ns from the first arrival to the last release, over all hits
	born     int64 // nanotime
	over     bool  // AtMost hits have been
}

// sideState is what is known of one side.
type sideState struct {
	visits      counter
	refused     counter // visits with the local predicate false
	uncounted   bool    // its gate was closed, so that visits were not counted
	first, last *visit  // postponed there, oldest first (Postponed_i of section 2)
	budget      budget
	fn          string // function that holds it, as stack dumps write it
	passages    ring   // of the side that never pauses, if it is the first of OneWay
	inside      ring   // released early, and blocked in the statement; see passer.go
	wasted      wastedPauses
	shared      bool   // its statement is a side of other breakpoints, too; see shared.go
	peers       int    // how many sides those are
	later       []peer // those of them that come behind this one
}

// visit is a goroutine at a side.
type visit struct {
	waiter // debuggers read waiter.goid: lsp/dap and cmd/hocket/debug_sides.star
	sleeper
	b          *Breakpoint
	side       int
	values     []value
	prev, next *visit // in sideState
	since      int64  // nanotime of its arrival
	seen       int64  // nanotime of the last look at the clock
	live       int64  // ns that it has waited; see tick
	end        outcome
	suspect    int // looks in a row in which it seemed to hold what the other side waits for

	m        *meeting
	inLine   int64 // ns that it has been the next one to go on, see tick
	passedAt int64 // nanotime at which it went on
	did      bool  // its next instruction is done
	passage  bool  // of the side that never pauses
	inside   bool  // may be blocked in the side's statement, see passer.go
	turned   bool  // has gone on in its meeting

	atShared *sharedStop // nil unless the statement is shared
	limit    int64       // ns that it may pause there
	oneOf    []int       // sides that it may be
	listed   bool        // it has been postponed
}

// gone reports whether the goroutine has passed its side already.
//
//go:norace
func (v *visit) gone() bool { return v.passage || v.inside }

// outcome is why a visit ended.
type outcome int

const (
	waiting  outcome = iota
	inHit            // goes on in its turn
	ignored          // the meeting is one of those to ignore, or the last hit has been
	timedOut         //
	released         // nobody else could go on
)

// meeting is goroutines at all sides at once, with φ true.
type meeting struct {
	order []*visit // of release
	turn  int      // index in order of the one that goes on next
	end   outcome  // of all visits in it
	again bool     // it stands on a passage that was counted before
	shown bool     // hit has returned: the first may go on
	since int64    // nanotime at which the first of them arrived
	next  *meeting // in Breakpoint.meetings
}

//go:norace
func newBreakpoint(d Definition, g *gateRow) *Breakpoint {
	b := &Breakpoint{gates: g}
	b.define(d)
	return b
}

// define sets what the breakpoint is, and forgets what has happened. It must
// not be in use.
//
//go:norace
func (b *Breakpoint) define(d Definition) {
	b.def, b.order, b.born = d, d.order(), nanotime()
	b.joint, _ = parseJoint(d.Joint) // checked when d was parsed
	b.stat = newStat(d.Sides)
	for s := 1; s <= d.Sides; s++ {
		side := &b.sides[s]
		side.budget.born, side.uncounted = 0, false
		side.visits.reset()
		side.refused.reset()
		if s <= len(d.Funcs) {
			b.sides[s].fn = d.Funcs[s-1]
		}
	}
}

// arm opens or closes all gates.
//
//go:norace
func (b *Breakpoint) arm(on bool) {
	b.gates[isSet].set(on)
	for s := 1; s <= b.def.Sides; s++ {
		b.gates[s].set(on)
	}
}

//go:norace
func (s *sideState) add(v *visit) {
	v.prev, v.next = s.last, nil
	if s.last != nil {
		s.last.next = v
	} else {
		s.first = v
	}
	s.last = v
}

//go:norace
func (s *sideState) remove(v *visit) {
	if v.prev != nil {
		v.prev.next = v.next
	} else {
		s.first = v.next
	}
	if v.next != nil {
		v.next.prev = v.prev
	} else {
		s.last = v.prev
	}
	v.prev, v.next = nil, nil
}

// ring holds the latest passages of a side that never pauses.
type ring struct {
	list [32]*visit
	n    int
}

//go:norace
func (r *ring) add(v *visit) {
	r.list[r.n%len(r.list)] = v
	r.n++
}

// neverPauses reports whether the side is the first of a one-way order.
//
//go:norace
func (b *Breakpoint) neverPauses(side int) bool { return b.def.OneWay && b.order[0] == side }
