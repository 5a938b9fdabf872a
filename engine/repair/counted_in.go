package repair

import (
	"go/ast"
	"go/types"
	"slices"
)

// countedIn is for a WaitGroup that who works is counted in after it looked, with a lock
// held, whether all is about to end: in between, who ends it may have set that and waited.
// It is counted before the lock is released.
func countedIn(s *search) {
	for _, in := range s.functions() {
		if s.isTest(in) || !s.concerns(in) {
			continue
		}
		lists(in.node, func(list []ast.Stmt) {
			for i, st := range list {
				on, add := methodOn(in.pkg.Info, st, "WaitGroup", "Add")
				if _, now := st.(*ast.ExprStmt); !now || add == nil || identOf(on) == nil {
					continue
				}
				group, ok := in.pkg.Info.ObjectOf(identOf(on)).(*types.Var)
				if !ok || !group.IsField() {
					continue
				}
				for _, e := range s.endings(group.Origin()) {
					s.countUnder(in, at{list, i}, e)
				}
			}
		})
	}
}

// ending is a variable that somebody sets with a lock held before it waits for a group.
type ending struct{ flag, lock *types.Var }

// endings are those of a group, of functions that the root cause concerns.
func (s *search) endings(group *types.Var) (list []ending) {
	for _, fn := range s.functions() {
		if !s.concerns(fn) {
			continue
		}
		inspectOwn(fn.node, func(n ast.Node) {
			if _, ok := n.(*ast.CallExpr); !ok || !s.waitsFor(fn, n, group) {
				return
			}
			for _, sec := range s.locksOf(fn) {
				if sec.read || sec.take.Pos() > n.Pos() || sec.holds(n.Pos()) {
					continue
				}
				for _, st := range sec.list[sec.at+1:] {
					if as, ok := st.(*ast.AssignStmt); ok && sec.holds(st.Pos()) && setsConstant(fn, st) && len(as.Lhs) == 1 {
						if v, ok := fn.pkg.Info.ObjectOf(identOf(as.Lhs[0])).(*types.Var); ok {
							list = append(list, ending{v.Origin(), sec.obj})
						}
					}
				}
			}
		})
	}
	return list
}

// countUnder makes one section of the last look at an ending before a statement that
// counts, and of the statement.
func (s *search) countUnder(in function, add at, e ending) {
	for i := add.i - 1; i >= 0; i-- {
		look := s.looksIn(in, add.list[i], e.flag)
		if look == nil {
			continue
		}
		r := &region{fn: in, list: add.list, from: i, to: add.i}
		text, ok := s.lockText(place{r, []ast.Node{look, add.stmt()}, true}, e.lock)
		if !ok || s.held(in, add.stmt().Pos(), e.lock) {
			return
		}
		_, call := look.(*ast.CallExpr)
		d := s.draft()
		lines, err := s.enclose(d, r, lockAt{e.lock, text, isRW(e.lock) && !call})
		title := "Do " + s.short(add.stmt()) + " before " + text + " is released"
		if err != nil {
			s.refuse(title, err.Error())
			return
		}
		s.add(Repair{Title: title, Kind: ExtendLock, Weight: 2, Regions: []Region{lines}}, d)
		return
	}
}

// looksIn is where a statement reads a variable, itself or in a function that it calls.
func (s *search) looksIn(fn function, st ast.Stmt, v *types.Var) (at ast.Node) {
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.SelectorExpr:
			if o, ok := fn.pkg.Info.Uses[n.Sel].(*types.Var); ok && o.Origin() == v {
				at = n
			}
		case *ast.CallExpr:
			if f, ok := s.bodyOfCall(fn, n); ok && slices.ContainsFunc(s.uses(v), func(u use) bool { return u.fn.node == f.node }) {
				at = n
			}
		}
		return at == nil
	})
	return at
}
