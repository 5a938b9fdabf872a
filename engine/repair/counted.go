package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// counted is for what a function changes right after it released the lock with which
// others look at it: a count of users, say, of an entry that the last one removes. The
// change is done before the release.
func counted(s *search) {
	seen := map[ast.Node]bool{}
	for _, st := range s.known() {
		for _, w := range s.ways(st) {
			if seen[w.fn.node] || !w.known {
				continue
			}
			seen[w.fn.node] = true
			for _, sec := range s.locksOf(w.fn) {
				s.afterRelease(w.fn, sec)
			}
		}
	}
}

// afterRelease moves what is changed after a section in its list up into it, if others
// look at it with that section's lock held.
func (s *search) afterRelease(fn function, sec *section) {
	to := indexAt(sec.list, sec.to)
	if sec.deferred != nil || sec.read || to < 0 {
		return
	}
	for i := to + 1; i < len(sec.list); i++ {
		st := sec.list[i]
		v := changed(fn, st)
		if v == nil && !takesLock(fn, st) {
			return // it may have to come first
		}
		if v == nil || s.held(fn, st.Pos(), sec.obj) || !s.looksWith(v, sec.obj) || !s.movable(fn, sec.list, i, to) {
			continue
		}
		d := s.draft()
		d.moveBefore(st, sec.list[to])
		s.add(Repair{Title: "Do " + s.short(st) + " before " + s.Code.source(sec.lock) + " is released", Kind: ExtendLock, Weight: 6}, d)
	}
}

func takesLock(fn function, st ast.Stmt) bool {
	es, ok := st.(*ast.ExprStmt)
	if !ok {
		return false
	}
	_, _, name := lockCall(fn.pkg.Info, es.X)
	return name == "Lock" || name == "RLock"
}

// looksWith reports whether a variable is used somewhere with a lock held.
func (s *search) looksWith(v, lock *types.Var) bool {
	return slices.ContainsFunc(s.uses(v), func(u use) bool { return s.held(u.fn, u.id.Pos(), lock) })
}

// changed is the field or package variable that a statement counts or sets, if it calls
// nothing.
func changed(fn function, st ast.Stmt) *types.Var {
	var on ast.Expr
	switch st := st.(type) {
	case *ast.IncDecStmt:
		on = st.X
	case *ast.AssignStmt:
		if st.Tok == token.DEFINE || len(st.Lhs) != 1 || slices.ContainsFunc(st.Rhs, hasReceive) || slices.ContainsFunc(st.Rhs, callsAny) {
			return nil
		}
		on = st.Lhs[0]
	default:
		return nil
	}
	if callsAny(on) || hasReceive(on) {
		return nil
	}
	v, ok := fn.pkg.Info.ObjectOf(identOf(on)).(*types.Var)
	if !ok || !v.IsField() && v.Parent() != fn.pkg.Types.Scope() || isLock(v.Type()) {
		return nil
	}
	return v.Origin()
}

func callsAny(e ast.Expr) (yes bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, call := n.(*ast.CallExpr)
		yes = yes || call
		return !yes
	})
	return yes
}
