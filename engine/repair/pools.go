package repair

import (
	"go/ast"
	"go/types"
	"slices"
)

// pools is for what is still used after it was put back into a sync.Pool: a slice of its
// content is copied before.
func pools(s *search) {
	seen := map[ast.Node]bool{}
	for _, st := range s.known() {
		if st.Op != "put" || seen[st.Fn] {
			continue
		}
		seen[st.Fn] = true
		fn := function{st.Pkg, st.File, st.Fn}
		inspectAll(st.Fn, func(n ast.Node) {
			if _, call := methodOn(fn.pkg.Info, n, "Pool", "Put"); call != nil && len(call.Args) == 1 {
				if v, ok := fn.pkg.Info.ObjectOf(rootIdent(call.Args[0])).(*types.Var); ok {
					s.copyOutOf(fn, v)
				}
			}
		})
	}
}

// copyOutOf copies the slices that a function takes out of a variable and returns: by a
// method of it, or by slicing.
func (s *search) copyOutOf(fn function, v *types.Var) {
	var returned []types.Object
	inspectOwn(fn.node, func(n ast.Node) {
		ret, ok := n.(*ast.ReturnStmt)
		if !ok {
			return
		}
		for _, e := range ret.Results {
			if id, ok := ast.Unparen(e).(*ast.Ident); ok {
				returned = append(returned, fn.pkg.Info.ObjectOf(id))
			} else if s.partOf(fn, e, v) {
				s.cloneAt(fn, e, "Return") // before what is deferred
			}
		}
	})
	inspectOwn(fn.node, func(n ast.Node) {
		as, ok := n.(*ast.AssignStmt)
		if !ok || len(as.Lhs) != len(as.Rhs) {
			return
		}
		for i, e := range as.Rhs {
			if o := fn.pkg.Info.ObjectOf(identOf(as.Lhs[i])); o != nil && slices.Contains(returned, o) && s.partOf(fn, e, v) {
				s.cloneAt(fn, e, "Take")
			}
		}
	})
}

// partOf reports whether an expression is a slice that may lie in a variable: x[i:j], or
// what a method of x returns.
func (s *search) partOf(fn function, e ast.Expr, v *types.Var) bool {
	if _, ok := typeOf[*types.Slice](fn.pkg.Info, e); !ok {
		return false
	}
	var of ast.Expr
	switch e := ast.Unparen(e).(type) {
	case *ast.SliceExpr:
		of = e.X
	case *ast.CallExpr:
		sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		if !ok || fn.pkg.Info.Selections[sel] == nil {
			return false
		}
		of = sel.X
	default:
		return false
	}
	id := rootIdent(of)
	return id != nil && fn.pkg.Info.ObjectOf(id) == v
}
