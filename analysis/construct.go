package analysis

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// handed is where a function hands an object on, so that others may have it.
type handed struct {
	at       []ssa.Instruction
	returned bool // to the caller, by itself or in something else
}

// own reports whether, as far as its function tells, the object at the path's
// base is not yet known to anybody else when the instruction runs. That of a
// parameter is up to the caller as well.
func (p *summarizer) own(q *path, in ssa.Instruction) bool {
	if slices.ContainsFunc(q.steps, func(s step) bool { return s.kind == toDeref }) {
		return false
	}
	var v ssa.Value
	switch q.base.kind {
	case param:
		v = in.Parent().Params[q.base.index]
	case alloc:
		made := q.base.ctx
		for c := made.next; c != nil; c = c.next {
			if inner, ok := c.instr.(ssa.Value); !ok || c.mode != plain || len(p.handed(inner).at) > 0 {
				return false
			}
		}
		var ok bool
		if v, ok = made.instr.(ssa.Value); !ok || made.mode != plain || v.Parent() != in.Parent() {
			return false
		}
	default:
		return false
	}
	made, _ := v.(ssa.Instruction)
	return !slices.ContainsFunc(p.handed(v).at, func(h ssa.Instruction) bool {
		return h != in && p.handedBefore(h, in, made)
	})
}

// handedBefore reports whether in may follow h without the object being made anew.
func (p *summarizer) handedBefore(h, in, made ssa.Instruction) bool {
	if h.Parent() != in.Parent() {
		return true
	}
	if made == nil {
		return p.CanFollow(h, in)
	}
	return p.FollowsWithout(h, in, made)
}

// handed says where the function of v hands on the object that v points to.
func (p *summarizer) handed(v ssa.Value) *handed {
	known := p.facts(v.Parent()).handed
	if h := known[v]; h != nil {
		return h
	}
	h := &handed{}
	known[v] = h // a recursive call does nothing more
	set := []ssa.Value{v}
	for i := 0; i < len(set) && len(set) < maxDerived; i++ {
		refs := set[i].Referrers()
		if refs == nil {
			continue
		}
		for _, r := range *refs {
			if next := p.handsOn(h, v, set[i], r); next != nil && !slices.Contains(set, next) {
				set = append(set, next)
			}
		}
	}
	return h
}

// handsOn notes whether the instruction hands on x, which leads to the object v,
// and returns the value that leads to it from there on.
func (p *summarizer) handsOn(h *handed, v, x ssa.Value, in ssa.Instruction) ssa.Value {
	give := func() ssa.Value { h.at = append(h.at, in); return nil }
	switch in := in.(type) {
	case *ssa.Store:
		if in.Val != x {
			return nil
		}
		if root := rootOf(in.Addr); root != nil {
			return root
		}
		return give()
	case *ssa.MapUpdate:
		if _, local := in.Map.(*ssa.MakeMap); local && in.Map != x {
			return in.Map
		}
		if in.Map != x {
			return give()
		}
	case *ssa.Send:
		if in.X == x {
			return give()
		}
	case *ssa.Select:
		if slices.ContainsFunc(in.States, func(s *ssa.SelectState) bool { return s.Send == x }) {
			return give()
		}
	case *ssa.Go:
		return give()
	case *ssa.Return:
		h.returned = true
	case *ssa.MakeClosure:
		fn := in.Fn.(*ssa.Function)
		for i, b := range in.Bindings {
			if b == x && i < len(fn.FreeVars) && len(p.handed(fn.FreeVars[i]).at) > 0 {
				return give()
			}
		}
		return in
	case *ssa.UnOp: // the object itself read from where it was put
		if pointerLike(in.Type()) && types.Identical(in.Type(), v.Type()) {
			return in
		}
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface,
		*ssa.Phi, *ssa.TypeAssert, *ssa.Convert, *ssa.Extract:
		return in.(ssa.Value)
	case *ssa.Call:
		return p.callHandsOn(h, x, in)
	}
	return nil
}

// rootOf is the local variable or new object that an address lies in, nil if it
// lies elsewhere.
func rootOf(addr ssa.Value) ssa.Value {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.Alloc:
			return a
		default:
			return nil
		}
	}
}

func (p *summarizer) callHandsOn(h *handed, x ssa.Value, in *ssa.Call) ssa.Value {
	c := &in.Call
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return in // append
	}
	fns := p.callees(c)
	args := c.Args
	if c.IsInvoke() {
		args = append([]ssa.Value{c.Value}, args...)
	}
	var next ssa.Value
	for i, a := range args {
		if a != x {
			continue
		}
		for _, fn := range fns {
			if i >= len(fn.Params) {
				continue
			}
			got := p.handed(fn.Params[i])
			if len(got.at) > 0 {
				h.at = append(h.at, in)
			}
			if got.returned {
				next = in
			}
		}
		if len(fns) > 0 || called(c) == nil { // an option that is called with it
			continue
		}
		_, isFunc := a.Type().Underlying().(*types.Signature)
		if isFunc || c.Signature().Recv() != nil && i > 0 || syncOp(called(c)) != opNone && i > 0 {
			h.at = append(h.at, in)
		} else {
			next = in // sync.NewCond(&x.mu)
		}
	}
	return next
}
