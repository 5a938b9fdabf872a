package trace

import "fmt"

// known is a value that a location must still have.
type known struct {
	value uint64
	at    int // the event that showed it
}

// memoryRule: what a plain read of a scalar finds is what the last access left, unless
// stores may wait in buffers.
// Range writes and atomics make a location unknown; so does an element of
// unknown size, whose eight bytes include its neighbours.
type memoryRule struct {
	t      *Trace
	vals   map[ObjID]known
	ranges *stamps
}

func newMemoryRule(t *Trace) *memoryRule {
	return &memoryRule{t: t, vals: map[ObjID]known{}, ranges: t.rangeWrites()}
}

func (r *memoryRule) step(i int, e Event) string {
	if r.t.Schedule.Memory != SC {
		return ""
	}
	if e.Op == OpWriteRange {
		r.ranges.set(r.t.Object(e.Obj).Addr, max(e.Aux, 1), i)
		return ""
	}
	switch e.Op {
	case OpRead, OpWrite:
	default:
		delete(r.vals, e.Obj)
		return ""
	}
	o := r.t.Object(e.Obj)
	if !e.HasValue || o.Size == 0 || o.Size > 8 || !r.t.trusted(e.Obj) {
		delete(r.vals, e.Obj)
		return ""
	}
	last, ok := r.vals[e.Obj]
	r.vals[e.Obj] = known{e.Value, i}
	if e.Op == OpRead && ok && last.value != e.Value && r.ranges.get(o.Addr) < last.at {
		return fmt.Sprintf("read %d where event %d left %d", e.Value, last.at, last.value)
	}
	return ""
}

// atomicRule: an atomic load finds what the last atomic store left. A
// compare-and-swap that succeeded leaves something unknown.
type atomicRule struct {
	vals map[ObjID]known
}

func (r *atomicRule) step(i int, e Event) string {
	switch e.Op {
	case OpAtomicLoad:
		if !e.HasValue {
			return ""
		}
		last, ok := r.vals[e.Obj]
		r.vals[e.Obj] = known{e.Value, i}
		if ok && last.value != e.Value {
			return fmt.Sprintf("loaded %d where event %d left %d", e.Value, last.at, last.value)
		}
	case OpAtomicStore, OpAtomicRMW:
		delete(r.vals, e.Obj)
		if e.HasValue {
			r.vals[e.Obj] = known{e.Value, i}
		}
	case OpAtomicCAS:
		if e.Value == 1 {
			delete(r.vals, e.Obj)
		}
	case OpWrite, OpWriteRange:
		delete(r.vals, e.Obj)
	}
	return ""
}
