package forest

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// node is one event of a goroutine after a certain history.
type node struct {
	step    // of the run that showed it first; found and left are learnt from all
	loc     int32
	key     uint64 // hash of the history
	parent  *node
	from    *node // read or received from; nil: the initial value
	partner *node // CondWake: its CondWait
	depth   int32
	next    decision
	id      constraint.EventID // in the system made last
	last    constraint.EventID // in it, of what follows: events of a thread are numbered in preorder
	off     bool               // it comes after its goroutine had left the way, as SetLeft tells
}

// decision is what a goroutine does after a history, and what came of it.
type decision struct {
	known   bool
	step    // what it does
	loc     int32
	locs    []int32 // of arms
	kids    []*node
	stood   bool // a run ended with the goroutine before it
	blocked bool // ... for ever
	ends    bool // nothing: it is the end of the goroutine
	fails   bool // the program ended here at least once
	dies    bool // it always does, or waits for itself: no operation comes
	open    bool // a run ended here without telling what comes
}

// unclear is true if something comes, and no run told what.
func (d *decision) unclear() bool { return d.open && !d.known && !d.ends && !d.dies }

func newRoot(thread int32) *node {
	return &node{step: step{thread: thread}, key: uint64(thread)*0x9E3779B97F4A7C15 + 1}
}

// merger adds one run to the trees.
type merger struct {
	f       *Forest
	cur     map[int32]*node
	writer  map[int32]*node // last write by location
	value   map[int32]value // what it left
	queues  map[int32][]*node
	touched map[touch]uint32 // the count of a thread's last access to a location
	tickets map[int32]*node  // a thread's CondWait
	closed  map[int32]bool   // channels
	ok      bool
}

type touch struct{ thread, loc int32 }

// merge adds a run; false: a thing is not exact, begin anew.
func (f *Forest) merge(r *observed) bool {
	m := &merger{
		f: f, cur: map[int32]*node{}, writer: map[int32]*node{}, value: map[int32]value{}, queues: map[int32][]*node{},
		touched: map[touch]uint32{}, tickets: map[int32]*node{}, closed: map[int32]bool{}, ok: true,
	}
	for _, t := range r.threads {
		m.cur[t] = f.threads[t].root
	}
	r.trail = make([]*node, len(r.steps))
	for i := range r.steps {
		if m.add(&r.steps[i]); !m.ok {
			return false // what follows would be compared with trees that are wrong
		}
		r.trail[i] = m.cur[r.steps[i].thread]
	}
	for _, t := range r.threads {
		m.end(m.cur[t], r.ends[t])
	}
	return m.ok
}

// add makes the nodes of a step: one for each location that others use, too.
func (m *merger) add(s *step) {
	switch s.op {
	case constraint.Spawn, constraint.Start, constraint.End:
		if s.timer == 0 {
			m.enter(s, 0, nil)
		}
		for _, child := range m.f.timers[s.timer].starts {
			c := *s
			c.child = child
			m.enter(&c, 0, nil)
		}
		return
	}
	if s.arms != nil {
		m.channel(s)
		return
	}
	for _, loc := range m.f.table.things[s.thing].locs {
		switch {
		case m.f.kind(loc) == constraint.Location:
			m.access(s, loc)
		case s.op == constraint.CondWake:
			m.enter(s, loc, nil).partner = m.tickets[s.thread]
		default:
			n := m.enter(s, loc, nil)
			m.closed[loc] = m.closed[loc] || s.op == constraint.Close
			if s.op == constraint.CondWait {
				m.tickets[s.thread] = n
			}
		}
	}
}

// channel takes what the oldest send brought.
func (m *merger) channel(s *step) {
	loc := int32(0)
	if locs := m.f.table.things[s.thing].locs; len(locs) > 0 {
		loc = locs[0]
	}
	var from *node
	if s.op == constraint.Recv && s.out == constraint.Received {
		if q := m.queues[loc]; len(q) > 0 {
			from, m.queues[loc] = q[0], q[1:]
		} else if m.closed[loc] { // a select does not say that it found the end
			c := *s
			c.out, s = constraint.Closed, &c
		} else {
			m.f.doubt("a value was received that no recorded operation sent: " + m.f.name(loc))
		}
	}
	n := m.enter(s, loc, from)
	if s.op == constraint.Send {
		m.queues[loc] = append(m.queues[loc], n)
	}
}

// access is a read or write of memory. A read in the same block as another
// access of the thread's finds what that left, since only races could change
// it, and the places of those are blocks of their own.
func (m *merger) access(s *step, loc int32) {
	l := &m.f.table.locs[loc]
	if s.reads() && !l.opaque {
		s = m.known(s, loc)
		if !m.ok {
			return
		}
	}
	k := touch{s.thread, loc}
	before, again := m.touched[k]
	m.touched[k] = s.count
	if again && before == s.count && s.op == constraint.Read {
		return
	}
	n := m.enter(s, loc, m.writer[loc])
	if s.writes() {
		if s.left.known && !n.left.known {
			n.left = s.left
		}
		m.writer[loc], m.value[loc] = n, n.left
	}
}

// known settles what a read of an exact location found, and learns from it
// what the last write left.
func (m *merger) known(s *step, loc int32) *step {
	l := &m.f.table.locs[loc]
	w := m.writer[loc]
	has := l.init
	if w != nil {
		has = w.left
	}
	switch {
	case !s.found.known && !has.known:
		m.coarse(loc)
		return s
	case !s.found.known:
		c := *s
		c.found = has
		return &c
	case !has.known && w != nil:
		w.left = s.found
	case !has.known:
		l.init = s.found
		m.f.table.things[l.thing].init = s.found
	case has.bits != s.found.bits:
		m.f.doubt("a value is not the one that was written last: " + m.f.name(loc))
		m.coarse(loc)
	}
	return s
}

func (m *merger) coarse(loc int32) {
	m.f.table.coarse[m.f.table.locs[loc].thing] = true
	m.ok = false
}

// enter goes on to the node of a step, making it if no run had it before.
func (m *merger) enter(s *step, loc int32, from *node) *node {
	at := m.cur[s.thread]
	m.decide(at, s, loc)
	for _, k := range at.next.kids {
		if k.op == s.op && k.loc == loc && k.out == s.out && k.took == s.took && m.sameSource(k, s, from) {
			m.cur[s.thread] = k
			return k
		}
	}
	n := &node{step: *s, loc: loc, parent: at, from: from, depth: at.depth + 1}
	n.key = hash(at.key, uint64(s.op)<<32|uint64(loc), uint64(uint8(s.out))<<32|uint64(uint32(s.took)), s.found.bits)
	if from != nil {
		n.key = hash(n.key, from.key)
	}
	at.next.kids = append(at.next.kids, n)
	m.f.nodes++
	m.cur[s.thread] = n
	return n
}

// sameSource: what tells reads apart is the value if it is exact, else the
// write; receives are told apart by the send.
func (m *merger) sameSource(k *node, s *step, from *node) bool {
	switch {
	case s.op == constraint.Recv:
		return k.from == from
	case !s.reads():
		return true
	case m.f.table.locs[k.loc].opaque:
		return k.from == from
	}
	return k.found == s.found
}

// decide notes what a goroutine does next, which no two runs may disagree on.
func (m *merger) decide(at *node, s *step, loc int32) {
	d := &at.next
	var locs []int32
	for _, a := range s.arms {
		l := int32(0)
		if ls := m.f.table.things[a.thing].locs; len(ls) > 0 {
			l = ls[0]
		}
		locs = append(locs, l)
	}
	if !d.known || d.step.stood && !s.stood && sameAim(d, s, loc) {
		d.known, d.step, d.loc, d.locs = true, *s, loc, locs
		return
	}
	d.deflt = d.deflt || s.deflt && !s.stood
	if d.place == "" {
		d.place = s.place
	}
	if !sameAim(d, s, loc) {
		m.f.doubt("what goroutine " + m.f.threads[s.thread].path + " does next does not depend on the schedule alone, at " + m.f.where(at))
	}
}

func sameAim(d *decision, s *step, loc int32) bool {
	if s.arms != nil || d.arms != nil {
		return slices.Equal(s.arms, d.arms)
	}
	same := d.op == s.op || d.reads() && s.reads()
	return same && d.loc == loc && (d.delta == s.delta || d.step.stood || s.stood) && d.child == s.child && (d.place == s.place || d.place == "" || s.place == "")
}

// end notes how a thread's part of the run ended.
func (m *merger) end(at *node, e ending) {
	d := &at.next
	switch e.how {
	case ended:
		d.ends = true
	case failed:
		d.fails = true
		if s := &e.next; e.inside && (s.arms != nil || len(m.f.table.things[s.thing].locs) > 0) {
			m.stand(at, e)
		} else {
			d.dies = true
		}
	case open:
		d.open = true
	case stands:
		m.stand(at, e)
	}
}

// stand notes what the goroutine would have done next, if others use the same.
func (m *merger) stand(at *node, e ending) {
	s := &e.next
	locs := m.f.table.things[s.thing].locs
	if s.arms == nil && len(locs) == 0 && s.op != constraint.Start {
		// Nobody else can end a wait for what nobody else uses.
		at.next.open = at.next.open || !e.waits
		at.next.blocked = at.next.blocked || e.waits
		at.next.dies = at.next.dies || e.waits
		return
	}
	loc := int32(0)
	if s.arms == nil && len(locs) > 0 {
		loc = locs[0]
	}
	if s.op == constraint.CondWake {
		s.took = -1
	}
	m.decide(at, s, loc)
	at.next.stood = true
	at.next.blocked = at.next.blocked || e.blocked
}

func hash(xs ...uint64) uint64 {
	h := uint64(14695981039346656037)
	for _, x := range xs {
		h ^= x
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 29
	}
	return h
}
