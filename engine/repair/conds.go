package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// conds is for goroutines that wait on a sync.Cond: a condition that is looked at once
// before Wait, a Signal that wakes the wrong one, a state that changes without the lock.
func conds(s *search) {
	conds := s.condsOf()
	if len(conds) == 0 {
		return
	}
	s.broadcastAll(conds)
	for _, fn := range s.functions() {
		inspectOwn(fn.node, func(n ast.Node) {
			if on, call := methodOn(fn.pkg.Info, n, "Cond", "Wait"); call != nil && s.isOne(fn, on, conds) {
				if es, ok := n.(*ast.ExprStmt); ok {
					s.waitInLoop(fn, es)
					s.wakeAfterChange(fn, es, on)
				}
			}
			if on, call := methodOn(fn.pkg.Info, n, "Cond", "Signal"); call != nil && s.isOne(fn, on, conds) {
				if es, ok := n.(*ast.ExprStmt); ok {
					s.broadcast(es, on, call)
					s.changeLocked(fn, es, conds)
				}
			}
			if on, call := methodOn(fn.pkg.Info, n, "Cond", "Broadcast"); call != nil && s.isOne(fn, on, conds) {
				if es, ok := n.(*ast.ExprStmt); ok {
					s.changeLocked(fn, es, conds)
				}
			}
		})
	}
}

// condsOf are the condition variables of the root cause and of those who wait.
func (s *search) condsOf() (list []*types.Var) {
	for _, st := range slices.Concat(s.steps, s.blocked) {
		if st == nil {
			continue
		}
		if v, ok := st.Obj.(*types.Var); ok && isSync(v.Type(), "Cond") && !slices.Contains(list, v.Origin()) {
			list = append(list, v.Origin())
		}
	}
	return list
}

func (s *search) isOne(fn function, e ast.Expr, list []*types.Var) bool {
	v, ok := fn.pkg.Info.ObjectOf(identOf(e)).(*types.Var)
	return ok && slices.Contains(list, v.Origin())
}

// waitInLoop makes `if cond { c.Wait() }` a loop.
func (s *search) waitInLoop(fn function, wait *ast.ExprStmt) {
	var holder *ast.IfStmt
	inspectOwn(fn.node, func(n ast.Node) {
		if st, ok := n.(*ast.IfStmt); ok && st.Body.Pos() <= wait.Pos() && wait.End() <= st.Body.End() && slices.Contains(st.Body.List, ast.Stmt(wait)) {
			holder = st
		}
	})
	if holder == nil || holder.Else != nil || s.inLoop(fn, holder) {
		return
	}
	d := s.draft()
	text := "for"
	if holder.Init != nil {
		return
	}
	d.replaceRange(holder.If, holder.If+token.Pos(len("if")), text)
	s.add(Repair{Title: "Look at " + s.Code.source(holder.Cond) + " again after each " + s.Code.source(wait.X), Kind: LoopCondition, Weight: 3}, d)
}

// inLoop reports whether a statement lies directly in a loop that looks at its condition
// again: one whose body it begins.
func (s *search) inLoop(fn function, st ast.Stmt) (yes bool) {
	inspectOwn(fn.node, func(n ast.Node) {
		if f, ok := n.(*ast.ForStmt); ok && len(f.Body.List) > 0 && f.Body.List[0] == st && f.Cond == nil {
			yes = true
		}
	})
	return yes
}

// broadcast wakes all who wait.
func (s *search) broadcast(st *ast.ExprStmt, on ast.Expr, call *ast.CallExpr) {
	d := s.draft()
	d.Replace(call.Fun.(*ast.SelectorExpr).Sel, "Broadcast")
	s.add(Repair{Title: "Wake all who wait for " + s.Code.source(on) + ", with Broadcast, at line " + itoa(s.Code.line(st.Pos())), Kind: Other, Weight: 4}, d)
}

// broadcastAll is for goroutines that wait on one Cond for different things: a Signal
// may wake one that has nothing to do, wherever it stands.
func (s *search) broadcastAll(conds []*types.Var) {
	for _, cond := range conds {
		var calls []*ast.CallExpr
		waits := 0
		for _, fn := range s.functions() {
			inspectOwn(fn.node, func(n ast.Node) {
				on, call := methodOn(fn.pkg.Info, n, "Cond", "Wait", "Signal")
				switch {
				case call == nil || n != ast.Node(call) || !s.isOne(fn, on, []*types.Var{cond}):
				case call.Fun.(*ast.SelectorExpr).Sel.Name == "Wait":
					waits++
				default:
					calls = append(calls, call)
				}
			})
		}
		if waits < 2 || len(calls) < 2 {
			continue
		}
		d := s.draft()
		var lines []string
		for _, call := range calls {
			d.Replace(call.Fun.(*ast.SelectorExpr).Sel, "Broadcast")
			lines = append(lines, itoa(s.Code.line(call.Pos())))
		}
		on := s.Code.source(calls[0].Fun.(*ast.SelectorExpr).X)
		s.add(Repair{Title: "Wake all who wait for " + on + ", with Broadcast, at lines " + strings.Join(lines, ", "), Kind: Other, Weight: 3}, d)
	}
}

// changeLocked takes the lock of the waiters around the statements before a wake-up that
// change what they wait for.
func (s *search) changeLocked(fn function, wake *ast.ExprStmt, conds []*types.Var) {
	lock, vars := s.waitersLock(conds)
	if lock == nil || s.held(fn, wake.Pos(), lock) {
		return
	}
	nodes := []ast.Node{wake}
	inspectOwn(fn.node, func(n ast.Node) {
		if e, ok := n.(ast.Expr); ok && n.Pos() < wake.Pos() {
			if v, ok := fn.pkg.Info.ObjectOf(identOf(e)).(*types.Var); ok && slices.Contains(vars, v.Origin()) && !s.held(fn, n.Pos(), lock) {
				nodes = append(nodes, n)
			}
		}
	})
	r := regionOf(fn, nodes...)
	if r == nil {
		return
	}
	s.proposeGuard([]place{{r, nodes, true}}, nil, choice{lock, 5})
}

// waitersLock is the lock that is held at the waits, and the variables that their
// conditions read.
func (s *search) waitersLock(conds []*types.Var) (lock *types.Var, vars []*types.Var) {
	for _, fn := range s.functions() {
		inspectOwn(fn.node, func(n ast.Node) {
			on, call := methodOn(fn.pkg.Info, n, "Cond", "Wait")
			if call == nil || !s.isOne(fn, on, conds) {
				return
			}
			if sec := s.sectionAt(fn, call.Pos()); sec != nil {
				lock = sec.obj
			}
			inspectOwn(fn.node, func(n ast.Node) {
				var cond ast.Expr
				switch st := n.(type) {
				case *ast.ForStmt:
					if st.Pos() <= call.Pos() && call.End() <= st.End() {
						cond = st.Cond
					}
				case *ast.IfStmt:
					if st.Pos() <= call.Pos() && call.End() <= st.End() {
						cond = st.Cond
					}
				}
				if cond == nil {
					return
				}
				ast.Inspect(cond, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						if v, ok := fn.pkg.Info.ObjectOf(id).(*types.Var); ok && v.IsField() {
							vars = append(vars, v.Origin())
						}
					}
					return true
				})
			})
		})
	}
	return lock, vars
}
