package sweep

import (
	mathbits "math/bits"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// merge gives nodes of a thread the same class if the same operations with the
// same outcomes follow, and nobody asks for one of them by itself. It assumes
// that conditions are about what their own event takes, and that what is written
// does not depend on what was read: otherwise nothing is merged.
func (t *tree) merge() {
	t.mergeable = true
	for i := range t.sys.Events {
		ev := &t.sys.Events[i]
		t.mergeable = t.mergeable && (ev.Val == nil || len(ev.Val.Symbols()) == 0)
		for _, c := range ev.Cond {
			t.mergeable = t.mergeable && !slices.ContainsFunc(c.Symbols(), func(s constraint.EventID) bool { return s != constraint.EventID(i) })
		}
	}
	t.class = make([]uint64, len(t.kids))
	if !t.mergeable {
		return
	}
	alone := make([]bool, len(t.kids)) // by node: something below is told apart from all else
	fold := func(at node) {
		h := mix(0x5eed, 1)
		for _, k := range t.kids[at] {
			alone[at] = alone[at] || alone[k] || t.unique(k)
			h = mix(mix(h, t.shape(k)), t.class[k])
		}
		if t.class[at] = h; alone[at] {
			t.class[at] = mix(0xa10e, uint64(at)+1)
		}
	}
	for _, e := range slices.Backward(t.order) {
		if fold(node(e)); len(t.kids[e]) == 0 && t.sys.Events[e].Pending {
			t.class[e] = mix(0x9e9d, 1) // what follows is not known
		}
	}
	for th := range t.sys.Threads {
		fold(t.root(constraint.ThreadID(th)))
	}
}

// unique is true of events that are asked about, whose identity others can see,
// or that belong to an earlier one.
func (t *tree) unique(e constraint.EventID) bool {
	ev := &t.sys.Events[e]
	switch ev.Op {
	case constraint.Write, constraint.RMW, constraint.Send:
		if ev.Val == nil {
			return true
		}
	case constraint.CondWait, constraint.CondWake:
		return true
	}
	return t.asked.of[e] || t.asked.past[e]
}

// shape is a hash of what an event is, whichever it is.
func (t *tree) shape(e constraint.EventID) uint64 {
	ev := &t.sys.Events[e]
	h := mix(uint64(ev.Op)<<32|uint64(ev.Obj), uint64(ev.Outcome)<<8|uint64(uint32(ev.Child))<<32)
	h = mix(mix(h, uint64(ev.Delta)), t.asked.alike[e])
	for _, c := range ev.Cases {
		h = mix(h, uint64(c.Obj)<<1|b2u(c.Send))
	}
	h = mix(h, uint64(len(ev.Cases))<<1|b2u(ev.Pending))
	h = mix(h, hashTerm(ev.Val))
	for _, c := range ev.Cond {
		h = mix(h, hashTerm(c))
	}
	return h
}

// hashTerm takes the only symbol that there can be for granted.
func hashTerm(t *constraint.Term) uint64 {
	if t == nil {
		return 0
	}
	h := mix(uint64(t.Op)<<8|uint64(t.Width), mix(t.Value.Bits, uint64(uint32(t.Value.Fresh))))
	for _, a := range t.Args {
		h = mix(h, hashTerm(a))
	}
	return mix(h, uint64(len(t.Args)))
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func mix(h, x uint64) uint64 {
	hi, lo := mathbits.Mul64(h^x^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93^h<<1|1)
	return hi ^ lo
}
