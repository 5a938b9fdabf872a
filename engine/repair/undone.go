package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// undoneLater is for a deferred call that undoes something which may have failed: it is
// deferred before it is known whether there is anything to undo. It is deferred once the
// function did not return for that.
func undoneLater(s *search) {
	for _, fn := range s.functions() {
		if s.isTest(fn) || !s.concerns(fn) {
			continue
		}
		list := body(fn.node).List
		for i, st := range list {
			undo, ok := st.(*ast.DeferStmt)
			if !ok || i+1 >= len(list) {
				continue
			}
			f, ok := s.bodyOfCall(fn, undo.Call)
			check, ok2 := list[i+1].(*ast.IfStmt)
			if !ok || !ok2 || !s.undoes(fn, f, list[:i], check) || check.Else != nil || len(check.Body.List) == 0 || !ends(check.Body.List[len(check.Body.List)-1]) ||
				check.Init == nil && !callsAny(check.Cond) || !s.Code.alone(undo) {
				continue
			}
			d := s.draft()
			d.moveAfter(undo, check)
			s.add(Repair{Title: "Defer " + s.Code.source(undo.Call) + " after line " + itoa(s.Code.line(check.End())) + ", when there is something to undo", Kind: Order, Weight: 4}, d)
		}
	}
}

// undoes reports whether a function undoes what the calls of an if statement do to a
// variable of the root cause, and none of the statements before it does.
func (s *search) undoes(fn, undo function, before []ast.Stmt, check *ast.IfStmt) bool {
	for _, st := range s.known() {
		if st.Obj == nil || !s.alters(undo, body(undo.node), st.Obj, 0) {
			continue
		}
		done := func(n ast.Node) bool { return s.alters(fn, n, st.Obj, 0) }
		if slices.ContainsFunc(before, func(b ast.Stmt) bool { return done(b) }) {
			return false
		}
		if check.Init != nil && done(check.Init) || done(check.Cond) {
			return true
		}
	}
	return false
}

// alters reports whether a node changes a variable, or the functions that it calls do:
// sets it, sends or receives on it, or calls a method on it that does more than look.
func (s *search) alters(fn function, n ast.Node, o types.Object, depth int) (yes bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			yes = yes || slices.ContainsFunc(n.Lhs, func(l ast.Expr) bool { return names(fn, l, o) })
		case *ast.IncDecStmt:
			yes = yes || names(fn, n.X, o)
		case *ast.SendStmt:
			yes = yes || names(fn, n.Chan, o)
		case *ast.UnaryExpr:
			yes = yes || (n.Op == token.ARROW || n.Op == token.AND) && names(fn, n.X, o)
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && names(fn, sel.X, o) && !isMethod(n, "Load") {
				yes = true
			}
			if isBuiltin(fn, n, "delete") || isBuiltin(fn, n, "close") || isBuiltin(fn, n, "clear") {
				yes = yes || names(fn, n.Args[0], o)
			}
			if f, ok := s.bodyOfCall(fn, n); ok && depth < maxDepth {
				yes = yes || s.alters(f, body(f.node), o, depth+1)
			}
		}
		return !yes
	})
	return yes
}
