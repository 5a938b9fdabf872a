package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// takenOut is for what a function takes out of a variable in one critical section, and clears
// in a later one: what others put in meanwhile is lost. It is cleared where it is taken.
func takenOut(s *search) {
	seen := map[ast.Stmt]bool{}
	for _, a := range s.known() {
		for _, b := range s.known() {
			if a.Op != "read" || b.Op != "write" || a.Obj == nil || a.Obj != b.Obj || a.Fn != b.Fn || a.Root == nil || b.Root == nil ||
				s.Code.source(a.Root) != s.Code.source(b.Root) || seen[b.Stmt()] {
				continue
			}
			fn := function{a.Pkg, a.File, a.Fn}
			if first, second := s.sectionAt(fn, a.At()), s.sectionAt(fn, b.At()); first != nil && second != nil && first != second && first.obj == second.obj {
				seen[b.Stmt()] = true
				s.clearWhereTaken(fn, a, b, second)
			}
		}
	}
}

// clearWhereTaken moves the statement of b, which clears, right below that of a, which
// takes. A section that then does nothing goes away.
func (s *search) clearWhereTaken(fn function, a, b *Step, second *section) {
	take, ok := a.Stmt().(*ast.AssignStmt)
	clear, ok2 := b.Stmt().(*ast.AssignStmt)
	if !ok || !ok2 || take.Tok != token.DEFINE || len(take.Lhs) != 1 || ast.Unparen(take.Rhs[0]) != a.Root ||
		clear.Tok != token.ASSIGN || len(clear.Lhs) != 1 || ast.Unparen(clear.Lhs[0]) != b.Root || !isEmpty(fn, clear.Rhs[0]) || !s.Code.alone(clear) {
		return
	}
	local := fn.pkg.Info.Defs[identOf(take.Lhs[0])]
	where, ok := inList(fn, take)
	to := indexAt(where.list, clear.Pos())
	if !ok || local == nil || to <= where.i || where.list[to] != ast.Stmt(clear) {
		return
	}
	for _, st := range where.list[where.i+1 : to] {
		if names(fn, st, a.Obj) || s.callsUser(fn, st, a.Obj) || leavesList(st) && !leavesIfEmpty(fn, st, local) {
			return
		}
	}
	d := s.draft()
	d.moveAfter(clear, take)
	rest := slices.DeleteFunc(slices.Clone(second.list[second.at+1:]), func(st ast.Stmt) bool {
		return st == ast.Stmt(clear) || st == ast.Stmt(second.deferred) || slices.Contains(second.releases, st)
	})
	if slices.Equal(second.list, where.list) && (len(rest) == 0 || second.deferred == nil && rest[0].Pos() > second.to) {
		s.dissolve(d, second)
	}
	s.add(Repair{Title: "Do " + s.short(clear) + " where " + s.Code.source(a.Root) + " is taken, at line " + itoa(s.Code.line(take.Pos())), Kind: ExtendLock, Weight: 2}, d)
}

// callsUser reports whether a statement calls a function that uses an object.
func (s *search) callsUser(fn function, st ast.Stmt, o types.Object) (yes bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			f, known := s.bodyOfCall(fn, call)
			yes = yes || known && names(f, f.node, o)
		}
		return !yes
	})
	return yes
}

// isEmpty reports whether an expression is a constant, nil, or a new slice, map or struct
// without content.
func isEmpty(fn function, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	case *ast.CallExpr:
		return isBuiltin(fn, e, "make") && !slices.ContainsFunc(e.Args[1:], func(x ast.Expr) bool { return !plain(x) && !isConst(fn, x) })
	}
	return isConst(fn, e)
}

// leavesIfEmpty reports whether a statement only leaves if a variable is empty: to clear
// what it was taken from makes no difference then.
func leavesIfEmpty(fn function, st ast.Stmt, v types.Object) bool {
	check, ok := st.(*ast.IfStmt)
	if !ok || check.Init != nil || check.Else != nil {
		return false
	}
	cond, ok := ast.Unparen(check.Cond).(*ast.BinaryExpr)
	if !ok || cond.Op != token.EQL || !isConst(fn, cond.Y) {
		return false
	}
	x := ast.Unparen(cond.X)
	if call, ok := x.(*ast.CallExpr); ok && isBuiltin(fn, call, "len") {
		if lit, ok := ast.Unparen(cond.Y).(*ast.BasicLit); !ok || lit.Value != "0" {
			return false
		}
		x = ast.Unparen(call.Args[0])
	} else if !fn.pkg.Info.Types[cond.Y].IsNil() {
		return false
	}
	id, ok := x.(*ast.Ident)
	return ok && fn.pkg.Info.Uses[id] == v
}
