package constraint

// Writers are the events that r, a read or receive, may take its value from:
// those that must-happen-before does not exclude and, for a read, whose value
// meets r's own conditions. NoEvent is the initial value.
func (c *Checker) Writers(r EventID) []EventID {
	var out []EventID
	c.eachServer(r, func(w EventID) bool {
		out = append(out, w)
		return true
	})
	return out
}

// eachServer calls do for the Writers of r until it is false.
func (c *Checker) eachServer(r EventID, do func(EventID) bool) {
	ev := &c.x.s.Events[r]
	m := &saturation{Order: c.Must(), c: c, uses: c.parts()}
	if ev.Op == Recv {
		m.eachSender(r, ev, do)
		return
	}
	m.eachWriter(r, func(w EventID) bool {
		return !c.stops() && (!c.fits(w, r, ev) || c.hidden(w, r, ev) || do(w))
	})
}

// hidden says that a write of another thread must come between w and r.
func (c *Checker) hidden(w, r EventID, ev *Event) bool {
	if w == NoEvent {
		return false
	}
	m := &saturation{Order: c.must, c: c, uses: c.parts()}
	for _, p := range m.parts[ev.Obj] {
		if o := m.latest(p, r); o != NoEvent && o != w && m.Before(w, o) {
			return true
		}
	}
	return false
}

func (m *saturation) eachSender(r EventID, ev *Event, do func(EventID) bool) {
	if ev.Outcome != Received {
		return
	}
	direct, turn := m.x.s.Objects[ev.Obj].Cap == 0, m.place(r)
	for _, s := range m.x.ofObj[ev.Obj] {
		o := &m.x.s.Events[s]
		if o.Op != Send || m.never(s, r) || direct && o.Thread == ev.Thread || !m.c.fits(s, r, ev) {
			continue
		}
		if of := m.place(s); of.least > turn.most || of.most < turn.least {
			continue // first in, first out
		}
		if m.c.stops() || !do(s) {
			return
		}
	}
}
