package repair

import (
	"go/ast"
	"go/types"
	"strings"
)

// gone is for a nil pointer that a map gave for a key which another goroutine has
// deleted: who looks it up in a callback, or later than it was entered, must see that.
// Only where the function has no result that would have to be made up.
func gone(s *search) {
	if !strings.Contains(s.Finding.Message, "nil pointer dereference") {
		return
	}
	st := s.place(s.Finding.Failure.File, s.Finding.Failure.Line, "", "")
	if st == nil {
		return
	}
	fn := function{st.Pkg, st.File, st.Fn}
	if results(fn) > 0 {
		return
	}
	lists(fn.node, func(list []ast.Stmt) {
		for _, x := range list {
			as, ok := x.(*ast.AssignStmt)
			if !ok || len(as.Lhs) != 1 || len(as.Rhs) != 1 || s.Code.line(as.Pos()) > s.Finding.Failure.Line {
				continue
			}
			id, ok := as.Lhs[0].(*ast.Ident)
			look, isIndex := as.Rhs[0].(*ast.IndexExpr)
			if !ok || !isIndex || !s.selectedAt(fn, fn.pkg.Info.ObjectOf(id), s.Finding.Failure.Line) {
				continue
			}
			if m, ok := fn.pkg.Info.ObjectOf(identOf(look.X)).(*types.Var); ok && isMap(m.Type()) && s.deleted(m.Origin()) {
				s.leaveIfGone(fn, as, id, look)
			}
		}
	})
}

// leaveIfGone returns where a key is no longer there.
func (s *search) leaveIfGone(fn function, as *ast.AssignStmt, id *ast.Ident, look *ast.IndexExpr) {
	d := s.draft()
	lines := []string{"if " + id.Name + " == nil {"}
	if sec := s.sectionAt(fn, as.Pos()); sec != nil && sec.deferred == nil {
		lines = append(lines, "\t"+lockAt{sec.obj, s.Code.source(sec.lock), sec.read}.release())
	}
	d.After(as, append(lines, "\treturn", "}")...)
	s.add(Repair{Title: "Return if " + s.Code.source(look) + " is gone, at line " + itoa(s.Code.line(as.Pos())), Kind: Other, Weight: 4,
		Tells: []string{"nothing is done for a key that is no longer in " + s.Code.source(look.X)}}, d)
}

// selectedAt reports whether a field or method of a variable is selected at a line.
func (s *search) selectedAt(fn function, o types.Object, line int) (yes bool) {
	inspectOwn(fn.node, func(n ast.Node) {
		if sel, ok := n.(*ast.SelectorExpr); ok && s.Code.line(sel.Sel.Pos()) == line {
			id, isIdent := sel.X.(*ast.Ident)
			yes = yes || isIdent && o != nil && fn.pkg.Info.Uses[id] == o
		}
	})
	return yes
}

// deleted reports whether some function deletes keys of a map.
func (s *search) deleted(m *types.Var) (yes bool) {
	for _, fn := range s.functions() {
		inspectOwn(fn.node, func(n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 || !isBuiltin(fn, call, "delete") && !isBuiltin(fn, call, "clear") {
				return
			}
			v, ok := fn.pkg.Info.ObjectOf(identOf(call.Args[0])).(*types.Var)
			yes = yes || ok && v.Origin() == m
		})
	}
	return yes
}

func isMap(t types.Type) bool {
	_, ok := t.Underlying().(*types.Map)
	return ok
}
