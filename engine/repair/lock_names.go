package repair

import (
	"go/ast"
	"go/token"
	"go/types"
)

// lockText is how a lock is written at a place: its name, or the field of what the
// place's nodes are about.
func (s *search) lockText(p place, lock *types.Var) (string, bool) {
	at := p.first().Pos()
	if !lock.IsField() {
		return lock.Name(), s.visible(p.fn, lock, at)
	}
	for _, sec := range s.locksOf(p.fn) { // as it is written around the place
		if sec.obj == lock && sec.holds(p.first().Pos()) && plainPath(ast.Unparen(sec.lock)) && s.knownAt(p.fn, ast.Unparen(sec.lock), at) {
			return s.Code.source(sec.lock), true
		}
	}
	for _, n := range p.nodes {
		for _, base := range bases(n) {
			if text, ok := s.fieldText(p.fn, base, lock, at); ok {
				return text, true
			}
		}
	}
	if r := receiver(p.fn); r != nil {
		return s.fieldText(p.fn, r, lock, at)
	}
	return "", false
}

// bases are the expressions in a node that may hold the lock: what a field is of, the
// receiver and the arguments of a call.
func bases(n ast.Node) (list []ast.Expr) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			list = append(list, n.X)
		case *ast.CallExpr:
			list = append(list, n.Args...)
		case *ast.FuncLit:
			return false
		}
		return true
	})
	return list
}

// fieldText is the lock as a field of an expression whose names are known at a place.
func (s *search) fieldText(fn function, base ast.Expr, lock *types.Var, at token.Pos) (string, bool) {
	base = ast.Unparen(base)
	if u, ok := base.(*ast.UnaryExpr); ok && u.Op == token.AND {
		base = u.X
	}
	if !plainPath(base) || !s.knownAt(fn, base, at) {
		return "", false
	}
	t := fn.pkg.Info.TypeOf(base)
	if t == nil {
		return "", false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return "", false
	}
	if tn := s.newFields[lock]; tn != nil {
		taken, _, _ := types.LookupFieldOrMethod(t, true, fn.pkg.Types, lock.Name()) // by the struct around it
		return s.Code.source(base) + "." + lock.Name(), taken == nil && isOrEmbeds(t, tn, 0)
	}
	for i := range st.NumFields() {
		if st.Field(i).Origin() != lock {
			continue
		}
		if st.Field(i).Embedded() {
			return s.Code.source(base), true
		}
		return s.Code.source(base) + "." + lock.Name(), true
	}
	// A field of a struct within, if the name stands for it.
	if o, _, _ := types.LookupFieldOrMethod(t, true, fn.pkg.Types, lock.Name()); o != nil {
		if v, ok := o.(*types.Var); ok && v.Origin() == lock {
			return s.Code.source(base) + "." + lock.Name(), true
		}
	}
	if lock.Pkg() == fn.pkg.Types {
		if path := pathsTo(st, lock, 0); len(path) == 1 {
			return s.Code.source(base) + path[0], true
		}
	}
	return "", false
}

// pathsTo are the ways from a struct to a field of the structs that it has as fields:
// ".table.mu". Of two, nobody knows which one is meant.
func pathsTo(st *types.Struct, field *types.Var, depth int) (paths []string) {
	for i := range st.NumFields() {
		f := st.Field(i)
		if f.Origin() == field {
			paths = append(paths, "."+f.Name())
			continue
		}
		t := f.Type()
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if inner, ok := t.Underlying().(*types.Struct); ok && f.Pkg() == field.Pkg() && depth < maxDepth {
			for _, rest := range pathsTo(inner, field, depth+1) {
				paths = append(paths, "."+f.Name()+rest)
			}
		}
	}
	return paths
}

// isOrEmbeds reports whether the fields of a type can be named as those of another one.
func isOrEmbeds(t types.Type, tn *types.TypeName, depth int) bool {
	if namedOf(t) == tn {
		return true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || depth > 8 {
		return false
	}
	for i := range st.NumFields() {
		if f := st.Field(i); f.Embedded() && isOrEmbeds(f.Type(), tn, depth+1) {
			return true
		}
	}
	return false
}

// plainPath reports whether an expression is a name, or fields of one.
func plainPath(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return plainPath(ast.Unparen(e.X))
	case *ast.StarExpr:
		return plainPath(ast.Unparen(e.X))
	}
	return false
}

// knownAt reports whether the first name of an expression means the same at a place.
func (s *search) knownAt(fn function, e ast.Expr, at token.Pos) bool {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			e = ast.Unparen(x.X)
		case *ast.StarExpr:
			e = ast.Unparen(x.X)
		case *ast.Ident:
			o := fn.pkg.Info.ObjectOf(x)
			return o != nil && s.visible(fn, o, at)
		default:
			return false
		}
	}
}

// visible reports whether an object can be named at a place.
func (s *search) visible(fn function, o types.Object, at token.Pos) bool {
	if r, ok := s.madeUp[o]; ok {
		return r[0] <= at && at < r[1]
	}
	if o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
		return o.Pkg() == fn.pkg.Types
	}
	scope := fn.pkg.Types.Scope().Innermost(at)
	if scope == nil {
		return false
	}
	_, found := scope.LookupParent(o.Name(), at)
	return found == o
}
