package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// constructors are functions of the standard library that return something new that the
// caller is to close, by package.
var constructors = map[string][]string{
	"net":          {"Dial", "DialTimeout", "Listen", "ListenPacket", "Pipe"},
	"crypto/tls":   {"Dial", "Client", "Server"},
	"os":           {"Create", "CreateTemp", "Open", "OpenFile"},
	"database/sql": {"Open"},
}

// makesNew reports whether an expression is seen to make what nobody else has: a literal,
// new, or a call of a function that returns nothing else.
func (s *search) makesNew(fn function, e ast.Expr, depth int) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		_, lit := ast.Unparen(e.X).(*ast.CompositeLit)
		return lit && e.Op == token.AND
	case *ast.Ident:
		return fn.pkg.Info.Types[e].IsNil() || s.onlyReturned(fn, e, depth)
	case *ast.CallExpr:
		return isBuiltin(fn, e, "new") || depth < maxDepth && s.callMakesNew(fn, e, depth+1)
	}
	return false
}

// callMakesNew looks at what a call runs; of a function value that is all functions that
// it may be by its type, at least one.
func (s *search) callMakesNew(fn function, call *ast.CallExpr, depth int) bool {
	if callee := s.callee(fn.pkg.Info, call); callee != nil {
		if f, ok := s.bodyOf(callee); ok {
			return s.returnsNew(f, depth)
		}
		return callee.Pkg() != nil && callee.Signature().Recv() == nil && slices.Contains(constructors[callee.Pkg().Path()], callee.Name())
	}
	sig, ok := typeOf[*types.Signature](fn.pkg.Info, call.Fun)
	seen := false
	for _, f := range s.functions() {
		var t types.Type
		switch n := f.node.(type) {
		case *ast.FuncLit:
			t = f.pkg.Info.TypeOf(n)
		case *ast.FuncDecl:
			if n.Recv == nil {
				t = f.pkg.Info.TypeOf(n.Name)
			}
		}
		if !ok || t == nil || !types.Identical(t, sig) {
			continue
		}
		if !s.returnsNew(f, depth) {
			return false
		}
		seen = true
	}
	return seen
}

// returnsNew reports whether the first result of a function is new wherever it returns.
func (s *search) returnsNew(f function, depth int) bool {
	some, all := false, true
	inspectOwn(f.node, func(n ast.Node) {
		if ret, ok := n.(*ast.ReturnStmt); ok {
			some = true
			all = all && len(ret.Results) > 0 && s.makesNew(f, ret.Results[0], depth)
		}
	})
	return some && all
}

// onlyReturned reports whether a local variable is given something new, and the function
// only returns it, compares it or uses its fields and methods: nobody else gets it.
func (s *search) onlyReturned(fn function, id *ast.Ident, depth int) bool {
	o, ok := fn.pkg.Info.Uses[id].(*types.Var)
	if !ok || o.IsField() {
		return false
	}
	made, uses, fine := false, 0, 0
	ast.Inspect(fn.node, func(n ast.Node) bool {
		is := func(e ast.Expr) bool {
			x, ok := ast.Unparen(e).(*ast.Ident)
			return ok && fn.pkg.Info.Uses[x] == o
		}
		switch n := n.(type) {
		case *ast.Ident:
			if fn.pkg.Info.Uses[n] == o {
				uses++
			}
		case *ast.AssignStmt:
			if x, ok := n.Lhs[0].(*ast.Ident); ok && n.Tok == token.DEFINE && fn.pkg.Info.Defs[x] == o && len(n.Rhs) == 1 {
				made = s.makesNew(fn, n.Rhs[0], depth)
			}
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				if is(r) {
					fine++
				}
			}
		case *ast.SelectorExpr:
			if is(n.X) {
				fine++
			}
		case *ast.BinaryExpr:
			if is(n.X) {
				fine++
			}
			if is(n.Y) {
				fine++
			}
		}
		return true
	})
	return made && uses == fine
}
