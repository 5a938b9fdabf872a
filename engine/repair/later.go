package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// callLater is the call of a go statement as it is written in a function literal in its
// place. The go statement evaluates the function and the arguments itself: what may change
// until the literal runs is copied before, under a name of its own.
func (s *search) callLater(d *Draft, fn function, g *ast.GoStmt) string {
	inner := &Draft{code: d.code, edits: map[string][]textedit.Edit{}}
	taken := map[string]bool{}
	copied := func(e ast.Expr, like string) {
		name := freshName(fn, g, like)
		for i := 2; taken[name]; i++ {
			name = freshName(fn, g, like+itoa(i))
		}
		taken[name] = true
		d.Before(g, name+" := "+s.Code.source(e))
		inner.Replace(e, name)
	}
	if !s.fixed(fn, g.Call.Fun) {
		copied(g.Call.Fun, "run")
	}
	for _, a := range g.Call.Args {
		id, isName := ast.Unparen(a).(*ast.Ident)
		switch {
		case isConst(fn, a) || isName && !s.varies(fn, id):
		case isName:
			copied(a, id.Name)
		default:
			copied(a, "arg")
		}
	}
	return inner.take(g.Call)
}

// fixed reports whether an expression for a function, with the receiver of a method, stays
// the same whatever comes next.
func (s *search) fixed(fn function, e ast.Expr) bool {
	info := fn.pkg.Info
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		return true
	case *ast.Ident:
		return !s.varies(fn, e)
	case *ast.IndexExpr: // an instance of a generic function, or an element
		return info.Types[e.Index].IsType() && s.fixed(fn, e.X)
	case *ast.IndexListExpr:
		return s.fixed(fn, e.X)
	case *ast.SelectorExpr:
		method, ok := info.Uses[e.Sel].(*types.Func)
		if !ok {
			return false // a field or variable
		}
		sel := info.Selections[e]
		if sel == nil || sel.Kind() == types.MethodExpr {
			return true
		}
		if len(sel.Index()) != 1 {
			return false
		}
		if _, isName := ast.Unparen(e.X).(*ast.Ident); isName && pointed(sel) {
			return true // the address of a variable
		}
		_, param := types.Unalias(sel.Recv()).(*types.TypeParam)
		refers := isPointer(method.Signature().Recv().Type()) || types.IsInterface(sel.Recv()) && !param
		return refers && !pointed(sel) && s.steady(fn, e.X)
	}
	return false
}

// steady reports whether a variable, or a field that nothing assigns to, stays the same
// whatever comes next.
func (s *search) steady(fn function, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return !s.varies(fn, e)
	case *ast.SelectorExpr:
		v, ok := fn.pkg.Info.Uses[e.Sel].(*types.Var)
		return ok && v.IsField() && !v.Exported() && !s.changes(v.Origin()) && s.steady(fn, e.X)
	}
	return false
}

// pointed reports whether a method is called on the address of a value.
func pointed(sel *types.Selection) bool {
	return isPointer(sel.Obj().(*types.Func).Signature().Recv().Type()) && !isPointer(sel.Recv())
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// varies reports whether a variable may have another value once what comes next is done:
// a local one if it has parts, is assigned to, is pointed to, or is one for all rounds of a
// loop.
func (s *search) varies(fn function, id *ast.Ident) (yes bool) {
	info := fn.pkg.Info
	v, ok := info.ObjectOf(id).(*types.Var)
	if !ok {
		return false
	}
	switch v.Type().Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	if v.Parent() == v.Pkg().Scope() {
		return true
	}
	is := func(e ast.Expr) bool {
		x, ok := ast.Unparen(e).(*ast.Ident)
		return ok && info.Uses[x] == v
	}
	defines := func(e ast.Expr) bool {
		x, ok := e.(*ast.Ident)
		return ok && info.Defs[x] == v
	}
	perLoop := !s.since(fn.file, "go1.22")
	own := map[ast.Stmt]bool{} // steps of loops that have a variable for each round
	ast.Inspect(fn.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			if !perLoop && n.Init != nil && n.Init.Pos() <= v.Pos() && v.Pos() < n.Init.End() {
				own[n.Post] = true
			}
		case *ast.AssignStmt:
			yes = yes || !own[n] && slices.ContainsFunc(n.Lhs, is)
		case *ast.IncDecStmt:
			yes = yes || !own[n] && is(n.X)
		case *ast.UnaryExpr:
			yes = yes || n.Op == token.AND && is(n.X)
		case *ast.SelectorExpr: // a method may change what it is called on
			sel := info.Selections[n]
			yes = yes || sel != nil && sel.Kind() == types.MethodVal && is(n.X) && pointed(sel)
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				yes = yes || e != nil && (is(e) || perLoop && defines(e))
			}
		}
		return !yes
	})
	return yes
}
