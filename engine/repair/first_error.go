package repair

import (
	"go/ast"
	"go/token"
	"go/types"
)

// firstError is for a variable that goroutines assign what they came to, so that the last
// one wins: each has a variable of its own, and only a failure is put into the shared one.
func firstError(s *search) {
	seen := map[ast.Node]bool{}
	for _, st := range s.steps {
		if st == nil || st.Op != "write" {
			continue
		}
		v, ok := st.Obj.(*types.Var)
		as, isAssign := st.Stmt().(*ast.AssignStmt)
		if !ok || !isAssign || seen[as] || as.Tok != token.ASSIGN || len(as.Rhs) != 1 || !isError(v.Type()) || s.declaredIn(v, st.Fn) {
			continue
		}
		seen[as] = true
		s.keepFirst(st, as, v)
	}
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// declaredIn reports whether a variable is declared within a function.
func (s *search) declaredIn(v *types.Var, fn ast.Node) bool {
	return fn.Pos() <= v.Pos() && v.Pos() < fn.End()
}

func (s *search) keepFirst(st *Step, as *ast.AssignStmt, v *types.Var) {
	fn := function{st.Pkg, st.File, st.Fn}
	var lhs ast.Expr
	for _, l := range as.Lhs {
		if o, ok := st.Pkg.Info.ObjectOf(identOf(l)).(*types.Var); ok && o.Origin() == v.Origin() {
			lhs = l
		} else if _, ok := l.(*ast.Ident); !ok {
			return // := has only names on its left
		}
	}
	if lhs == nil || !s.Code.alone(as) {
		return
	}
	d := s.draft()
	lock := s.guard(v.Origin())
	if lock != nil && s.held(fn, as.Pos(), lock) {
		return
	}
	if lock == nil {
		lock = s.newLock(d, []*types.Var{v.Origin()})
	}
	if lock == nil {
		return
	}
	r := regionOf(fn, as)
	if r == nil {
		return
	}
	text, ok := s.lockText(place{r, []ast.Node{lhs}, true}, lock)
	if !ok {
		return
	}
	own := freshName(fn, as, "failed")
	shared := s.Code.source(lhs)
	d.Replace(lhs, own)
	d.replaceRange(as.TokPos, as.TokPos+1, ":=")
	d.After(as, "if "+own+" != nil {",
		"\t"+text+".Lock()",
		"\tif "+shared+" == nil {",
		"\t\t"+shared+" = "+own,
		"\t}",
		"\t"+text+".Unlock()",
		"}")
	s.add(Repair{Title: "Keep the first error in " + shared + ", with " + text, Kind: NewLock, Weight: 6}, d)
}
