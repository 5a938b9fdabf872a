package repair

import (
	"go/ast"
	"go/types"
)

// countEach is for goroutines that are added to a WaitGroup before it is sure that they are
// started: all at once before a loop that may leave or skip one, or in it, before that
// goes on with the next. Each is added where it is started.
func countEach(s *search) {
	for _, st := range s.blocked {
		if st == nil || st.Op != "wait" {
			continue
		}
		if group, ok := st.Obj.(*types.Var); ok && isSync(group.Type(), "WaitGroup") {
			for _, fn := range s.functions() {
				s.addWhereStarted(fn, group)
			}
		}
	}
}

// addWhereStarted moves the only Add of a group in a function, before a loop, to the only
// go statement in that.
func (s *search) addWhereStarted(fn function, group *types.Var) {
	var adds []*ast.ExprStmt
	var starts []*ast.GoStmt
	var on ast.Expr
	inspectOwn(fn.node, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.ExprStmt:
			if e, call := methodOn(fn.pkg.Info, n, "WaitGroup", "Add"); call != nil && s.isGroup(fn, e, group) {
				adds, on = append(adds, n), e
			}
		case *ast.GoStmt:
			if s.isCounted(fn, n, group) {
				starts = append(starts, n)
			}
		}
	})
	if len(adds) != 1 || len(starts) != 1 || !s.Code.alone(adds[0]) || s.countsMore(fn, group, adds[0], starts[0]) {
		return
	}
	where, ok := inList(fn, adds[0])
	if !ok {
		return
	}
	skips := false
	for _, st := range where.list[where.i+1:] {
		if st.Pos() <= starts[0].Pos() && starts[0].End() <= st.End() && (skips || maySkip(st, starts[0])) {
			d := s.draft()
			d.Remove(adds[0])
			d.Before(starts[0], s.Code.source(on)+".Add(1)")
			s.add(Repair{Title: "Add each goroutine to " + s.Code.source(on) + " where it is started, at line " + itoa(s.Code.line(starts[0].Pos())), Kind: Order, Weight: 3}, d)
		}
		skips = skips || leavesList(st)
	}
}

// countsMore reports whether a function uses a group before a goroutine of it is started,
// for more than to add that, or ends one of the group itself: who waits already must find
// all added, and what ends one that was not started must find it added.
func (s *search) countsMore(fn function, group *types.Var, add *ast.ExprStmt, start *ast.GoStmt) (yes bool) {
	ast.Inspect(body(fn.node), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			return n != start
		case *ast.ExprStmt:
			return n != add
		case *ast.CallExpr:
			on, _ := methodOn(fn.pkg.Info, n, "WaitGroup", "Done", "Add")
			yes = yes || on != nil && s.isGroup(fn, on, group)
		case *ast.Ident:
			v, ok := fn.pkg.Info.Uses[n].(*types.Var)
			yes = yes || ok && v.Origin() == group.Origin() && n.Pos() < start.Pos()
		}
		return !yes
	})
	return yes
}

func (s *search) isGroup(fn function, e ast.Expr, group *types.Var) bool {
	v, ok := fn.pkg.Info.ObjectOf(identOf(e)).(*types.Var)
	return ok && v.Origin() == group.Origin()
}

// maySkip reports whether a loop has a way out, or to its next round, before a statement in
// it.
func maySkip(loop ast.Stmt, st ast.Stmt) bool {
	var block *ast.BlockStmt
	switch n := loop.(type) {
	case *ast.ForStmt:
		block = n.Body
	case *ast.RangeStmt:
		block = n.Body
	default:
		return false
	}
	i := indexAt(block.List, st.Pos())
	if i < 0 {
		return false
	}
	_, direct := block.List[i].(*ast.GoStmt)
	for _, before := range block.List[:i] {
		if leavesList(before) {
			return true
		}
	}
	return !direct // a condition decides
}
