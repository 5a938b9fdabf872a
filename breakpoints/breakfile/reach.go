package breakfile

import (
	"fmt"
	"go/ast"
	"go/token"
)

// unreachable marks the units that no run can reach, as far as the syntax says.
func (s *source) unreachable() {
	if len(s.units) == 0 {
		return
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			s.markAfterEnd(n.List)
		case *ast.CaseClause:
			s.markAfterEnd(n.Body)
		case *ast.CommClause:
			s.markAfterEnd(n.Body)
		case *ast.IfStmt:
			if s.isFalse(n.Cond) {
				s.markDead(n.Body.Pos(), n.Body.End(), "the condition is always false", n.Cond)
			}
		case *ast.ForStmt:
			if s.isFalse(n.Cond) {
				s.markDead(n.Body.Pos(), n.Body.End(), "the condition is always false", n.Cond)
			}
		}
		return true
	})
}

func (s *source) markAfterEnd(stmts []ast.Stmt) {
	for i, st := range stmts[:max(0, len(stmts)-1)] {
		if s.ends(st) {
			// A label may be jumped to.
			j := i + 1
			for j < len(stmts) && !labelled(stmts[j]) {
				j++
			}
			if j > i+1 {
				s.markDead(stmts[i+1].Pos(), stmts[j-1].End(), "nothing goes on after the statement", st)
			}
			return
		}
	}
}

// labelled reports whether a label is somewhere in the statement.
func labelled(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		_, lit := n.(*ast.FuncLit)
		_, label := n.(*ast.LabeledStmt)
		found = found || label
		return !lit && !found
	})
	return found
}

// markDead marks what lies between two positions.
func (s *source) markDead(from, to token.Pos, why string, at ast.Node) {
	line, _ := s.position(s.offset(at.Pos()))
	for _, u := range s.units {
		if u.dead == "" && s.offset(from) <= u.start && u.start < s.offset(to) {
			u.dead = fmt.Sprintf("%s on line %d", why, line)
		}
	}
}

// ends reports whether the statement never runs on into what follows it (the terminating
// statements of the language, and jumps).
func (s *source) ends(n ast.Stmt) bool {
	switch n := n.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return n.Tok != token.FALLTHROUGH
	case *ast.ExprStmt:
		call, ok := ast.Unparen(n.X).(*ast.CallExpr)
		return ok && neverReturns(call)
	case *ast.BlockStmt:
		return len(n.List) > 0 && s.ends(n.List[len(n.List)-1])
	case *ast.LabeledStmt:
		return s.ends(n.Stmt) && !breaks(n.Stmt, n.Label.Name)
	case *ast.IfStmt:
		return n.Else != nil && s.ends(n.Body) && s.ends(n.Else)
	case *ast.ForStmt:
		return n.Cond == nil && !breaks(n, "")
	case *ast.SelectStmt:
		if breaks(n, "") {
			return false
		}
		for _, c := range n.Body.List {
			if body := c.(*ast.CommClause).Body; len(body) == 0 || !s.ends(body[len(body)-1]) {
				return false
			}
		}
		return true
	}
	return false
}

// neverReturns reports a call of panic, os.Exit or runtime.Goexit.
func neverReturns(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name == "panic"
	case *ast.SelectorExpr:
		x, ok := f.X.(*ast.Ident)
		return ok && (x.Name == "os" && f.Sel.Name == "Exit" || x.Name == "runtime" && f.Sel.Name == "Goexit")
	}
	return false
}

// breaks reports whether a break leaves the loop, select or switch n, which has the label.
func breaks(n ast.Stmt, label string) bool {
	found := false
	var visit func(n ast.Node, inner bool)
	visit = func(n ast.Node, inner bool) {
		ast.Inspect(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.FuncLit:
				return false
			case *ast.BranchStmt:
				if x.Tok == token.BREAK {
					found = found || x.Label != nil && (x.Label.Name == label || label == "") || x.Label == nil && !inner
				}
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				if x != n {
					visit(bodyOf(x), true)
					return false
				}
			}
			return true
		})
	}
	visit(n, false)
	return found
}

// constants are those of the file that are plainly false.
func (s *source) constants() {
	for _, d := range s.ast.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			for i, x := range v.Values {
				if id, ok := x.(*ast.Ident); ok && id.Name == "false" && i < len(v.Names) {
					s.consts[v.Names[i].Name] = true
				}
			}
		}
	}
}

func (s *source) isFalse(x ast.Expr) bool {
	if x == nil {
		return false
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return x.Name == "false" || s.consts[x.Name] && !s.shadowed(x.Name)
	case *ast.BinaryExpr:
		return x.Op == token.LAND && (s.isFalse(x.X) || s.isFalse(x.Y)) || x.Op == token.LOR && s.isFalse(x.X) && s.isFalse(x.Y)
	}
	return false
}

// shadowed reports whether the name is declared a second time somewhere in the file; which
// one is meant would take types to tell.
func (s *source) shadowed(name string) bool {
	n := 0
	ast.Inspect(s.ast, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.AssignStmt:
			if x.Tok == token.DEFINE {
				for _, l := range x.Lhs {
					if id, ok := l.(*ast.Ident); ok && id.Name == name {
						n += 2
					}
				}
			}
		case *ast.RangeStmt:
			for _, l := range []ast.Expr{x.Key, x.Value} {
				if id, ok := l.(*ast.Ident); ok && id.Name == name {
					n += 2
				}
			}
		case *ast.ValueSpec:
			for _, id := range x.Names {
				if id.Name == name {
					n++
				}
			}
		case *ast.Field:
			for _, id := range x.Names {
				if id.Name == name {
					n += 2
				}
			}
		}
		return true
	})
	return n > 1
}
