package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
)

// unlocks is for locks that are not released on some path: an early return, or a panic.
func unlocks(s *search) {
	seen := map[ast.Node]bool{}
	for _, st := range slices.Concat(s.steps, s.blocked) {
		if st == nil || seen[st.Fn] {
			continue
		}
		seen[st.Fn] = true
		fn := function{st.Pkg, st.File, st.Fn}
		for _, sec := range s.locksOf(fn) {
			if sec.deferred == nil {
				s.releaseOnAll(fn, sec)
			}
		}
	}
}

// releaseOnAll proposes a release before each exit of a section that has none, and a
// deferred one in place of all.
func (s *search) releaseOnAll(fn function, sec *section) {
	text := s.Code.source(sec.lock)
	l := lockAt{sec.obj, text, sec.read}
	last := len(sec.list) - 1
	if i := indexAt(sec.list, sec.to); i >= 0 && slices.Contains(sec.releases, sec.list[i]) {
		last = i
	}
	r := &region{fn: fn, list: sec.list, from: sec.at + 1, to: last}
	if r.from > r.to {
		return
	}
	var missing []exit
	handed := func(st ast.Stmt) bool { return s.releasedIn(fn, st, sec.obj) }
	for _, e := range exitsOf(r) {
		if !handed(e.stmt) && !slices.ContainsFunc(e.before, func(st ast.Stmt) bool { return slices.Contains(sec.releases, st) || handed(st) }) {
			missing = append(missing, e)
		}
	}
	never := len(sec.releases) == 0
	// The lock may go to who calls a function that releases it, unless this one fails.
	hands := never && !slices.ContainsFunc(sec.list[sec.at+1:], handed) && s.releasedBy(fn, sec.obj)
	if hands {
		missing = slices.DeleteFunc(missing, func(e exit) bool { return !s.fails(fn, e) })
	}
	falls := last == len(sec.list)-1 && !ends(sec.list[last]) && !slices.Contains(sec.releases, sec.list[last])
	if len(missing) == 0 && (hands || !never && !falls) {
		return
	}
	if len(missing) > 0 {
		d := s.draft()
		ok := true
		for _, e := range missing {
			if s.releaseAt(d, r, e, l, nil) != nil {
				ok = false
			}
		}
		if ok {
			s.add(Repair{Title: "Release " + text + " before line " + itoa(s.Code.line(missing[0].stmt.Pos())) + " leaves", Kind: Other, Weight: 3}, d)
		}
	}
	if !hands && slices.Equal(sec.list, body(fn.node).List) && !slices.ContainsFunc(sec.list[sec.at+1:], handed) {
		d := s.draft()
		for _, rel := range sec.releases {
			d.Remove(rel)
		}
		d.After(sec.take, "defer "+l.release())
		s.add(Repair{Title: "Release " + text + " by defer", Kind: Other, Weight: 4}, d)
	}
}

// fails reports whether an exit certainly returns an error: one that is made there, a
// variable of a package that is never set again, or one that is not nil by the condition
// around the return.
func (s *search) fails(fn function, e exit) bool {
	ret, ok := e.stmt.(*ast.ReturnStmt)
	if !ok || len(ret.Results) == 0 {
		return false
	}
	last := ast.Unparen(ret.Results[len(ret.Results)-1])
	if !isError(fn.pkg.Info.TypeOf(last)) {
		return false
	}
	switch last := last.(type) {
	case *ast.CallExpr:
		callee := s.callee(fn.pkg.Info, last)
		return callee != nil && (callee.FullName() == "errors.New" || callee.FullName() == "fmt.Errorf")
	case *ast.Ident, *ast.SelectorExpr:
		v, ok := fn.pkg.Info.Uses[identOf(last)].(*types.Var)
		return ok && (v.Pkg() != nil && v.Parent() == v.Pkg().Scope() && !s.changes(v) || notNil(fn, ret, v))
	}
	return false
}

// notNil reports whether a return is in the body of `if v != nil`, which does not set v.
func notNil(fn function, ret *ast.ReturnStmt, v *types.Var) bool {
	path, _ := astutil.PathEnclosingInterval(fn.file, ret.Pos(), ret.End())
	for _, n := range path {
		st, ok := n.(*ast.IfStmt)
		if !ok || ret.Pos() < st.Body.Pos() || st.Body.End() < ret.End() {
			continue
		}
		cond, ok := ast.Unparen(st.Cond).(*ast.BinaryExpr)
		if ok && cond.Op == token.NEQ && isConst(fn, cond.Y) && isVar(fn, cond.X, v) {
			changed := false
			ast.Inspect(st.Body, func(n ast.Node) bool {
				as, ok := n.(*ast.AssignStmt)
				changed = changed || ok && sets(fn, as, v)
				return !changed
			})
			return !changed
		}
	}
	return false
}

// isVar reports whether an expression is a local variable.
func isVar(fn function, e ast.Expr, v *types.Var) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && fn.pkg.Info.Uses[id] == v
}

// releasedIn reports whether a statement calls a function that releases a lock which it did
// not take.
func (s *search) releasedIn(fn function, st ast.Stmt, lock *types.Var) (yes bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			f, ok := s.bodyOfCall(fn, n)
			yes = yes || ok && s.onlyReleases(f, lock)
		}
		return !yes
	})
	return yes
}

// onlyReleases reports whether a function releases a lock that it does not take.
func (s *search) onlyReleases(fn function, lock *types.Var) (yes bool) {
	if slices.ContainsFunc(s.locksOf(fn), func(sec *section) bool { return sec.obj == lock }) {
		return false
	}
	inspectOwn(fn.node, func(n ast.Node) {
		if e, ok := n.(ast.Expr); ok {
			_, obj, name := lockCall(fn.pkg.Info, e)
			yes = yes || obj == lock && (name == "Unlock" || name == "RUnlock")
		}
	})
	return yes
}

// releasedBy reports whether a function other than the given one releases a lock that it
// does not take.
func (s *search) releasedBy(not function, lock *types.Var) bool {
	return slices.ContainsFunc(s.functions(), func(fn function) bool { return fn.node != not.node && s.onlyReleases(fn, lock) })
}
