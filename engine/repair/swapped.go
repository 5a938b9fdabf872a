package repair

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
)

// Two writes of one goroutine that another one reads together: in whatever order they are
// done, a reader may come in between.

// addSwap proposes a change of the order in which a statement and the one of a step are
// done. It is refused where readers come to the values of both.
func (s *search) addSwap(set *Step, fn function, st ast.Stmt, r Repair, d *Draft) {
	for _, early := range s.swaps(set, fn, st) {
		torn := "readers may still see " + early.Name() + " without " + set.Obj.Name() + ", or the other way round"
		if s.readTogether(set, early) {
			s.refuse(r.Title, torn)
			return
		}
		d.Tell("%s", torn)
		d.weight += 6
	}
	s.add(r, d)
}

// swaps are the variables that a statement writes before a step that writes one that lies
// beside them: fields of one struct, or variables of one package.
func (s *search) swaps(set *Step, fn function, st ast.Stmt) (vars []*types.Var) {
	late, ok := set.Obj.(*types.Var)
	if !ok {
		return nil
	}
	for _, early := range s.steps {
		if early == nil || early.Goroutine != set.Goroutine || early.Index >= set.Index || early.Op != "write" && early.Op != "store" {
			continue
		}
		v, ok := early.Obj.(*types.Var)
		if ok && v.Origin() != late.Origin() && beside(v.Origin(), late.Origin()) && !isFlag(v) && slices.ContainsFunc(s.ways(early), func(w via) bool {
			return w.fn.node == fn.node && st.Pos() <= w.node.Pos() && w.node.Pos() < st.End()
		}) {
			vars = append(vars, v.Origin())
		}
	}
	return vars
}

// isFlag reports whether a variable only tells whether something is so: who reads it
// decides by it.
func isFlag(v *types.Var) bool {
	if b, ok := v.Type().Underlying().(*types.Basic); ok {
		return b.Info()&types.IsBoolean != 0
	}
	n := namedOf(v.Type())
	return n != nil && n.Pkg() != nil && n.Pkg().Path() == "sync/atomic" && n.Name() == "Bool"
}

// readTogether reports whether another goroutine than that of a step reads, in the root
// cause or in one critical section, both what the step writes and a variable that is
// written before, which it does not decide by.
func (s *search) readTogether(set *Step, early *types.Var) bool {
	late := set.Obj.(*types.Var).Origin()
	for _, first := range s.steps {
		if !readBeside(first, set, early) || s.decidesBy(first) {
			continue
		}
		if slices.ContainsFunc(s.steps, func(o *Step) bool { return readBeside(o, set, late) && o.Goroutine == first.Goroutine }) {
			return true
		}
	}
	uses := s.uses(late)
	return slices.ContainsFunc(s.uses(early), func(u use) bool {
		sec := s.sectionAt(u.fn, u.id.Pos())
		return sec != nil && !writtenAt(u) && !decided(u.fn, u.expr) && slices.ContainsFunc(uses, func(o use) bool {
			return o.fn.node == u.fn.node && sec.holds(o.id.Pos()) && !writtenAt(o)
		})
	})
}

// readBeside reports whether a step of another goroutine than that of set reads a variable.
func readBeside(st, set *Step, v *types.Var) bool {
	if st == nil || st.Goroutine == set.Goroutine || st.Op != "read" && st.Op != "load" {
		return false
	}
	o, ok := st.Obj.(*types.Var)
	return ok && o.Origin() == v
}

// decidesBy reports whether a condition asks for what a step reads, there or where the
// function that reads it was called.
func (s *search) decidesBy(st *Step) bool {
	return slices.ContainsFunc(s.ways(st), func(w via) bool { return decided(w.fn, w.node) })
}

// decided reports whether a node is part of a condition, or is kept in a variable that is.
func decided(fn function, n ast.Node) bool {
	path, _ := astutil.PathEnclosingInterval(fn.file, n.Pos(), n.End())
	for _, p := range path {
		switch p := p.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return false
		case *ast.IfStmt:
			if inNode(n, p.Cond) {
				return true
			}
		case *ast.ForStmt:
			if p.Cond != nil && inNode(n, p.Cond) {
				return true
			}
		case *ast.SwitchStmt:
			if p.Tag != nil && inNode(n, p.Tag) {
				return true
			}
		case *ast.AssignStmt:
			if conditionOn(fn, p.Lhs) {
				return true
			}
		}
	}
	return false
}

func inNode(n, outer ast.Node) bool { return outer.Pos() <= n.Pos() && n.End() <= outer.End() }

// conditionOn reports whether an if statement of a function asks for one of some variables.
func conditionOn(fn function, vars []ast.Expr) (yes bool) {
	inspectOwn(fn.node, func(n ast.Node) {
		check, ok := n.(*ast.IfStmt)
		yes = yes || ok && slices.ContainsFunc(vars, func(e ast.Expr) bool {
			id, ok := e.(*ast.Ident)
			return ok && id.Name != "_" && names(fn, check.Cond, fn.pkg.Info.ObjectOf(id))
		})
	})
	return yes
}

// writtenAt reports whether a use is the left side of an assignment.
func writtenAt(u use) bool {
	path, _ := astutil.PathEnclosingInterval(u.fn.file, u.expr.Pos(), u.expr.End())
	for _, p := range path {
		switch p := p.(type) {
		case *ast.AssignStmt:
			return slices.ContainsFunc(p.Lhs, func(e ast.Expr) bool { return inNode(u.expr, e) })
		case *ast.IncDecStmt:
			return true
		case ast.Stmt:
			return false
		}
	}
	return false
}
