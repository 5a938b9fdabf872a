package constraint

import (
	"slices"
	"sort"
)

// maxScan bounds how many events one rule looks at for one event.
const maxScan = 256

// saturate adds the edges to e that follow from those known.
func (m *saturation) saturate(e EventID) {
	ev := &m.x.s.Events[e]
	switch ev.Op {
	case Lock, RLock, TryLock, TryRLock:
		m.regions(e, ev)
	case Wait:
		m.wait(e, ev)
	case CondWake:
		m.only(e, ev.Obj, func(a *Event, id EventID) bool {
			return (a.Op == Signal || a.Op == Broadcast) && !m.Before(id, ev.Partner)
		})
	case Read, RMW:
		m.read(e, ev)
	case Send:
		m.send(e, ev)
	case Recv:
		if ev.Outcome == Closed {
			m.only(e, ev.Obj, func(a *Event, _ EventID) bool { return a.Op == Close })
		} else {
			m.receive(e, ev)
		}
	}
}

// only adds the edge from the one event that serves e, if there is only one.
func (m *saturation) only(e EventID, obj ObjID, serves func(*Event, EventID) bool) {
	one := NoEvent
	for i, a := range m.x.ofObj[obj] {
		if i > maxScan {
			return
		}
		if a == e || !serves(&m.x.s.Events[a], a) || m.never(a, e) {
			continue
		}
		if one != NoEvent {
			return
		}
		one = a
	}
	m.edge(one, e)
}

// never says that a does not come before e in any valid schedule.
func (m *saturation) never(a, e EventID) bool {
	if m.x.s.Events[a].Thread == m.x.s.Events[e].Thread {
		return !m.x.before(a, e)
	}
	return m.Before(e, a)
}

// latest is the last event of a part that must come before e, NoEvent if none.
func (m *saturation) latest(p part, e EventID) EventID {
	d := NoEvent
	if t := m.x.s.Events[e].Thread; t == p.thread {
		d = m.x.s.Events[e].Prev
	} else {
		d = m.deepest(e, p.thread)
	}
	if d == NoEvent {
		return NoEvent
	}
	events := p.events
	i := sort.Search(len(events), func(i int) bool { return m.x.in[events[i]] > m.x.in[d] })
	for i--; i >= 0; i-- { // alternatives that end before d stand between
		if a := events[i]; a == d || m.x.before(a, d) {
			return a
		}
	}
	return NoEvent
}

// regions: a region of another thread that must have begun before the
// acquisition e must have ended before it.
func (m *saturation) regions(e EventID, ev *Event) {
	r := m.c.regions
	if !r.own[ev.Obj] || weightOf(ev, countHolders) == 0 {
		return
	}
	for _, p := range m.parts[ev.Obj] {
		if p.thread == ev.Thread {
			continue
		}
		l := m.latest(p, e)
		if l == NoEvent || r.start[l] == NoEvent {
			continue
		}
		a := r.start[l]
		exclusive := weightOf(ev, countWriters) > 0 || weightOf(&m.x.s.Events[a], countWriters) > 0
		if exclusive && !slices.Contains(r.ends[a], l) {
			m.edge(m.oneEnd(a, m.deepest(e, p.thread)), e)
		}
	}
}

// oneEnd is the end of a's region if there is one only on the paths through d.
func (m *saturation) oneEnd(a, d EventID) EventID {
	one := NoEvent
	for _, u := range m.c.regions.ends[a] {
		if u != d && !m.x.before(u, d) && !m.x.before(d, u) {
			continue
		}
		if one != NoEvent {
			return NoEvent
		}
		one = u
	}
	return one
}

// wait: if what must have been added before e is as much as there is to
// subtract, all that subtracts must come before e.
func (m *saturation) wait(e EventID, ev *Event) {
	events := m.x.ofObj[ev.Obj]
	added, less := int64(0), int64(0)
	for i, a := range events {
		if i > maxScan*16 || m.c.stops() {
			return
		}
		w := weightOf(&m.x.s.Events[a], countGroup)
		if w > 0 && m.Before(a, e) {
			added += w
		}
		if w < 0 && !m.never(a, e) {
			less -= w
		}
	}
	if added != less || added == 0 {
		return
	}
	for _, a := range events {
		if weightOf(&m.x.s.Events[a], countGroup) < 0 && !m.never(a, e) {
			m.edge(a, e)
		}
	}
}

// read: the only writer that r can take from must come before it.
func (m *saturation) read(r EventID, ev *Event) {
	one, n := NoEvent, 0
	if !m.eachWriter(r, func(w EventID) bool {
		if n++; n > maxScan {
			return false
		}
		if !m.c.fits(w, r, ev) {
			return true
		}
		if w == NoEvent || one != NoEvent {
			return false
		}
		one = w
		return true
	}) {
		return
	}
	m.edge(one, r)
}

// fits says that r's own conditions, as far as they are over r alone, may hold
// if it takes from w.
func (c *Checker) fits(w, r EventID, ev *Event) bool {
	for _, cond := range ev.Cond {
		c.ids = cond.symbols(c.ids[:0])
		if len(c.ids) == 1 && c.ids[0] == r && !c.gives(w, r, cond) {
			return false
		}
	}
	return true
}

// eachWriter calls do for the events that r may take from as far as must-before
// says, until do is false, and says whether it never was. A thread's writes
// before the last that must come before r are overwritten.
func (m *saturation) eachWriter(r EventID, do func(EventID) bool) bool {
	ev := &m.x.s.Events[r]
	initial := true
	for _, p := range m.parts[ev.Obj] {
		last, i := m.latest(p, r), 0
		if last != NoEvent {
			initial = false
			i = sort.Search(len(p.events), func(i int) bool { return m.x.in[p.events[i]] >= m.x.in[last] })
		}
		for ; i < len(p.events); i++ {
			w := p.events[i]
			if w == r || w != last && last != NoEvent && !m.x.before(last, w) || m.never(w, r) {
				continue
			}
			if !do(w) {
				return false
			}
			if p.thread == ev.Thread {
				break
			}
		}
	}
	return !initial || do(NoEvent)
}

// receive: with one sender, r takes at least the send behind those of all
// receives that must come before it.
func (m *saturation) receive(r EventID, ev *Event) {
	sends, ok := m.one(ev.Obj, 0)
	if !ok {
		return
	}
	if n := m.before(r, ev.Obj, 1); n < len(sends) {
		m.edge(sends[n], r)
	}
}

// send: with one receiver, a send that finds the channel full comes after the
// receive that makes room; with one sender too, capacity 0 is a rendezvous.
func (m *saturation) send(s EventID, ev *Event) {
	recvs, ok := m.one(ev.Obj, 1)
	if !ok {
		return
	}
	n, room := m.before(s, ev.Obj, 0), m.x.s.Objects[ev.Obj].Cap
	if room > 0 {
		if n >= room && n-room < len(recvs) {
			m.edge(recvs[n-room], s)
		}
		return
	}
	if _, ok := m.one(ev.Obj, 0); !ok || n >= len(recvs) {
		return
	}
	m.edge(m.x.s.Events[recvs[n]].Prev, s)
	for _, k := range m.x.kids[s] {
		m.edge(recvs[n], k)
	}
}

// one lists the sends (0) or receives (1) of a channel if they are all on one
// path of one thread.
func (m *saturation) one(obj ObjID, half int) ([]EventID, bool) {
	if m.lines == nil {
		m.lines = make([][2]line, len(m.x.ofObj))
	}
	l := &m.lines[obj][half]
	if !l.known {
		l.known, l.ok = true, true
		for _, a := range m.x.ofObj[obj] {
			if m.half(a) != half {
				continue
			}
			if n := len(l.events); n > 0 && !m.x.before(l.events[n-1], a) {
				l.ok = false
			}
			l.events = append(l.events, a)
		}
	}
	return l.events, l.ok
}

// line caches one.
type line struct {
	known, ok bool
	events    []EventID
}

// before counts the sends (0) or receives (1) that must come before e.
func (m *saturation) before(e EventID, obj ObjID, half int) int {
	n := 0
	for _, p := range m.parts[obj] {
		if l := m.latest(p, e); l != NoEvent {
			n += int(m.ranks[l][half])
		}
	}
	return n
}
