package analysis

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxPaths that one value may stand for.
const maxPaths = 3

// paths are the addresses that a pointer, channel, slice, map or interface
// value may hold, or where a struct value was read from; nil: unknown. In terms
// of the value's function.
func (p *summarizer) paths(v ssa.Value) []*path {
	values := p.facts(v.Parent()).values
	if ps, ok := values[v]; ok {
		return ps
	}
	values[v] = nil // cut cycles through phis
	ps := p.pathsOf(v)
	if len(ps) > maxPaths {
		ps = ps[:maxPaths]
	}
	values[v] = ps
	return ps
}

func (p *summarizer) pathsOf(v ssa.Value) []*path {
	switch v := v.(type) {
	case *ssa.Global:
		return []*path{newPath(base{kind: global, obj: v.Pos()}, v.Name(), deref(v.Type()))}
	case *ssa.Parameter:
		for i, q := range v.Parent().Params {
			if q == v {
				return []*path{newPath(base{kind: param, index: i}, v.Name(), deref(v.Type()))}
			}
		}
	case *ssa.FreeVar:
		for i, q := range v.Parent().FreeVars {
			if q == v {
				return []*path{newPath(base{kind: free, index: i}, v.Name(), deref(v.Type()))}
			}
		}
	case *ssa.Function:
		return []*path{{base: base{kind: function, obj: v}, key: "fn", name: v.Name()}}
	case *ssa.MakeClosure:
		return []*path{{base: base{kind: function, obj: v}, key: "closure", name: v.Fn.Name()}}
	case *ssa.Alloc:
		return p.made(v, v.Comment)
	case *ssa.MakeChan:
		return p.made(v, "channel")
	case *ssa.MakeMap:
		return p.made(v, "map")
	case *ssa.MakeSlice:
		return p.made(v, "slice")
	case *ssa.FieldAddr:
		st := deref(v.X.Type())
		return p.step(p.paths(v.X), fieldStep(st, v.Field), deref(v.Type()))
	case *ssa.Field:
		return p.step(p.paths(v.X), fieldStep(v.X.Type(), v.Field), v.Type())
	case *ssa.IndexAddr:
		return p.step(p.paths(v.X), step{kind: toElem, index: indexOf(v.Index)}, deref(v.Type()))
	case *ssa.Index:
		return p.step(p.paths(v.X), step{kind: toElem, index: indexOf(v.Index)}, v.Type())
	case *ssa.Lookup:
		return p.loaded(p.step(p.paths(v.X), step{kind: toElem}, nil), v.Type())
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return p.loaded(p.paths(v.X), v.Type())
		}
		if v.Op == token.ARROW { // what a channel carries
			return p.loaded(p.step(p.paths(v.X), step{kind: toElem}, nil), v.Type())
		}
	case *ssa.Phi:
		return p.merged(v.Edges)
	case *ssa.MakeInterface, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.Convert, *ssa.SliceToArrayPointer, *ssa.TypeAssert, *ssa.Slice:
		return p.paths(*v.(ssa.Instruction).Operands(nil)[0]) // the first is what they change the form of
	case *ssa.Extract:
		return p.extracted(v)
	case *ssa.Call:
		return p.result(v, 0)
	}
	return nil
}

func (p *summarizer) made(v interface {
	ssa.Value
	ssa.Instruction
}, name string) []*path {
	q := newPath(base{kind: alloc, ctx: p.link(v, plain, nil)}, name, deref(v.Type()))
	if q.name == "complit" || q.name == "new" || q.name == "makeslice" {
		q.name = typeName(deref(v.Type()))
	}
	return []*path{q}
}

func (p *summarizer) merged(edges []ssa.Value) []*path {
	var out []*path
	seen := map[string]bool{}
	for _, e := range edges {
		for _, q := range p.paths(e) {
			if !seen[q.key] {
				seen[q.key] = true
				out = append(out, q)
			}
		}
	}
	if len(out) > 1 {
		for i := range out {
			out[i] = out[i].doubtful()
		}
	}
	return out
}

func (p *summarizer) extracted(v *ssa.Extract) []*path {
	switch t := v.Tuple.(type) {
	case *ssa.Call:
		return p.result(t, v.Index)
	case *ssa.TypeAssert:
		return p.paths(t.X)
	case *ssa.Lookup:
		return p.paths(t)
	case *ssa.UnOp:
		return p.paths(t)
	case *ssa.Next:
		if r, ok := t.Iter.(*ssa.Range); ok && v.Index == 2 {
			return p.loaded(p.step(p.paths(r.X), step{kind: toElem}, nil), v.Type())
		}
	}
	return nil
}

// result is what a call returns, if the callee is known; append returns its
// first argument's array.
func (p *summarizer) result(c *ssa.Call, i int) []*path {
	if b, ok := c.Call.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" && len(c.Call.Args) > 0 {
			return p.paths(c.Call.Args[0])
		}
		return nil
	}
	var out []*path
	for _, fn := range p.callees(&c.Call) {
		s := p.summary(fn)
		if i >= len(s.returns) {
			continue
		}
		in := p.binding(c, &c.Call, fn, plain)
		for _, q := range s.returns[i] {
			out = append(out, in.paths(q)...)
		}
	}
	if len(out) == 0 && pointerLike(resultType(c, i)) {
		out = p.made(c, typeName(deref(resultType(c, i)))) // made by code that is not seen
	}
	return out
}

func resultType(c *ssa.Call, i int) types.Type {
	if t, ok := c.Type().(*types.Tuple); ok {
		if i < t.Len() {
			return t.At(i).Type()
		}
		return nil
	}
	return c.Type()
}

func (p *summarizer) step(from []*path, s step, typ types.Type) []*path {
	var out []*path
	for _, q := range from {
		if r := q.with(s, typ); r != nil {
			out = append(out, r)
		}
	}
	return out
}

// loaded is what the values at the addresses point to, or for structs where
// they were read from.
func (p *summarizer) loaded(at []*path, typ types.Type) []*path {
	if !pointerLike(typ) {
		return at
	}
	var out []*path
	for _, q := range at {
		out = append(out, p.follow(q, deref(typ))...)
	}
	return out
}

// follow goes through the pointer stored at q. A variable that is set once
// stands for what it was set to.
func (p *summarizer) follow(q *path, typ types.Type) []*path {
	if q.base.kind == alloc && len(q.steps) == 0 && q.base.ctx.next == nil {
		if a, ok := q.base.ctx.instr.(*ssa.Alloc); ok {
			if v := onlyValue(a); v != nil {
				if ps := p.paths(v); len(ps) > 0 {
					return ps
				}
			}
		}
	}
	if r := q.with(step{kind: toDeref}, typ); r != nil {
		return []*path{r}
	}
	return nil
}

// onlyValue is what a local variable is set to, if that happens once.
func onlyValue(a *ssa.Alloc) ssa.Value {
	var v ssa.Value
	for _, r := range *a.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != a {
				return nil // its address is kept
			}
			if v != nil {
				return nil
			}
			v = r.Val
		case *ssa.MakeClosure:
			if writtenInside(r, a) {
				return nil
			}
		}
	}
	return v
}

// writtenInside reports whether a closure, or one inside it, sets the captured
// variable.
func writtenInside(c *ssa.MakeClosure, a ssa.Value) bool {
	fn := c.Fn.(*ssa.Function)
	for i, b := range c.Bindings {
		if b != a || i >= len(fn.FreeVars) {
			continue
		}
		fv := fn.FreeVars[i]
		for _, r := range *fv.Referrers() {
			switch r := r.(type) {
			case *ssa.Store:
				if r.Addr == fv {
					return true
				}
			case *ssa.MakeClosure:
				if writtenInside(r, fv) {
					return true
				}
			}
		}
	}
	return false
}

// fieldStep names the i-th field of a struct type.
func fieldStep(t types.Type, i int) step {
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		if tp, isParam := types.Unalias(t).(*types.TypeParam); isParam {
			st, ok = coreStruct(tp)
		}
	}
	if !ok || i >= st.NumFields() {
		return step{kind: toField, name: "field"}
	}
	f := st.Field(i)
	name := f.Name()
	if owner := typeName(t); owner != "" {
		name = owner + "." + name
	}
	return step{kind: toField, field: f.Origin().Pos(), name: name}
}

func coreStruct(tp *types.TypeParam) (*types.Struct, bool) {
	if iface, ok := tp.Constraint().Underlying().(*types.Interface); ok && iface.NumEmbeddeds() > 0 {
		st, ok := iface.EmbeddedType(0).Underlying().(*types.Struct)
		return st, ok
	}
	return nil, false
}

// indexOf tells elements apart: by a constant, or by the parameter ("#p1") or
// captured variable ("#f0") that the index is, to be resolved where it is given.
func indexOf(v ssa.Value) string {
	for range 4 {
		switch x := v.(type) {
		case *ssa.Const:
			if x.Value != nil && x.Value.Kind() == constant.Int {
				return x.Value.ExactString()
			}
			return ""
		case *ssa.FreeVar:
			return fmt.Sprint("#f", slices.Index(x.Parent().FreeVars, x))
		case *ssa.Parameter:
			return fmt.Sprint("#p", slices.Index(x.Parent().Params, x))
		case *ssa.UnOp:
			v = x.X
		case *ssa.Convert:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		default:
			return ""
		}
	}
	return ""
}

func deref(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		return ptr.Elem()
	}
	return t
}

// pointerLike reports whether a value of the type refers to something that others may share.
func pointerLike(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Interface, *types.Signature:
		return true
	}
	return false
}

func typeName(t types.Type) string {
	if t == nil {
		return ""
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.Obj().Name()
	case *types.Pointer:
		return typeName(t.Elem())
	}
	return ""
}
