package sim

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Select returns the chosen case, or -1 if none was ready and orElse is set;
// ok is false for a receive from a closed channel.
func (t *Thread) Select(orElse bool, cases ...Case) (which, v int, ok bool) {
	d := t.communicate(t.here(), orElse, cases...)
	return d.which, d.v, d.ok
}

// noteCases records the cases of a select, in the compiler's order.
func (t *Thread) noteCases(d *comms, o *op) {
	if o.kind != trace.OpSelect {
		return
	}
	for n := range d.cases {
		for i, k := range d.cases {
			if d.compiled(i) != n {
				continue
			}
			e := trace.Event{Op: trace.OpSelectCase, Obj: k.c.obj().ID(), Stack: t.m.stack(o.at), Value: uint64(n), HasValue: true}
			if k.c != nil {
				e.Aux = uint64(k.c.cap) << 32
			}
			if k.send {
				e.Aux |= 1
			}
			t.m.event(t, e)
		}
	}
}

// describe fills in the event of what was done.
func (d *comms) describe(o *op, ready int) {
	if o.kind == trace.OpSelect {
		o.obj = nil
		o.value, o.aux = uint64(d.compiled(d.which)), uint64(len(d.cases))|uint64(ready)<<40
		if d.which >= 0 {
			o.obj = d.cases[d.which].c.obj()
			if d.cases[d.which].send {
				o.aux |= 1 << 32
			}
		}
		return
	}
	o.aux = d.cases[0].c.state()
	switch {
	case d.which < 0:
		o.value = 0
	case d.cases[0].send || d.ok:
		o.value = 1
	default:
		o.value = 2
	}
}

// compiled is the number that the compiler gives a case: sends from the first
// on, receives from the last back.
func (d *comms) compiled(i int) int {
	if i < 0 {
		return i
	}
	n := 0
	for _, k := range d.cases[:i] {
		if k.send == d.cases[i].send {
			n++
		}
	}
	if d.cases[i].send {
		return n
	}
	return len(d.cases) - 1 - n
}

// selected chooses one of the ready cases as selectgo does: the first in a
// random order, which under seed 0 is that of the source.
func (m *machine) selected(t *Thread, d *comms, ready []int) int {
	if m.decide != nil {
		return ready[m.decide.Select(len(ready))]
	}
	for _, c := range m.spec.Schedule.Choices {
		for _, i := range ready {
			if c.G == t.key && c.Count == t.count && c.Case == d.compiled(i) {
				return i
			}
		}
	}
	order := make([]int, 0, len(d.cases))
	for n := range d.cases {
		j := n
		if seed := m.spec.Schedule.SelectSeed; seed != 0 {
			t.draws++
			j = int(mix(mix(t.key^seed*0x9E3779B97F4A7C15)+t.draws) >> 33 % uint64(n+1))
		}
		order = slices.Insert(order, j, n)
	}
	for _, n := range order {
		for _, i := range ready {
			if d.compiled(i) == n {
				return i
			}
		}
	}
	return ready[0]
}

func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
