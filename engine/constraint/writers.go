package constraint

// Writers are the events that r, a read or receive, may take its value from:
// those that must-happen-before does not exclude and, for a read, whose value
// meets r's own conditions. NoEvent is the initial value. It is made for one
// question; a Checker answers many.
func Writers(s *System, r EventID) []EventID { return NewChecker(s).Writers(r) }

// Writers is the function Writers.
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

// NotFrom is why r does not take its value from w in the order explained last,
// as a clause that is true in every valid schedule and has "r does not take
// from w" as its first literal; nil if it does. Receives are matched by how
// many sends and receives come before; reads by the write last before them.
func (c *Checker) NotFrom(w, r EventID) Clause {
	if c.happens(r) && c.from[r] == w {
		return nil
	}
	end := c.x.s.End()
	c.lits = append(c.lits[:0], Lit{From: true, Neg: true, A: w, B: r})
	ev := &c.x.s.Events[r]
	switch {
	case !c.happens(r):
		c.or(r, end)
	case w != NoEvent && c.pos[w] > c.pos[r]:
		c.or(w, r)
	case ev.Op == Recv:
		c.unmatch(w, r, ev)
	case c.from[r] >= 0: // a write between
		if w != NoEvent {
			c.or(c.from[r], w)
		}
		c.or(r, c.from[r])
	}
	return append(Clause(nil), c.lits...)
}

// unmatch adds what would make the place of send w among the sends that of
// receive r among the receives.
func (c *Checker) unmatch(w, r EventID, ev *Event) {
	sent, received := int64(0), int64(0)
	for _, a := range c.x.ofObj[ev.Obj] {
		switch o := weightOf(&c.x.s.Events[a], countItems); {
		case o > 0 && c.pos[a] < c.pos[w]:
			sent++
		case o < 0 && c.pos[a] < c.pos[r]:
			received++
		}
	}
	for _, a := range c.x.ofObj[ev.Obj] {
		o := weightOf(&c.x.s.Events[a], countItems)
		first, at := c.pos[a] < c.pos[w], w
		if o < 0 {
			first, at = c.pos[a] < c.pos[r], r
		}
		switch {
		case o == 0 || a == w || a == r:
		case first && (o > 0) == (sent > received):
			c.or(at, a)
		case !first && (o > 0) != (sent > received):
			c.or(a, at)
		}
	}
}
