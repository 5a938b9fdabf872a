package constraint

import "slices"

// Order is must-happen-before: Before(a, b) says that in every valid schedule
// in which b happens, a happens before it. It is not complete; what it is made
// from: program order, spawn and start, reads and receives that only one event
// can serve, closes, calls of waits, lock regions of which one must come first,
// the counts of wait groups, and the places of sends and receives in a channel
// with one sender or receiver. It is what keeps the candidates of reads and the
// clauses few; the papers leave that to the solver (CLAP §4.1).
type Order struct {
	x    *index
	row  []int32   // per event: its row of known; events without edges of their own share that of their Prev
	last []EventID // rows of one entry per thread: the deepest event of it that must come before
	// edges are, per event, others that must come before it, beside its Prev.
	edges [][]EventID
	ranks [][2]int32 // per channel operation: how many sends and receives its path has up to it
}

// maxRows bounds the entries of an Order; edges beyond are not kept.
const maxRows = 1 << 24

// maxSaturation bounds how often edges are looked for that follow from others.
const maxSaturation = 6

// MustBefore computes must-happen-before in near-linear time.
func (s *System) MustBefore() *Order { return mustBefore(NewChecker(s)) }

// Before says that whenever b happens, a happens before it.
func (o *Order) Before(a, b EventID) bool {
	t := o.x.s.Events[a].Thread
	if t == o.x.s.Events[b].Thread {
		return o.x.before(a, b)
	}
	d := o.deepest(b, t)
	return d != NoEvent && (d == a || o.x.before(a, d))
}

// deepest is the last event of another thread that must come before b.
func (o *Order) deepest(b EventID, t ThreadID) EventID {
	return o.last[int(o.row[b])*len(o.x.s.Threads)+int(t)]
}

// Edges calls do, until it is false, for the orders that, with those of Prev,
// Before is the closure of: for each event b those a that must happen before it.
// Of a cycle, and of what comes behind it, nothing can happen.
func (o *Order) Edges(do func(a, b EventID) bool) {
	for b, in := range o.edges {
		for _, a := range in {
			if !do(a, EventID(b)) {
				return
			}
		}
	}
}

// mustBefore is Order.Before, for End too; the order is made when first asked.
func (c *Checker) mustBefore(a, b EventID) bool {
	if end := c.x.s.End(); a == end || b == end {
		return false
	}
	return c.Must().Before(a, b)
}

// Must is the must-happen-before order of the system. It is made once.
func (c *Checker) Must() *Order {
	if c.must == nil {
		c.must = mustBefore(c)
	}
	return c.must
}

// saturation makes an Order.
type saturation struct {
	*Order
	c     *Checker
	posts []int     // scratch
	queue []EventID // scratch
	uses            // the threads that use each object
	lines [][2]line // see one
	added int
}

// uses are, per object, the events that matter to others, in preorder, as one
// part per thread: of a location its writes, of others all.
type uses struct{ parts [][]part }

// part is what one thread does with an object.
type part struct {
	thread ThreadID
	events []EventID
	chain  bool // no two of them are alternatives
}

func mustBefore(c *Checker) *Order {
	n := len(c.x.pre)
	m := &saturation{
		Order: &Order{x: c.x, row: make([]int32, n), edges: make([][]EventID, n), ranks: make([][2]int32, n)},
		c:     c,
		posts: make([]int, n),
	}
	m.uses = c.parts()
	for o := range c.x.s.Objects {
		if c.x.s.Objects[o].Kind == Channel {
			m.number(c.x.ofObj[o])
		}
	}
	for t, spawns := range c.x.spawns {
		if len(spawns) != 1 {
			continue
		}
		for _, r := range c.x.roots[t] {
			m.add(spawns[0], r)
		}
	}
	for _, d := range c.given {
		m.add(d.Before, d.After)
	}
	m.propagate()
	for range maxSaturation {
		m.added = 0
		for _, e := range c.x.pre {
			if c.stops() {
				return m.Order
			}
			m.saturate(e)
		}
		if m.added == 0 {
			break
		}
		m.propagate()
	}
	return m.Order
}

// add notes that a must come before b.
func (m *saturation) add(a, b EventID) {
	if a != NoEvent && a != b {
		m.edges[b] = append(m.edges[b], a)
		m.added++
	}
}

// edge notes that a must come before b unless that is known.
func (m *saturation) edge(a, b EventID) {
	if a != NoEvent && a != b && !m.Before(a, b) {
		m.add(a, b)
	}
}

// propagate computes rows in topological order of all edges. Events on a cycle
// and behind one can't happen; nothing is said of them.
func (m *saturation) propagate() {
	threads := len(m.x.s.Threads)
	m.last = m.last[:0]
	for range threads {
		m.last = append(m.last, NoEvent)
	}
	clear(m.row)
	for e := range m.posts {
		m.posts[e] = len(m.edges[e])
		if m.x.s.Events[e].Prev != NoEvent {
			m.posts[e]++
		}
	}
	after := m.successors()
	m.queue = m.queue[:0]
	for e, n := range m.posts {
		if n == 0 {
			m.queue = append(m.queue, EventID(e))
		}
	}
	for i := 0; i < len(m.queue) && !m.c.stops(); i++ {
		e := m.queue[i]
		m.join(e, threads)
		for _, k := range m.x.kids[e] {
			m.release(k)
		}
		for _, k := range after(e) {
			m.release(k)
		}
	}
}

func (m *saturation) release(e EventID) {
	if m.posts[e]--; m.posts[e] == 0 {
		m.queue = append(m.queue, e)
	}
}

// successors turns edges round.
func (m *saturation) successors() func(EventID) []EventID {
	start := make([]int32, len(m.edges)+1)
	for _, in := range m.edges {
		for _, a := range in {
			start[a+1]++
		}
	}
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	flat, fill := make([]EventID, start[len(start)-1]), append([]int32(nil), start...)
	for b, in := range m.edges {
		for _, a := range in {
			flat[fill[a]] = EventID(b)
			fill[a]++
		}
	}
	return func(e EventID) []EventID { return flat[start[e]:start[e+1]] }
}

// join makes e's row from its Prev's and those of its edges.
func (m *saturation) join(e EventID, threads int) {
	if p := m.x.s.Events[e].Prev; p != NoEvent {
		m.row[e] = m.row[p]
	}
	if len(m.edges[e]) == 0 || len(m.last)+threads > maxRows {
		return
	}
	from := int(m.row[e]) * threads
	m.row[e] = int32(len(m.last) / threads)
	m.last = append(m.last, m.last[from:from+threads]...)
	row := m.last[len(m.last)-threads:]
	for _, a := range m.edges[e] {
		for t, d := range m.last[int(m.row[a])*threads:][:threads] {
			m.deepen(row, t, d)
		}
		m.deepen(row, int(m.x.s.Events[a].Thread), a)
	}
}

func (m *saturation) deepen(row []EventID, t int, d EventID) {
	if d != NoEvent && (row[t] == NoEvent || m.x.before(row[t], d)) {
		row[t] = d
	}
}

// parts are made once.
func (c *Checker) parts() uses {
	if c.uses.parts != nil {
		return c.uses
	}
	parts := make([][]part, len(c.x.ofObj))
	for o, events := range c.x.ofObj {
		if o < len(c.x.s.Objects) && c.x.s.Objects[o].Kind == Location {
			events = slices.DeleteFunc(slices.Clone(events), func(e EventID) bool { return c.x.s.Events[e].Op == Read })
		}
		for lo := 0; lo < len(events); {
			t, hi := c.x.s.Events[events[lo]].Thread, lo+1
			for hi < len(events) && c.x.s.Events[events[hi]].Thread == t {
				hi++
			}
			parts[o] = append(parts[o], part{thread: t, events: events[lo:hi], chain: c.x.chain(events[lo:hi])})
			lo = hi
		}
	}
	c.uses.parts = parts
	return c.uses
}

// chain says that events of one thread in preorder are all on one path.
func (x *index) chain(events []EventID) bool {
	for i := 1; i < len(events); i++ {
		if !x.before(events[i-1], events[i]) {
			return false
		}
	}
	return true
}

// number ranks the sends and receives of one channel along their paths.
func (m *saturation) number(events []EventID) {
	var path []EventID
	for _, e := range events {
		for len(path) > 0 && !m.x.before(path[len(path)-1], e) {
			path = path[:len(path)-1]
		}
		if len(path) > 0 {
			m.ranks[e] = m.ranks[path[len(path)-1]]
		}
		if k := m.half(e); k >= 0 {
			m.ranks[e][k]++
		}
		path = append(path, e)
	}
}

// half is 0 for a send, 1 for a successful receive, -1 for others.
func (m *saturation) half(e EventID) int {
	switch ev := &m.x.s.Events[e]; {
	case ev.Op == Send:
		return 0
	case ev.Op == Recv && ev.Outcome == Received:
		return 1
	}
	return -1
}
