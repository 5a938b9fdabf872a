package repair

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// onceAlways is for a Once that is asked only if a look at what it sets finds nothing: who
// finds something did not wait for it. The Once is always asked; it knows by itself.
func onceAlways(s *search) {
	if s.Finding.Kind != "data-race" {
		return
	}
	seen := map[ast.Node]bool{}
	for _, fn := range s.functions() {
		if seen[fn.node] || !s.concerns(fn) {
			continue
		}
		seen[fn.node] = true
		inspectOwn(fn.node, func(n ast.Node) {
			check, ok := n.(*ast.IfStmt)
			if !ok || check.Init != nil || check.Else != nil || len(check.Body.List) != 1 || callsAny(check.Cond) || hasReceive(check.Cond) {
				return
			}
			on, do := methodOn(fn.pkg.Info, check.Body.List[0], "Once", "Do")
			if do == nil || !s.onlyRaced(fn, check.Cond) {
				return
			}
			d := s.draft()
			d.Replace(check, s.inside(check.Body))
			s.add(Repair{Title: "Always ask " + s.Code.source(on) + ", at line " + itoa(s.Code.line(check.Pos())), Kind: Order, Weight: 3}, d)
		})
	}
}

// onlyRaced reports whether a condition is one look at a variable of the root cause: a
// comparison of it with a constant or nil, or that it is false. Anything else may be
// another reason not to ask.
func (s *search) onlyRaced(fn function, cond ast.Expr) bool {
	var x ast.Expr
	switch e := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			x = e.X
		}
	case *ast.BinaryExpr:
		known := func(e ast.Expr) bool { tv := fn.pkg.Info.Types[e]; return tv.IsNil() || tv.Value != nil }
		switch {
		case known(e.Y):
			x = e.X
		case known(e.X):
			x = e.Y
		}
	}
	if x = ast.Unparen(x); x == nil || !plainPath(x) {
		return false
	}
	o := fn.pkg.Info.ObjectOf(identOf(x))
	return o != nil && slices.ContainsFunc(s.known(), func(st *Step) bool { return st.Obj == o })
}

// inside is what stands between the braces of a block, comments too, one tab further left.
func (s *search) inside(b *ast.BlockStmt) string {
	text := s.Code.source(b)
	return strings.ReplaceAll(strings.TrimSpace(text[1:len(text)-1]), "\n\t", "\n")
}
