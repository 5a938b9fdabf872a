package sim

import (
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// clock is a vector clock, indexed by thread id.
type clock []uint32

func (c clock) get(id trace.GID) uint32 {
	if int(id) < len(c) {
		return c[id]
	}
	return 0
}

func (c *clock) grow(n int) {
	for len(*c) < n {
		*c = append(*c, 0)
	}
}

func (c *clock) tick(id trace.GID) {
	c.grow(int(id) + 1)
	(*c)[id]++
}

func (c *clock) join(d clock) {
	c.grow(len(d))
	for i, v := range d {
		(*c)[i] = max((*c)[i], v)
	}
}

func (c clock) clone() clock { return append(clock(nil), c...) }

// shadow remembers the last plain accesses to a variable.
type shadow struct{ last []accessed }

type accessed struct {
	id    trace.GID
	at    place
	time  uint32
	write bool
}

// check reports accesses of other threads that o does not happen after.
func (s *shadow) check(t *Thread, o *op) {
	kept := s.last[:0]
	for _, a := range s.last {
		if a.id != t.id && (a.write || o.write) && t.vc.get(a.id) < a.time {
			t.m.race(a, o)
		}
		if a.id != t.id || a.write != o.write {
			kept = append(kept, a)
		}
	}
	s.last = append(kept, accessed{t.id, o.at, t.vc.get(t.id), o.write})
}

// acquire and release are the edges of synchronisation on an object.
func (t *Thread) acquire(o *object) { t.vc.join(o.vc) }

func (t *Thread) release(o *object) {
	o.vc = t.vc.clone()
	t.vc.tick(t.id)
}

func (t *Thread) releaseMerge(o *object) {
	o.vc.join(t.vc)
	t.vc.tick(t.id)
}

func (m *machine) race(a accessed, o *op) {
	if k := [2]place{a.at, o.at}; !m.raced[k] {
		m.raced[k] = true
		m.races = append(m.races, run.RacePair{
			First: a.at.frame, Second: o.at.frame, FirstSite: a.at.site(), SecondSite: o.at.site(),
			FirstWrite: a.write, SecondWrite: o.write,
		})
	}
}
