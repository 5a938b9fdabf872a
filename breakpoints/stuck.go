package breakpoints

import (
	"bytes"
	"strconv"
)

// leader is the visit that looks around for all: the oldest one.
//
//go:norace
func (r *waitRoom) leader() *visit {
	for g := r.first; g != nil; g = g.next {
		if g.visit != nil {
			return g.visit
		}
	}
	return nil
}

// lookAround releases goroutines early whose pause can't come to anything:
// those that hold a lock which the other side waits for, and, when nobody else
// in the process can go on, one of those who are paused (see passer.go). Each
// must show in several looks in a row. mu is held.
//
//go:norace
func (r *waitRoom) lookAround(v *visit) {
	if holding || v.live < dumpEvery {
		return
	}
	s, fresh := r.look(dumpEvery)
	if !fresh {
		return
	}
	r.releaseHolders(s)
	if !s.othersBlocked(func(st *stateOf) bool { return st.waiter != nil }) {
		r.stuck = 0
		return
	}
	if r.stuck++; r.stuck < stuckLooks {
		return
	}
	r.stuck = 0
	if v = r.nextToRelease(); v == nil {
		return
	}
	why := ""
	for i := range s.states {
		if l := s.states[i].lock; l != "" && s.states[i].waiter == nil {
			why = "side " + strconv.Itoa(v.side) + " was paused while all others were blocked, one by a " + l + ": released early"
		}
	}
	v.b.release(v, why)
	r.passFreely(v, true)
}

// maxHolders bounds for how many paused goroutines a look searches stacks.
const maxHolders = 32

// releaseHolders looks for goroutines that wait for a lock inside the function
// of another side than the one where somebody is paused. Nothing tells who
// holds a lock; but one that is held for several looks is held by a goroutine
// that has stopped, and this one has.
//
//go:norace
func (r *waitRoom) releaseHolders(s *snapshot) {
	n := 0
	var next *waiter
	for g := r.first; g != nil && n < maxHolders; g = next {
		next = g.next
		v := g.visit
		if v == nil {
			continue
		}
		n++
		side, lock := waitsForLock(s, v)
		if side == 0 {
			v.suspect = 0
			continue
		}
		if v.suspect++; v.suspect >= stuckLooks {
			v.b.release(v, "side "+strconv.Itoa(v.side)+" held "+lock+" that side "+strconv.Itoa(side)+" waits for: released early")
			r.passFreely(v, false)
		}
	}
}

// waitsForLock finds a goroutine that waits for a lock in the function of
// another side.
//
//go:norace
func waitsForLock(s *snapshot, v *visit) (side int, lock string) {
	for i := range s.states {
		st := &s.states[i]
		if st.lock == "" || st.waiter != nil {
			continue
		}
		for o := 1; o <= v.b.def.Sides; o++ {
			fn := v.b.sides[o].fn
			if o != v.side && fn != "" && bytes.Contains(st.text, []byte("\n"+fn+"(")) {
				return o, st.lock
			}
		}
	}
	return 0, ""
}

// release ends a pause early. why is for people; "" if there is nothing to say.
//
//go:norace
func (b *Breakpoint) release(v *visit, why string) {
	b.end(v, released)
	b.stat.Released[v.side-1]++
	if why != "" {
		b.held(why)
	}
	b.changed()
}
