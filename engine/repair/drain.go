package repair

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// drain is for a select that took the case that ends the loop although another one could
// be taken too: what waits is handled before the loop ends.
func drain(s *search) {
	seen := map[ast.Node]bool{}
	for _, st := range s.steps {
		if st == nil || st.Op != "select" && st.Op != "receive" {
			continue
		}
		for _, n := range st.Path {
			if sel, ok := n.(*ast.SelectStmt); ok && !seen[sel] {
				seen[sel] = true
				s.drainOthers(function{st.Pkg, st.File, st.Fn}, sel)
			}
		}
		// The step may be at the case, or at the select.
		inspectOwn(st.Fn, func(n ast.Node) {
			if sel, ok := n.(*ast.SelectStmt); ok && !seen[sel] && s.Code.line(sel.Pos()) <= st.Line && st.Line <= s.Code.line(sel.End()) {
				seen[sel] = true
				s.drainOthers(function{st.Pkg, st.File, st.Fn}, sel)
			}
		})
	}
}

// drainOthers handles, in a case that leaves, what the other receiving cases would.
func (s *search) drainOthers(fn function, sel *ast.SelectStmt) {
	for _, c := range sel.Body.List {
		end := c.(*ast.CommClause)
		if end.Comm == nil || !receives(end.Comm) || len(end.Body) == 0 || !ends(end.Body[len(end.Body)-1]) {
			continue
		}
		for _, o := range sel.Body.List {
			other := o.(*ast.CommClause)
			if other == end || other.Comm == nil || !receives(other.Comm) || len(other.Body) == 0 || slices.ContainsFunc(other.Body, returns) {
				continue
			}
			s.proposeDrain(fn, end, other)
		}
	}
}

// returns reports whether a statement leaves the function, or a loop by its label. A
// plain continue or break goes on with the next that waits.
func returns(st ast.Stmt) bool {
	var all []exit
	exitsIn(st, exit{at: -1}, 0, 0, &all)
	return slices.ContainsFunc(all, func(e exit) bool {
		b, ok := e.stmt.(*ast.BranchStmt)
		return !ok || b.Label != nil || b.Tok == token.GOTO
	})
}

func receives(st ast.Stmt) bool { return receiveOf(st) != nil }

// receiveOf is the receive of a case.
func receiveOf(st ast.Stmt) *ast.UnaryExpr {
	var e ast.Expr
	switch st := st.(type) {
	case *ast.ExprStmt:
		e = st.X
	case *ast.AssignStmt:
		if len(st.Rhs) == 1 {
			e = st.Rhs[0]
		}
	}
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u
	}
	return nil
}

func (s *search) proposeDrain(fn function, end, other *ast.CommClause) {
	s.emptyFirst(fn, end, other)
	leave := end.Body[len(end.Body)-1]
	if b, ok := leave.(*ast.BranchStmt); ok && b.Label == nil {
		return // it would leave the loop that drains
	}
	d := s.draft()
	lines := []string{"for {", "\tselect {", "\tcase " + s.Code.source(other.Comm) + ":"}
	pad := s.Code.indent(other.Body[0].Pos())
	for _, st := range other.Body {
		for l := range strings.Lines(s.Code.source(st)) {
			lines = append(lines, "\t\t"+strings.TrimPrefix(strings.TrimSuffix(l, "\n"), pad))
		}
	}
	lines = append(lines, "\tdefault:")
	for l := range strings.Lines(s.Code.source(leave)) {
		lines = append(lines, "\t\t"+strings.TrimSuffix(l, "\n"))
	}
	lines = append(lines, "\t}", "}")
	d.insertBeforeLine(leave, block(s.Code.indent(leave.Pos()), lines))
	d.removeLines(leave)
	s.add(Repair{Title: "Handle what waits in " + s.Code.source(receiveOf(other.Comm).X) + " before line " + itoa(s.Code.line(leave.Pos())) + " leaves", Kind: Order, Weight: 5}, d)
}

// emptyFirst handles what a buffered channel holds before anything else is done.
func (s *search) emptyFirst(fn function, end, other *ast.CommClause) {
	recv := receiveOf(other.Comm)
	ch := s.Code.source(recv.X)
	if as, ok := other.Comm.(*ast.AssignStmt); ok && len(as.Lhs) != 1 || !plainPath(recv.X) {
		return
	}
	lines := []string{"for len(" + ch + ") > 0 {", "\t" + s.Code.source(other.Comm)}
	pad := s.Code.indent(other.Body[0].Pos())
	for _, st := range other.Body {
		for l := range strings.Lines(s.Code.source(st)) {
			lines = append(lines, "\t"+strings.TrimPrefix(strings.TrimSuffix(l, "\n"), pad))
		}
	}
	d := s.draft()
	d.Before(end.Body[0], append(lines, "}")...)
	s.add(Repair{Title: "Handle what waits in " + ch + " before line " + itoa(s.Code.line(end.Body[0].Pos())), Kind: Order, Weight: 4}, d)
}
