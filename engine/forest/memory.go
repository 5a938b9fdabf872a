package forest

import (
	"strings"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/trace"
)

// memory converts accesses: plain ones, atomics, and what is known only as
// reading or changing something: sync.Map, sync.Pool, connections.
func (r *reader) memory(s *step, e *trace.Event) bool {
	switch e.Op {
	case trace.OpRead, trace.OpReadRange, trace.OpAtomicLoad, trace.OpMapRead, trace.OpOnceLoad:
		s.op = constraint.Read
	case trace.OpWrite, trace.OpWriteRange, trace.OpAtomicStore:
		s.op = constraint.Write
	case trace.OpAtomicRMW, trace.OpMapWrite, trace.OpPoolGet, trace.OpPoolPut,
		trace.OpNetDial, trace.OpNetAccept, trace.OpNetRead, trace.OpNetWrite, trace.OpNetClose, trace.OpNetDeadline:
		s.op = constraint.RMW
	case trace.OpAtomicCAS:
		s.op = constraint.RMW
		if e.Value != 1 {
			s.op = constraint.Read
		}
	default:
		return false
	}
	if r.internalToFmt(e) {
		return false
	}
	if s.op == constraint.Write && r.t.Object(e.Obj).Elem == trace.MapHeader {
		s.op = constraint.RMW // it changes one element and leaves the others
	}
	switch e.Op {
	case trace.OpRead, trace.OpWrite, trace.OpReadRange, trace.OpWriteRange:
		s.plain = true
	}
	o := r.t.Object(e.Obj)
	k := thingKey{kind: constraint.Location}
	size := uint64(o.Size)
	switch e.Op {
	case trace.OpReadRange, trace.OpWriteRange:
		k.size = max(e.Aux, 1)
	case trace.OpRead, trace.OpWrite, trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicRMW, trace.OpAtomicCAS, trace.OpOnceLoad:
		if size == 0 {
			size = 8
		}
		r.values(s, e)
	default:
		size = 1 // the whole of it, by name
	}
	s.thing = r.thing(e, k, size, s.op != constraint.Read || e.Op == trace.OpAtomicCAS)
	if s.plain {
		r.copies(s, e)
	}
	th := &r.f.table.things[s.thing]
	if isOnce(o) {
		th.exact, th.width, th.hi = true, 32, th.lo+4
	} else if k.size == 0 {
		th.exact, th.width = exactKind(o.Elem, o.Size), 8*o.Size
	}
	return true
}

// values takes what an access found and left.
func (r *reader) values(s *step, e *trace.Event) {
	v := value{e.Value, e.HasValue}
	switch e.Op {
	case trace.OpRead, trace.OpAtomicLoad, trace.OpOnceLoad:
		s.found = v
	case trace.OpWrite, trace.OpAtomicStore:
		s.left = v
	case trace.OpAtomicRMW:
		s.left = v
	}
}

// isOnce: a sync.Once is its field done, the atomic that its mutex guards.
func isOnce(o trace.Object) bool { return o.Type == "sync.Once" }

// exactKind is true of elements whose bits are their value: they mean the same
// in every run, as addresses don't, and the eight bytes recorded are all.
func exactKind(kind string, size int) bool {
	switch kind {
	case "bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64":
		return size > 0 && size <= 8
	}
	return false
}

// internalToFmt is true of what package fmt keeps for itself from call to call: its
// pool of printers and what lies in them. A printer is as good as any other.
func (r *reader) internalToFmt(e *trace.Event) bool {
	switch e.Op {
	case trace.OpPoolGet, trace.OpPoolPut:
		fs := r.t.Stack(e.Stack)
		return len(fs) > 0 && r.ofFmt(fs[0])
	case trace.OpRead, trace.OpWrite, trace.OpReadRange, trace.OpWriteRange:
		o := r.t.Object(e.Obj)
		made, at := r.t.Stack(o.Alloc), r.t.Stack(e.Stack)
		return len(made) > 0 && len(at) > 0 && r.ofFmt(made[0]) && r.ofFmt(at[0])
	}
	return false
}

func (r *reader) ofFmt(f trace.Frame) bool {
	return strings.HasPrefix(f.Func, "fmt.") && strings.HasPrefix(f.File, r.t.StdRoot) && r.t.StdRoot != ""
}
