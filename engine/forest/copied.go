package forest

import (
	"math"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/trace"
)

// A copy of a lock is held if the lock was, and a lock that is overwritten forgets
// who holds it. No event says either, and no history tells it: it is doubted.

// lockWord is how many bytes hold the state of a lock, at its start: a Mutex, the
// one inside an RWMutex, the counter of a WaitGroup.
const lockWord = 8

// glance is a plain read, of a lock maybe.
type glance struct {
	thing int32
	count uint32
}

// doubtCopies doubts if memory of a lock was read, or written over, unless one
// goroutine alone uses it.
func (r *reader) doubtCopies() {
	for g := range r.glances {
		r.settle(g, math.MaxUint32)
	}
	t := r.f.table
	locks := map[string][]*thing{} // by base
	for i := range t.things {
		switch th := &t.things[i]; th.kind {
		case constraint.Mutex, constraint.WaitGroup, constraint.Cond:
			if !th.local {
				base, lo := splitOffset(th.name)
				locks[base] = append(locks[base], &thing{lo: lo, name: th.name, user: th.user, many: th.many})
			}
		}
	}
	for i := range t.things {
		th := &t.things[i]
		for _, l := range locks[th.base] {
			u := usage{user: -1}
			u.add(l)
			u.add(th)
			if u.many && th.copies && th.lo < l.lo+lockWord && l.lo < th.hi {
				r.f.doubt("a lock is copied or overwritten: " + l.name)
			}
		}
	}
}

// copies notes a plain access. A write counts if it goes over what was used as a
// lock before in this run: before others know a lock it may be set up.
func (r *reader) copies(s *step, e *trace.Event) {
	th := &r.f.table.things[s.thing]
	if s.op == constraint.Read {
		if !th.copies {
			r.settle(e.G, e.Count)
			r.glances[e.G] = append(r.glances[e.G], glance{s.thing, e.Count})
		}
		return
	}
	for _, lo := range r.locked[th.base] {
		th.copies = th.copies || th.lo < lo+lockWord && lo < th.hi
	}
}

// settle ends the doubt about a goroutine's glances at other positions than now.
func (r *reader) settle(g trace.GID, now uint32) {
	for _, l := range r.glances[g] {
		if l.count != now {
			r.f.table.things[l.thing].copies = true
		}
	}
	r.glances[g] = slices.DeleteFunc(r.glances[g], func(l glance) bool { return l.count != now })
}

// lock notes that an object is used as a lock, or waited for. An operation of sync
// may itself look at it first, as RWMutex's do.
func (r *reader) lock(e *trace.Event) {
	if e.Obj == 0 {
		return
	}
	name := r.t.Object(e.Obj).Name
	base, lo := splitOffset(name)
	if !slices.Contains(r.locked[base], lo) {
		r.locked[base] = append(r.locked[base], lo)
	}
	r.glances[e.G] = slices.DeleteFunc(r.glances[e.G], func(l glance) bool {
		return l.count == e.Count && r.f.table.things[l.thing].name == name
	})
}
