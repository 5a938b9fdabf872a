package repair

import (
	"go/ast"
	"go/types"
	"slices"
)

// A lock that is a field guards what belongs to its own struct. Where a region is about
// two values of that type, the lock of neither makes it atomic.

// instances are the expressions, each once, of which the nodes of a place access fields,
// or call methods, of one struct type.
func (s *search) instances(p place, tn *types.TypeName) (bases []ast.Expr) {
	if tn == nil {
		return nil
	}
	for _, n := range p.nodes {
		if call, ok := n.(*ast.CallExpr); ok {
			n = ast.Unparen(call.Fun)
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !isOf(p.fn.pkg.Info.TypeOf(sel.X), tn) {
			continue
		}
		if text := s.Code.source(sel.X); !slices.ContainsFunc(bases, func(b ast.Expr) bool { return s.Code.source(b) == text }) {
			bases = append(bases, sel.X)
		}
	}
	return bases
}

// isOf reports whether a type is a named one, or a pointer to it.
func isOf(t types.Type, tn *types.TypeName) bool {
	if t == nil {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Origin().Obj() == tn
}

// structOfLock is the struct of which a lock is a field, also of one that a draft adds.
func (s *search) structOfLock(lock *types.Var) *types.TypeName {
	if tn := s.newFields[lock]; tn != nil {
		return tn
	}
	tn, _ := structOf(lock)
	return tn
}

// commonOwners are the fields beside which a lock for several instances of a struct
// belongs: those that hold the instances, or fields of the receiver that can hold them.
func (s *search) commonOwners(p place, bases []ast.Expr, tn *types.TypeName) (vars []*types.Var) {
	for _, b := range bases {
		v, ok := p.fn.pkg.Info.ObjectOf(identOf(b)).(*types.Var)
		if !ok || !v.IsField() {
			return s.fieldsOf(p.fn, tn)
		}
		if !slices.Contains(vars, v.Origin()) {
			vars = append(vars, v.Origin())
		}
	}
	return vars
}

// fieldsOf are the fields of a method's receiver that hold values of a type.
func (s *search) fieldsOf(fn function, tn *types.TypeName) (vars []*types.Var) {
	id := receiver(fn)
	if id == nil {
		return nil
	}
	t := fn.pkg.Info.TypeOf(id)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	for i := range st.NumFields() {
		if f := st.Field(i); holds(f.Type(), tn) {
			vars = append(vars, f.Origin())
		}
	}
	return vars
}

// holds reports whether a value of a type has values of a named one: itself, or its
// elements.
func holds(t types.Type, tn *types.TypeName) bool {
	switch u := types.Unalias(t).(type) {
	case *types.Pointer:
		return holds(u.Elem(), tn)
	case *types.Slice:
		return holds(u.Elem(), tn)
	case *types.Array:
		return holds(u.Elem(), tn)
	case *types.Map:
		return holds(u.Elem(), tn)
	}
	return isOf(t, tn)
}

// receiver is the name of a method's receiver, nil if there is none.
func receiver(fn function) *ast.Ident {
	f, ok := fn.node.(*ast.FuncDecl)
	if !ok || f.Recv == nil || len(f.Recv.List) != 1 || len(f.Recv.List[0].Names) != 1 || f.Recv.List[0].Names[0].Name == "_" {
		return nil
	}
	return f.Recv.List[0].Names[0]
}

// around is a region with the critical sections whole that it would take a part of: a
// new lock is taken before the other locks and released after them.
func (s *search) around(p place) place {
	r := *p.region
	for again := true; again; {
		again = false
		for _, sec := range s.locksOf(p.fn) {
			end := indexAt(r.list, sec.to)
			if !slices.Equal(sec.list, r.list) || sec.deferred != nil || end < 0 || sec.at > end {
				continue
			}
			switch {
			case sec.at < r.from && r.from <= end && end <= r.to:
				r.from, again = sec.at, true
			case r.from <= sec.at && sec.at <= r.to && r.to < end:
				r.to, again = end, true
			}
		}
	}
	p.region = &r
	return p
}
