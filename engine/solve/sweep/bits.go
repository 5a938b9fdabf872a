package sweep

// bits is a set of small numbers. Those of one walk have equal length.
type bits []uint64

func (b bits) has(i int) bool { return b[i>>6]>>(i&63)&1 == 1 }
func (b bits) set(i int)      { b[i>>6] |= 1 << (i & 63) }
func (b bits) drop(i int)     { b[i>>6] &^= 1 << (i & 63) }

func (b bits) add(o bits) {
	for i, w := range o {
		b[i] |= w
	}
}

// access is what events do to objects. Two events are dependent if one changes
// what the other reads or changes.
type access struct{ reads, changes bits }

func (a access) add(o access) {
	a.reads.add(o.reads)
	a.changes.add(o.changes)
}

// conflicts: one changes what the other uses. Changes of objects in
// commute are independent of each other.
func (a access) conflicts(o access, commute bits) bool {
	for i := range a.reads {
		if a.changes[i]&(o.reads[i]|o.changes[i]&^commute[i]) != 0 || a.reads[i]&o.changes[i] != 0 {
			return true
		}
	}
	return false
}
