package sweep

import "github.com/hocket-dev/hocket/engine/constraint"

// threads is a set of them.
type threads []bool

func (p threads) size() (n int) {
	for _, in := range p {
		if in {
			n++
		}
	}
	return n
}

// persistent is the least set of threads found that has t and such that nothing
// that others can do without it is dependent on what its threads do next.
func (w *walk) persistent(t int, commute bits) threads {
	p := make(threads, len(w.pos))
	p[t] = true
	for grown := true; grown; {
		grown = false
		next := w.none()
		for u, in := range p {
			if in {
				next.add(w.first[w.pos[u]])
			}
		}
		shut, others := w.shut(p), w.others(p)
		for u, can := range others {
			if can && !p[u] && next.conflicts(w.future.of(w.pos[u], shut), commute) {
				w.join(p, others, u, make(threads, len(p)))
				grown = true
			}
		}
	}
	return p
}

// join adds a thread, or those that may start it: until one does, it can do
// nothing.
func (w *walk) join(p, others threads, u int, met threads) {
	if w.begun(u) {
		p[u] = true
		return
	}
	if met[u] {
		return
	}
	met[u] = true
	for v, can := range others {
		if can && w.spawns[w.pos[v]].has(u) {
			w.join(p, others, v, met)
		}
	}
}

// others are the threads outside p that can do something without it: those that
// have begun, and those that such ones may start.
func (w *walk) others(p threads) threads {
	can := make(threads, len(p))
	for u := range p {
		can[u] = !p[u] && w.begun(u)
	}
	for more := true; more; {
		more = false
		for u := range p {
			for v := range p {
				if can[u] && !can[v] && !p[v] && w.spawns[w.pos[u]].has(v) {
					can[v], more = true, true
				}
			}
		}
	}
	return can
}

// shut are the gates that stay shut until a thread of p moves.
func (w *walk) shut(p threads) gates {
	g := make(gates, w.wide)
	gives := make(bits, w.wide)
	for u, in := range p {
		at := w.pos[u]
		if !in {
			gives.add(w.gives[at])
			continue
		}
		for _, o := range w.mutexes {
			if w.heldW[at].has(int(o)) {
				g.set(2 * int(o))
				g.set(2*int(o) + 1)
			} else if w.heldR[at].has(int(o)) {
				g.set(2 * int(o))
			}
		}
	}
	for i, o := range w.groups {
		left := w.count[o]
		for u, in := range p {
			if !in {
				left -= w.spends[w.pos[u]][i]
			}
		}
		if left > 0 {
			g.set(2 * int(o))
		}
	}
	for _, o := range w.channels {
		// A receive of capacity 0 is part of what its sender does next.
		if w.sys.Objects[o].Cap > 0 && w.count[o] == 0 && !gives.has(2*int(o)) {
			g.set(2 * int(o))
		}
		if !w.closed[o] && !gives.has(2*int(o)+1) {
			g.set(2*int(o) + 1)
		}
	}
	return g
}

// commuting are the WaitGroups whose counter can't come below zero any more:
// additions to them commute.
func (w *walk) commuting() bits {
	c := make(bits, w.thin)
	for i, o := range w.groups {
		left := w.count[o]
		for _, at := range w.pos {
			left -= w.spends[at][i]
		}
		if left >= 0 {
			c.set(int(o))
		}
	}
	return c
}

// ofKind lists objects.
func ofKind(sys *constraint.System, k constraint.Kind) (out []constraint.ObjID) {
	for i := 1; i < len(sys.Objects); i++ {
		if sys.Objects[i].Kind == k {
			out = append(out, constraint.ObjID(i))
		}
	}
	return out
}
