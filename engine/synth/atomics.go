package synth

import (
	"go/types"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/trace"
)

func duration(d int64) time.Duration { return time.Duration(d) }

func elem(t types.Type) types.Type { return t.Underlying().(*types.Pointer).Elem() }

// atomics are the functions and methods of sync/atomic.
func atomics(f *frame, fn *ssa.Function, args []value) value {
	p := f.pointer(args[0])
	f.beforeMain()
	op, where, t := f.atomicOf(fn, p)
	f.at()
	c := f.cell(where, "", t)
	for _, a := range args[1:] {
		if _, ok := a.(unknown); ok {
			f.notKnown(a)
		}
	}
	switch {
	case op == "Load":
		var v value
		f.g.t.Atomic(trace.OpAtomicLoad, c, func() (uint64, uint64) { v = *where.p; return bits(v), 0 })
		return v
	case op == "Store":
		f.g.t.Atomic(trace.OpAtomicStore, c, func() (uint64, uint64) { *where.p = args[1]; return bits(*where.p), 0 })
		return nil
	case op == "CompareAndSwap":
		return f.g.t.CompareAndSwap(c, bits(args[1]), func() (bool, uint64) {
			if !equal(*where.p, args[1]) {
				return false, bits(*where.p)
			}
			*where.p = args[2]
			return true, bits(*where.p)
		})
	}
	b := basic(t)
	var old, now value
	f.g.t.Atomic(trace.OpAtomicRMW, c, func() (uint64, uint64) {
		old = *where.p
		switch op {
		case "Add":
			*where.p = cut(old.(int64)+args[1].(int64), b)
		case "And":
			*where.p = old.(int64) & args[1].(int64)
		case "Or":
			*where.p = old.(int64) | args[1].(int64)
		default:
			*where.p = args[1]
		}
		now = *where.p
		return bits(now), bits(old)
	})
	if op == "Add" {
		return now
	}
	return old
}

var atomicOps = []string{"Load", "Store", "CompareAndSwap", "Swap", "Add", "And", "Or"}

// atomicOf is which operation it is, on what. The value of a type of sync/atomic is
// its last field, of whatever type its methods take.
func (f *frame) atomicOf(fn *ssa.Function, p ptr) (op string, where ptr, t types.Type) {
	name := fn.Name()
	if o := fn.Origin(); o != nil {
		name = o.Name()
	}
	for _, o := range atomicOps {
		if strings.HasPrefix(name, o) {
			op = o
			break
		}
	}
	recv := fn.Signature.Recv()
	if op == "" {
		panic(unmodelled{"sync/atomic." + name})
	}
	if recv == nil {
		return op, p, elem(fn.Signature.Params().At(0).Type())
	}
	s, ok := (*p.p).(structure)
	if !ok {
		f.notKnown(*p.p)
	}
	last := len(s) - 1
	u := elem(recv.Type()).Underlying().(*types.Struct)
	t = fn.Signature.Results()
	if r := fn.Signature.Results(); op != "CompareAndSwap" && r.Len() == 1 {
		t = r.At(0).Type()
	} else {
		t = fn.Signature.Params().At(0).Type()
	}
	where = ptr{&s[last], p.in, p.off + offsets(u)[last]}
	if n, ok := s[last].(int64); ok && basic(t) != nil && basic(t).Kind() == types.Bool {
		s[last] = n != 0 // atomic.Bool keeps a uint32
	}
	return op, where, t
}
