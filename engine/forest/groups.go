package forest

import "github.com/hocket-dev/hocket/engine/constraint"

// misuses bounds how many ways to use WaitGroups wrongly are asked about.
const misuses = 256

// groups is what a system does with WaitGroups.
type groups struct {
	b                  *builder
	heights            map[*node]int
	must               *constraint.Order
	waits, adds, dones []constraint.EventID
	zeros              map[constraint.EventID]constraint.EventID
	out                []Frontier
}

// groups asks for wrong uses of WaitGroups: those used again too early, and those
// counted up from 0 while somebody comes to wait. What they share is that a
// waiter that does not go on shows them, so that no schedule without waiting does.
func (b *builder) groups(heights map[*node]int) []Frontier {
	m := &groups{b: b, heights: heights, zeros: map[constraint.EventID]constraint.EventID{}}
	for i, n := range b.nodes {
		switch e := &b.sys.Events[i]; {
		case n == nil:
		case e.Op == constraint.Wait:
			m.waits = append(m.waits, constraint.EventID(i))
		case e.Op == constraint.Add && e.Delta > 0:
			m.adds = append(m.adds, constraint.EventID(i))
		case e.Op == constraint.Add && e.Delta < 0:
			m.dones = append(m.dones, constraint.EventID(i))
		}
	}
	for _, w := range m.waits {
		for _, a := range m.adds {
			if b.ends() {
				return nil
			}
			if !m.together(w, a) || b.nodes[w].parent.next.fails {
				continue
			}
			m.unordered(w, a)
			m.reused(w, a)
			if len(m.out) > misuses {
				b.f.doubt("a WaitGroup is used in too many ways")
				return m.out[:misuses]
			}
		}
	}
	return m.out
}

// together is true of events of two goroutines about one WaitGroup.
func (m *groups) together(x, y constraint.EventID) bool {
	ex, ey := &m.b.sys.Events[x], &m.b.sys.Events[y]
	return ex.Obj == ey.Obj && ex.Thread != ey.Thread
}

// reused asks for waiters that were woken and find the WaitGroup in use again,
// which panics: one waits, another goroutine ends that, and one more adds to the
// counter that was 0.
func (m *groups) reused(w, a constraint.EventID) {
	prev := m.b.sys.Events[w].Prev
	if prev == constraint.NoEvent {
		return
	}
	for _, d := range m.dones {
		if m.together(w, d) {
			m.ask("WaitGroup reused", w, a, m.b.nodes[d].key, constraint.Edge{Before: prev, After: d}, constraint.Edge{Before: d, After: m.zero(a)})
		}
	}
}

// unordered asks for an Add that begins at 0 while another goroutine is about to
// wait. Go's own code tells race detectors that this is a race: the waiter may
// miss it. An Add by a third goroutine may hide from this question that the
// counter was 0 once, which is doubted.
func (m *groups) unordered(w, a constraint.EventID) {
	if m.must == nil {
		m.must = m.b.sys.MustBefore()
	}
	if m.before(a, w) || m.before(w, a) {
		return
	}
	for _, x := range m.adds {
		if x != a && m.b.sys.Events[x].Obj == m.b.sys.Events[a].Obj && m.b.sys.Events[x].Thread != m.b.sys.Events[a].Thread && !m.before(x, a) && !m.before(w, x) {
			m.b.f.doubt("several goroutines add to a WaitGroup while one may wait: " + m.b.sys.Objects[m.b.sys.Events[a].Obj].Name)
		}
	}
	m.ask("Add concurrent with Wait of "+m.b.sys.Objects[m.b.sys.Events[a].Obj].Name, w, a, 0x3a17)
}

// before is true if x has happened whenever y's goroutine stands before y.
func (m *groups) before(x, y constraint.EventID) bool {
	prev := m.b.sys.Events[y].Prev
	return prev != constraint.NoEvent && (prev == x || m.must.Before(x, prev))
}

// ask adds a goal: the counter is 0 right before a while w's goroutine stands
// before w.
func (m *groups) ask(name string, w, a constraint.EventID, salt uint64, order ...constraint.Edge) {
	b, n := m.b, m.b.nodes[w]
	m.out = append(m.out, Frontier{
		Key: hash(n.key, b.nodes[a].key, salt), Name: name, Failure: true,
		Thread: b.f.threads[n.thread].path, Distance: m.heights[n],
		Goal: constraint.Goal{Name: name, Include: []constraint.EventID{m.zero(a)}, Stop: []constraint.EventID{w}, Order: order},
	})
}

// zero is an event that is possible where the counter is 0 right before a.
func (m *groups) zero(a constraint.EventID) constraint.EventID {
	if z, ok := m.zeros[a]; ok {
		return z
	}
	e := m.b.plain(m.b.nodes[a].parent, constraint.Wait, m.b.nodes[a].loc)
	e.Pending = true // and nothing comes of it
	m.zeros[a] = m.b.put(e)
	return m.zeros[a]
}
