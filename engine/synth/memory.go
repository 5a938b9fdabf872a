package synth

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/trace"
)

// cellKey names shared memory: a scalar, or what a map or atomic stands for as one.
type cellKey struct {
	p    *value
	kind string
}

// allocate makes an allocation with a name that does not depend on the schedule.
func (f *frame) allocate(in ssa.Instruction, local bool) *allocation {
	s := f.e.p.spotOf(in)
	g := f.g
	g.made[s.number]++
	return &allocation{name: fmt.Sprintf("%s:%s:%d#%d.%d", g.t.Path(), s.fn, s.line, s.number, g.made[s.number]), local: local}
}

// global is a package variable.
func (e *execution) global(g *ssa.Global) ptr {
	p, ok := e.globals[g]
	if !ok {
		t := g.Type().Underlying().(*types.Pointer).Elem()
		v := zero(t)
		if !e.p.built[g.Pkg] {
			v = unknown{"the variable " + g.String() + ", whose package is not executed"}
		}
		p = ptr{p: &v, in: &allocation{name: g.String()}}
		e.globals[g] = p
	}
	return p
}

// cell is the shared memory at a pointer.
func (f *frame) cell(p ptr, kind string, t types.Type) *sim.Cell {
	k := cellKey{p.p, kind}
	c := f.e.cells[k]
	if c == nil {
		o := sim.Object{Name: fmt.Sprintf("%s+%d%s", p.in.name, p.off, kind)}
		if t != nil {
			o.Type, o.Elem, o.Size = t.String(), kindOf(t), int(sizes.Sizeof(t))
		}
		c = f.g.t.Cell(o)
		f.e.cells[k] = c
	}
	return c
}

// pointer checks a pointer before it is used.
func (f *frame) pointer(v value) ptr {
	p, ok := v.(ptr)
	if !ok {
		f.notKnown(v)
	}
	if p.p == nil {
		f.runtimeError("invalid memory address or nil pointer dereference")
	}
	return p
}

// load reads what a pointer points to.
func (f *frame) load(v value, t types.Type) value {
	p := f.pointer(v)
	f.access(p, t, false, nil)
	return copied(*p.p)
}

// store writes to where a pointer points.
func (f *frame) store(v value, t types.Type, x value) {
	p := f.pointer(v)
	f.access(p, t, true, copied(x))
}

// part is an access that belongs to one that has begun.
func (f *frame) part(p ptr, t types.Type, write bool, x value) value {
	if p.in.local || f.g.quiet > 0 {
		f.access(p, t, write, x)
	} else {
		f.at()
		first := false
		f.touch(p, t, write, copied(x), &first)
	}
	return copied(*p.p)
}

// access is a plain access, of each part by itself as far as the detector of races
// goes; the hook of what has several parts is one, at the first of them.
func (f *frame) access(p ptr, t types.Type, write bool, x value) {
	if p.in.local || f.g.quiet > 0 {
		if write {
			assign(p.p, x)
		}
		return
	}
	f.at()
	first := true
	f.touch(p, t, write, x, &first)
}

func (f *frame) touch(p ptr, t types.Type, write bool, x value, first *bool) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		s, ok := (*p.p).(structure)
		if !ok {
			break
		}
		for i, off := range offsets(u) {
			var part value
			if x != nil {
				xs, ok := x.(structure)
				if !ok {
					f.notKnown(x)
				}
				part = xs[i]
			}
			f.touch(ptr{&s[i], p.in, p.off + off}, u.Field(i).Type(), write, part, first)
		}
		return
	case *types.Array:
		a, ok := (*p.p).(array)
		if !ok || len(a) > 64 {
			break
		}
		for i := range a {
			var part value
			if x != nil {
				xs, ok := x.(array)
				if !ok {
					f.notKnown(x)
				}
				part = xs[i]
			}
			f.touch(ptr{&a[i], p.in, p.off + int64(i)*sizes.Sizeof(u.Elem())}, u.Elem(), write, part, first)
		}
		return
	}
	part := !*first
	*first = false
	f.g.t.Access(f.cell(p, "", t), write, part, func() uint64 {
		if write {
			assign(p.p, x)
		}
		return bits(*p.p)
	})
}

// assign keeps the places of the parts, to which others may point.
func assign(p *value, x value) {
	switch old := (*p).(type) {
	case structure:
		if xs, ok := x.(structure); ok {
			for i := range old {
				assign(&old[i], xs[i])
			}
			return
		}
	case array:
		if xs, ok := x.(array); ok {
			for i := range old {
				assign(&old[i], xs[i])
			}
			return
		}
	}
	*p = x
}

func offsets(s *types.Struct) []int64 {
	fields := make([]*types.Var, s.NumFields())
	for i := range fields {
		fields[i] = s.Field(i)
	}
	return sizes.Offsetsof(fields)
}

func (f *frame) fieldAddr(in *ssa.FieldAddr) value {
	p := f.pointer(f.get(in.X))
	s, ok := (*p.p).(structure)
	if !ok {
		f.notKnown(*p.p)
	}
	u := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
	return ptr{&s[in.Field], p.in, p.off + offsets(u)[in.Field]}
}

func (f *frame) indexAddr(in *ssa.IndexAddr) value {
	i, ok := f.get(in.Index).(int64)
	if !ok {
		f.notKnown(f.get(in.Index))
	}
	size := sizes.Sizeof(in.Type().Underlying().(*types.Pointer).Elem())
	var arr []value
	var a *allocation
	var off int64
	switch x := f.get(in.X).(type) {
	case slice:
		arr, a, off = x.arr, x.in, x.off
	case ptr:
		p := f.pointer(x)
		arr, a, off = f.arrayAt(p), p.in, p.off
	default:
		f.notKnown(x)
	}
	if i < 0 || i >= int64(len(arr)) {
		f.runtimeError(fmt.Sprintf("index out of range [%d] with length %d", i, len(arr)))
	}
	return ptr{&arr[i], a, off + i*size}
}

// arrayAt is the array that a pointer points to.
func (f *frame) arrayAt(p ptr) array {
	a, ok := (*p.p).(array)
	if !ok {
		f.notKnown(*p.p)
	}
	return a
}

// mapAccess is what a map operation does to the map as a whole.
func (f *frame) mapAccess(m *mapping, write bool) {
	if f.g.quiet > 0 || m == nil {
		return
	}
	f.at()
	k := cellKey{kind: m.in.name}
	c := f.e.cells[k]
	if c == nil {
		c = f.g.t.Cell(sim.Object{Name: m.in.name + "+0", Type: "map", Elem: trace.MapHeader, Size: 8})
		f.e.cells[k] = c
	}
	f.g.t.Access(c, write, true, func() uint64 { return 0 })
}
