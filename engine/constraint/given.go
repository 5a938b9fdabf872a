package constraint

import "sort"

// Given takes orders as known of all schedules that are asked about: whenever
// After happens, Before happens before it. Must, Writers and the clauses of
// Explain then hold in the schedules that keep them; whether an order does is not
// looked at.
func (c *Checker) Given(edges ...Edge) {
	c.given = append(c.given, edges...)
	c.forget()
}

// forget drops what was made from must-happen-before.
func (c *Checker) forget() { c.must, c.places = nil, nil }

// place is how many sends come before a send, or successful receives before
// such a receive, at least and at most.
type place struct{ least, most int }

// place of a send or successful receive, as far as must-happen-before says.
func (m *saturation) place(e EventID) place {
	if p, ok := m.c.places[e]; ok {
		return p
	}
	ev, half := &m.x.s.Events[e], m.half(e)
	var pl place
	for _, p := range m.parts[ev.Obj] {
		n := 0
		if l := m.latest(p, e); l != NoEvent {
			n = int(m.ranks[l][half])
		}
		pl.least += n
		if p.thread != ev.Thread {
			n = m.canPrecede(p, e, half)
		}
		pl.most += n
	}
	if m.c.places == nil {
		m.c.places = map[EventID]place{}
	}
	m.c.places[e] = pl
	return pl
}

// canPrecede counts the sends (0) or receives (1) of a part that need not come
// after e. Alternatives are counted all.
func (m *saturation) canPrecede(p part, e EventID, half int) int {
	if p.chain {
		i := sort.Search(len(p.events), func(i int) bool { return m.Before(e, p.events[i]) })
		if i == 0 {
			return 0
		}
		return int(m.ranks[p.events[i-1]][half])
	}
	n := 0
	for _, a := range p.events {
		if m.half(a) == half && !m.Before(e, a) {
			n++
		}
	}
	return n
}
