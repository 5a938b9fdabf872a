package decided

import "golang.org/x/tools/go/ssa"

// A variable that closures use is memory. If it is set once, before the closures are
// made, and otherwise only read, it is as good as its value.

// freeze finds such variables of a function.
func (a *analysis) freeze(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(*ssa.Alloc); ok {
				a.freezeVariable(v)
			}
		}
	}
}

func (a *analysis) freezeVariable(v *ssa.Alloc) {
	var store *ssa.Store
	var made []*ssa.MakeClosure
	copies := []ssa.Value{v}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != v || store != nil {
				return
			}
			store = r
		case *ssa.MakeClosure:
			made = append(made, r)
		case *ssa.UnOp, *ssa.DebugRef:
		default:
			return
		}
	}
	if store == nil {
		return
	}
	for _, c := range made {
		if !a.p.Before(store, c) {
			return
		}
		inner, ok := a.reads(c, v)
		if !ok {
			return
		}
		copies = append(copies, inner...)
	}
	for _, c := range copies {
		a.frozen[c] = store.Val
	}
}

// reads returns the free variables that stand for a variable in a closure and those
// inside it; false if one is used for anything but reading.
func (a *analysis) reads(c *ssa.MakeClosure, v ssa.Value) (out []ssa.Value, ok bool) {
	fn, _ := c.Fn.(*ssa.Function)
	if fn == nil {
		return nil, false
	}
	for i, b := range c.Bindings {
		if b != v {
			continue
		}
		fv := fn.FreeVars[i]
		out = append(out, fv)
		for _, r := range *fv.Referrers() {
			switch r := r.(type) {
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.MakeClosure:
				inner, ok := a.reads(r, fv)
				if !ok {
					return nil, false
				}
				out = append(out, inner...)
			default:
				return nil, false
			}
		}
	}
	return out, true
}
