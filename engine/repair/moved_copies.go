package repair

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// capture copies, before a statement that is moved out of a section, what it reads of
// guarded fields, and makes it use the copies: the lines to put before it. Nil if it
// would still need the lock.
func (s *search) capture(d *Draft, fn function, moved ast.Stmt) []string {
	var reads []ast.Expr // what to copy
	take := func(e ast.Expr) {
		inside := slices.ContainsFunc(reads, func(r ast.Expr) bool { return r.Pos() <= e.Pos() && e.End() <= r.End() })
		if !inside && s.readsGuarded(fn, e) > 0 && !hasCall(fn, e) && !usesDefined(fn.pkg.Info, e, moved) {
			reads = append(reads, e)
		}
	}
	ast.Inspect(moved, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IfStmt:
			if n == moved && n.Init == nil {
				take(n.Cond)
			}
		case *ast.SendStmt:
			take(n.Value)
		case *ast.UnaryExpr: // a channel that another start replaces
			if v, ok := fn.pkg.Info.ObjectOf(identOf(n.X)).(*types.Var); ok && n.Op == token.ARROW && v.IsField() && plainPath(ast.Unparen(n.X)) && s.changes(v.Origin()) {
				reads = append(reads, n.X)
			}
		case *ast.CallExpr:
			for _, a := range n.Args {
				take(a)
			}
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok { // a callback in a field
				if v, ok := fn.pkg.Info.Uses[sel.Sel].(*types.Var); ok && v.IsField() {
					take(sel)
				}
			}
		case *ast.RangeStmt:
			if plainPath(ast.Unparen(n.X)) {
				take(n.X)
			}
		}
		return true
	})
	reads, ok := s.othersGuarded(fn, moved, reads)
	if !ok {
		return nil
	}
	lines := []string{}
	copies := map[string]string{}
	for _, e := range reads {
		src := s.Code.source(e)
		name, have := copies[src]
		if !have {
			name = freshName(fn, moved, s.copyName(e))
			lines = append(lines, name+" := "+s.copyOf(d, fn, e))
			copies[src] = name
		}
		d.Replace(e, name)
	}
	return lines
}

// hasCall reports whether an expression calls more than len and cap.
func hasCall(fn function, e ast.Expr) (yes bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !isBuiltin(fn, call, "len", "cap") {
			yes = true
		}
		return !yes
	})
	return yes
}

// othersGuarded adds the guarded fields in a statement that no expression of the list
// holds: false if one of them is written.
func (s *search) othersGuarded(fn function, moved ast.Stmt, reads []ast.Expr) ([]ast.Expr, bool) {
	ok := true
	ast.Inspect(moved, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				ok = ok && s.readsGuarded(fn, l) == 0
			}
		case *ast.IncDecStmt:
			ok = ok && s.readsGuarded(fn, n.X) == 0
		case *ast.CallExpr:
			if isBuiltin(fn, n, "delete", "clear") {
				ok = ok && s.readsGuarded(fn, n) == 0
			}
		case *ast.SelectorExpr:
			if s.readsGuarded(fn, n) > 0 && s.readsGuarded(fn, n.X) == 0 &&
				!slices.ContainsFunc(reads, func(e ast.Expr) bool { return e.Pos() <= n.Pos() && n.End() <= e.End() }) {
				reads = append(reads, n)
			}
		}
		return true
	})
	return reads, ok
}

// copyName is a name for the value of an expression.
func (s *search) copyName(e ast.Expr) string {
	if plainPath(ast.Unparen(e)) {
		name := identOf(e).Name
		return strings.ToLower(name[:1]) + name[1:]
	}
	if _, call := ast.Unparen(e).(*ast.CallExpr); call {
		return "n" // len or cap
	}
	return "due"
}

// copyOf is a copy of a value: of the elements too, of slices and maps.
func (s *search) copyOf(d *Draft, fn function, e ast.Expr) string {
	src := s.Code.source(e)
	text := s.cloned(d, fn.file, e.Pos(), fn.pkg.Info.TypeOf(e), src)
	d.clones = d.clones || text != src
	return text
}

// readsGuarded counts the uses of fields in a node that some lock guards. Channels and
// locks themselves need none.
func (s *search) readsGuarded(fn function, n ast.Node) (count int) {
	ast.Inspect(n, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		v, ok := fn.pkg.Info.Uses[sel.Sel].(*types.Var)
		if !ok || !v.IsField() || isLock(v.Type()) {
			return true
		}
		if _, ch := v.Type().Underlying().(*types.Chan); !ch && s.changes(v.Origin()) && s.guard(v.Origin()) != nil {
			count++
		}
		return true
	})
	return count
}

// changes reports whether a field is assigned to anywhere but in a literal: others are
// the same for ever.
func (s *search) changes(v *types.Var) (yes bool) {
	for _, fn := range s.functions() {
		inspectOwn(fn.node, func(n ast.Node) {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, l := range n.Lhs {
					if o, ok := fn.pkg.Info.ObjectOf(identOf(l)).(*types.Var); ok && o.Origin() == v {
						yes = true
					}
				}
			case *ast.IncDecStmt:
				if o, ok := fn.pkg.Info.ObjectOf(identOf(n.X)).(*types.Var); ok && o.Origin() == v {
					yes = true
				}
			case *ast.CallExpr:
				if isBuiltin(fn, n, "delete", "clear") && len(n.Args) > 0 {
					if o, ok := fn.pkg.Info.ObjectOf(identOf(n.Args[0])).(*types.Var); ok && o.Origin() == v {
						yes = true
					}
				}
			}
		})
	}
	return yes
}

// freshName is a name like the given one that nothing has at a statement.
func freshName(fn function, st ast.Stmt, like string) string {
	scope := fn.pkg.Types.Scope().Innermost(st.Pos())
	name := like
	for i := 2; scope != nil; i++ {
		if _, o := scope.LookupParent(name, st.Pos()); o == nil || o.Parent() == types.Universe {
			break
		}
		name = fmt.Sprintf("%s%d", like, i)
	}
	return name
}
