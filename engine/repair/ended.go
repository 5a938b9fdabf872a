package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// deed is one thing that is done to a channel or a group: it returns what a node does it to,
// nil if it does something else.
type deed func(fn function, n ast.Node) ast.Expr

// once is an ending that must not be done twice, and what must come before each.
type once struct {
	ends, begins deed // begins is nil for close
	on           ast.Expr
}

// onceOf says of an ending what else does it, and what begins it.
func onceOf(fn function, end ast.Expr, on ast.Expr) once {
	if _, receive := end.(*ast.UnaryExpr); receive {
		return once{receivesFrom, sendsTo, on}
	}
	if groupMethod("Done")(fn, end.(*ast.CallExpr).Fun) != nil {
		return once{groupMethod("Done"), groupMethod("Add"), on}
	}
	return once{closes, nil, on}
}

// groupMethod is a method of a WaitGroup, called or handed on.
func groupMethod(name string) deed {
	return func(fn function, n ast.Node) ast.Expr {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == name && isSync(fn.pkg.Info.TypeOf(sel.X), "WaitGroup") {
			return sel.X
		}
		return nil
	}
}

func closes(fn function, n ast.Node) ast.Expr {
	if call, ok := n.(*ast.CallExpr); ok && isBuiltin(fn, call, "close") && len(call.Args) == 1 {
		return call.Args[0]
	}
	return nil
}

func receivesFrom(_ function, n ast.Node) ast.Expr {
	if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u.X
	}
	return nil
}

func sendsTo(_ function, n ast.Node) ast.Expr {
	if send, ok := n.(*ast.SendStmt); ok {
		return send.Chan
	}
	return nil
}

// mayEnd reports whether a statement may do the ending for what comes after it: itself, or
// by a function that it calls or starts. What it begins itself it ends for that.
func (s *search) mayEnd(fn function, st ast.Stmt, o once, skip func(ast.Node) bool) bool {
	return s.mayDo(fn, st, o.ends, o, skip) && (o.begins == nil || !s.mayDo(fn, st, o.begins, o, skip))
}

// mayDo reports whether a statement does something, itself or by a function that it calls
// or starts, unless that begins and ends by itself.
func (s *search) mayDo(fn function, st ast.Stmt, does deed, o once, skip func(ast.Node) bool) bool {
	v := fn.pkg.Info.ObjectOf(identOf(o.on))
	text := s.Code.source(o.on)
	seen := map[ast.Node]bool{}
	var in func(function, ast.Node) bool
	in = func(f function, n ast.Node) (yes bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			if yes || n == nil || skip(n) {
				return false
			}
			if x := does(f, n); x != nil {
				yes = f.node == fn.node && s.Code.source(x) == text || f.node != fn.node && sameVar(v, f, x)
			}
			if call, ok := n.(*ast.CallExpr); ok && !yes {
				if g, ok := s.bodyOfCall(f, call); ok && !seen[g.node] {
					seen[g.node] = true
					yes = in(g, body(g.node)) && !(touches(g, o.ends, v) && touches(g, o.begins, v))
				}
			}
			return !yes
		})
		return yes
	}
	return in(fn, st)
}

// touches reports whether a function's text does something to a variable.
func touches(fn function, does deed, v types.Object) (yes bool) {
	if does == nil {
		return false
	}
	ast.Inspect(body(fn.node), func(n ast.Node) bool {
		if n != nil && !yes {
			x := does(fn, n)
			yes = x != nil && sameVar(v, fn, x)
		}
		return !yes
	})
	return yes
}

// sameVar reports whether an expression ends in a variable or field, or in one that a
// parameter may stand for.
func sameVar(v types.Object, fn function, e ast.Expr) bool {
	a, ok := v.(*types.Var)
	if !ok {
		return false
	}
	b, ok := fn.pkg.Info.ObjectOf(identOf(e)).(*types.Var)
	return ok && (a.Origin() == b.Origin() || isParam(fn, b))
}

func isParam(fn function, v *types.Var) bool {
	return fn.node.Pos() <= v.Pos() && v.Pos() < body(fn.node).Lbrace && !v.IsField()
}

// leavingLists are the lists of statements that end in one of some exits: what is done there
// is not done for what comes after.
func leavingLists(exits []exit) func(ast.Node) bool {
	return func(n ast.Node) bool {
		list := listOf(n)
		return len(list) > 0 && slices.ContainsFunc(exits, func(e exit) bool { return e.stmt == list[len(list)-1] })
	}
}
