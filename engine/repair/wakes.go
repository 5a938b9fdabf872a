package repair

import (
	"go/ast"
	"go/types"
	"slices"
)

// wakeAfterChange is for functions that change what others wait for with a Cond, and wake
// nobody: a Broadcast comes after the change.
func (s *search) wakeAfterChange(fn function, wait *ast.ExprStmt, on ast.Expr) {
	cond, ok := fn.pkg.Info.ObjectOf(identOf(on)).(*types.Var)
	if !ok {
		return
	}
	var awaited []*types.Var // fields of the condition, which may change
	inspectOwn(fn.node, func(n ast.Node) {
		loop, ok := n.(*ast.ForStmt)
		if !ok || loop.Cond == nil || wait.Pos() < loop.Pos() || loop.End() < wait.End() {
			return
		}
		ast.Inspect(loop.Cond, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := fn.pkg.Info.Uses[id].(*types.Var); ok && v.IsField() {
					awaited = append(awaited, v.Origin())
				}
			}
			return true
		})
	})
	for _, st := range s.steps {
		if st == nil || st.Op != "write" && st.Op != "store" {
			continue
		}
		v, ok := st.Obj.(*types.Var)
		if ok && slices.Contains(awaited, v.Origin()) && st.Fn != fn.node {
			s.wake(st, cond.Origin())
		}
	}
}

// wake adds a Broadcast after a step's statement, unless its function wakes somebody.
func (s *search) wake(st *Step, cond *types.Var) {
	fn := function{st.Pkg, st.File, st.Fn}
	wakes := false
	inspectOwn(fn.node, func(n ast.Node) {
		if on, call := methodOn(fn.pkg.Info, n, "Cond", "Signal", "Broadcast"); call != nil && s.isOne(fn, on, []*types.Var{cond}) {
			wakes = true
		}
	})
	at := st.Stmt()
	if wakes || at == nil {
		return
	}
	text, ok := cond.Name(), !cond.IsField() && s.visible(fn, cond, at.Pos())
	if cond.IsField() {
		for _, base := range bases(st.Path[0]) {
			if text, ok = s.fieldText(fn, base, cond, at.Pos()); ok {
				break
			}
		}
	}
	if !ok {
		return
	}
	d := s.draft()
	d.After(at, text+".Broadcast()")
	s.add(Repair{Title: "Wake those who wait for " + text + ", with Broadcast, after line " + itoa(s.Code.line(at.End())), Kind: Other, Weight: 3}, d)
}
