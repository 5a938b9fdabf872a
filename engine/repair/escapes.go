package repair

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
)

// escapes is for a function literal that is returned out of a critical section, an
// iterator for one: it runs when the lock is no longer held. It gets copies of what the
// lock guards, made in the section.
func escapes(s *search) {
	done := map[ast.Node]bool{}
	for _, st := range s.steps {
		if st == nil {
			continue
		}
		lit, ok := st.Fn.(*ast.FuncLit)
		if !ok || done[lit] {
			continue
		}
		done[lit] = true
		path, _ := astutil.PathEnclosingInterval(st.File, lit.Pos(), lit.End())
		var ret *ast.ReturnStmt
		for _, n := range path {
			if r, ok := n.(*ast.ReturnStmt); ok && ret == nil {
				ret = r
			}
			if n == ast.Node(lit) {
				continue
			}
			switch n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				if fn := (function{st.Pkg, st.File, n}); ret != nil {
					if sec := s.sectionAt(fn, lit.Pos()); sec != nil {
						s.copyInto(fn, ret, lit)
					}
				}
				ret = nil
			}
		}
	}
}

// copyInto makes a literal that a statement returns use copies of guarded fields.
func (s *search) copyInto(fn function, ret *ast.ReturnStmt, lit *ast.FuncLit) {
	inner := function{fn.pkg, fn.file, lit}
	if len(s.locksOf(inner)) > 0 {
		return // it takes locks by itself, maybe to change what it holds
	}
	d := s.draft()
	copies := map[string]string{}
	var lines []string
	ok := true
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			ok = ok && !slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return s.readsGuarded(inner, e) > 0 })
		case *ast.IncDecStmt:
			ok = ok && s.readsGuarded(inner, n.X) == 0
		case *ast.CallExpr:
			ok = ok && !(isBuiltin(inner, n, "delete", "clear", "copy") && s.readsGuarded(inner, n) > 0)
		case *ast.SelectorExpr:
			v, field := fn.pkg.Info.Uses[n.Sel].(*types.Var)
			if !field || s.readsGuarded(inner, n) == 0 || !v.IsField() {
				return true
			}
			if !plainPath(n) || !s.knownAt(fn, n, ret.Pos()) {
				ok = false
				return false
			}
			src := s.Code.source(n)
			if copies[src] == "" {
				copies[src] = freshName(fn, ret, s.copyName(n))
				lines = append(lines, copies[src]+" := "+s.copyOf(d, fn, n))
			}
			d.Replace(n, copies[src])
			return false
		}
		return ok
	})
	if !ok || !d.clones {
		return
	}
	d.Before(ret, lines...)
	s.add(Repair{Title: "Return a function that uses copies, at line " + itoa(s.Code.line(ret.Pos())), Kind: Other, Weight: 6, snapshot: true,
		Tells: []string{"the function sees what there was when " + nameOf(fn) + " was called"}}, d)
}
