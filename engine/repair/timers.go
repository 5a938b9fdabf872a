package repair

import (
	"go/ast"
	"go/token"
	"slices"
)

// timers is for a goroutine that empties the channel of a timer after Stop, when there is
// nothing in it: it was received before. From Go 1.23 on nothing is ever left there; before,
// it is taken only if it is there.
func timers(s *search) {
	for _, st := range s.blocked {
		if st == nil || st.Op != "receive" {
			continue
		}
		recv, ok := st.Path[0].(*ast.UnaryExpr)
		if !ok || recv.Op != token.ARROW {
			continue
		}
		for _, n := range st.Path {
			if n == ast.Node(st.Fn) {
				break
			}
			if check, ok := n.(*ast.IfStmt); ok {
				s.drainIfThere(function{st.Pkg, st.File, st.Fn}, check, recv)
				break
			}
		}
	}
}

// drainIfThere mends "if !t.Stop() { <-t.C }".
func (s *search) drainIfThere(fn function, check *ast.IfStmt, recv *ast.UnaryExpr) {
	stop, ok := stopOf(check)
	c, isField := ast.Unparen(recv.X).(*ast.SelectorExpr)
	if !ok || !isField || c.Sel.Name != "C" || s.Code.source(c.X) != s.Code.source(stop.Fun.(*ast.SelectorExpr).X) || !s.isTimer(fn, stop) {
		return
	}
	d := s.draft()
	timer := s.Code.source(c.X)
	commented := slices.ContainsFunc(fn.file.Comments, func(c *ast.CommentGroup) bool { return check.Body.Pos() <= c.Pos() && c.End() <= check.Body.End() })
	if s.since(fn.file, "go1.23") && len(check.Body.List) == 1 && check.Init == nil && !commented {
		d.Replace(check, s.Code.source(stop))
		s.add(Repair{Title: "Do not wait for " + timer + ".C after " + timer + ".Stop: nothing is left in it since Go 1.23", Kind: Other, Weight: 3}, d)
		return
	}
	i := slices.IndexFunc(check.Body.List, func(st ast.Stmt) bool { return st.Pos() <= recv.Pos() && recv.End() <= st.End() })
	if i < 0 {
		return // it is in what the if statement does first
	}
	es, ok := check.Body.List[i].(*ast.ExprStmt)
	if !ok || ast.Unparen(es.X) != ast.Expr(recv) {
		return
	}
	pad := s.Code.indent(es.Pos())
	d.Replace(es, "select {\n"+pad+"case "+s.Code.source(recv)+":\n"+pad+"default:\n"+pad+"}")
	s.add(Repair{Title: "Empty " + timer + ".C only if something is in it", Kind: Other, Weight: 3}, d)
}

// stopOf is t.Stop() of "if !t.Stop() {".
func stopOf(check *ast.IfStmt) (*ast.CallExpr, bool) {
	not, ok := ast.Unparen(check.Cond).(*ast.UnaryExpr)
	if !ok || not.Op != token.NOT || check.Else != nil {
		return nil, false
	}
	call, ok := ast.Unparen(not.X).(*ast.CallExpr)
	return call, ok && isMethod(call, "Stop")
}

// isTimer reports whether a method that is called is one of time.Timer's.
func (s *search) isTimer(fn function, call *ast.CallExpr) bool {
	callee := s.callee(fn.pkg.Info, call)
	return callee != nil && callee.Pkg() != nil && callee.Pkg().Path() == "time" && callee.Signature().Recv() != nil && recvName(callee.Signature().Recv()) == "Timer"
}
