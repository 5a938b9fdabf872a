package paths

import (
	"go/ast"
	"go/token"
	"go/types"
)

// block writes a list of statements, which are reached with some room, and returns
// what room is left after it.
func (w *writer) block(list []ast.Stmt, r room) room {
	for _, s := range list {
		r = w.stmt(s, s.Pos(), r)
	}
	return r
}

// need makes sure that there is room for n records before a statement at `at`. If
// that can't be, or something before them may record, they are to ask themselves.
func (w *writer) need(at token.Pos, n int, callsBefore bool, r room) (checked bool, left room) {
	switch {
	case n == 0 && !callsBefore:
		return false, r
	case callsBefore || n > allRoom || w.jumps:
		return true, 0
	case n > r:
		w.check(at)
		r = allRoom
	}
	return false, r - n
}

// stmt writes a statement; calls can be put in front of it at `at`.
func (w *writer) stmt(s ast.Stmt, at token.Pos, r room) room {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		w.label = s
		return w.stmt(s.Stmt, at, r)
	case *ast.BlockStmt:
		return w.block(s.List, r)
	case *ast.IfStmt:
		return w.ifStmt(s, at, r)
	case *ast.ForStmt:
		return w.loopStmt(s, at, func() { w.forStmt(s, at, r) })
	case *ast.RangeStmt:
		return w.loopStmt(s, at, func() { w.rangeStmt(s) })
	case *ast.SwitchStmt:
		return w.switchStmt(s, at, r)
	case *ast.TypeSwitchStmt:
		w.shorts(s.Init, true)
		w.shorts(s.Assign, true)
		return w.clauses(s.Body, w.openSubject(s.Assign), true, 0)
	case *ast.SelectStmt:
		return w.selectStmt(s)
	case *ast.BranchStmt:
		if w.least != nil {
			*w.least = min(*w.least, r)
		}
		return r
	}
	// Expressions: nothing is recorded in most.
	n := countShorts(s)
	if n == 0 {
		w.shorts(s, true)
	} else {
		checked, left := w.need(at, n, w.callsIn(s), r)
		w.shorts(s, checked)
		r = left
	}
	if w.callsIn(s) {
		return 0
	}
	return r
}

// countShorts is how many records the short circuits of a node can make.
func countShorts(n ast.Node) (count int) {
	if isNil(n) {
		return 0
	}
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				count++
			}
		}
		return true
	})
	return count
}

func (w *writer) ifStmt(s *ast.IfStmt, at token.Pos, r room) room {
	ls := w.leaves(s.Cond)
	calls := w.callsIn(s.Init, s.Cond) || countShorts(s.Init) > 0 || w.insideShorts(ls)
	// The conditions of a chain of else if come without a statement between.
	n := recorded(ls) + w.chain(s.Else)
	checked, left := w.need(at, n, calls && n > 0, r)
	switch {
	case checked:
		r = 0
	case calls:
		r = 0
	default:
		r = left
	}
	w.shorts(s.Init, true)
	w.wrap(ls, checked)
	w.insides(s.Cond, true)
	then := w.block(s.Body.List, r)
	switch e := s.Else.(type) {
	case nil:
		return min(then, r)
	case *ast.IfStmt:
		// Its conditions have room already, or ask.
		return min(then, w.elseIf(e, checked, r))
	default:
		return min(then, w.stmt(e, e.Pos(), r))
	}
}

// elseIf is ifStmt where no call can be put in front.
func (w *writer) elseIf(s *ast.IfStmt, checked bool, r room) room {
	ls := w.leaves(s.Cond)
	calls := w.callsIn(s.Init, s.Cond) || countShorts(s.Init) > 0 || w.insideShorts(ls)
	if calls {
		checked, r = true, 0
	}
	w.shorts(s.Init, true)
	w.wrap(ls, checked)
	w.insides(s.Cond, true)
	then := w.block(s.Body.List, r)
	switch e := s.Else.(type) {
	case nil:
		return min(then, r)
	case *ast.IfStmt:
		return min(then, w.elseIf(e, checked, r))
	default:
		return min(then, w.stmt(e, e.Pos(), r))
	}
}

func (w *writer) insideShorts(ls []leaf) bool {
	for _, l := range ls {
		if countShorts(l.e) > 0 {
			return true
		}
	}
	return false
}

// chain is how many records the conditions of an else if, and those after it, make.
func (w *writer) chain(e ast.Stmt) int {
	s, ok := e.(*ast.IfStmt)
	if !ok {
		return 0
	}
	return recorded(w.leaves(s.Cond)) + w.chain(s.Else)
}

// loop writes the body of a loop, of which each turn begins with a check if anything
// of it is recorded, and returns the least room at the end of a turn.
func (w *writer) loop(body *ast.BlockStmt, begin func(), checks bool) room {
	outer := w.least
	least := allRoom
	w.least = &least
	r := 0
	if checks {
		w.insert(body.Lbrace+1, " if "+alias+"."+calls.Full+"() { "+alias+"."+calls.More+"() };")
		r = allRoom
	}
	if begin != nil {
		begin()
		r--
	}
	r = w.block(body.List, max(r, 0))
	w.least = outer
	return min(r, least)
}

func (w *writer) forStmt(s *ast.ForStmt, at token.Pos, r room) {
	ls := []leaf(nil)
	if s.Cond != nil {
		ls = w.leaves(s.Cond)
	}
	n := recorded(ls)
	calls := w.callsIn(s.Init, s.Cond, s.Post, s.Body) || countShorts(s.Body) > 0 || w.insideShorts(ls) || countShorts(s.Init)+countShorts(s.Post) > 0
	w.shorts(s.Init, true)
	if n == 0 {
		w.wrap(ls, true)
		if s.Cond != nil {
			w.insides(s.Cond, true)
		}
		w.shorts(s.Post, true)
		w.loop(s.Body, nil, false)
		return
	}
	// One check a turn is enough if a turn and the condition after it fit.
	fits := !calls && !w.jumps && n+w.most(s.Body) <= allRoom
	if fits && r < n {
		w.check(at)
	}
	w.wrap(ls, !fits)
	w.insides(s.Cond, true)
	w.shorts(s.Post, true)
	w.loop(s.Body, nil, fits)
}

// most is how many records one turn of a body without calls can make; more than
// there is room for, if it has a loop.
func (w *writer) most(body *ast.BlockStmt) int {
	n := 0
	ast.Inspect(body, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SelectStmt:
			n += allRoom
		case *ast.IfStmt:
			n += recorded(w.leaves(x.Cond))
		case *ast.CaseClause:
			n += 1 + len(x.List)
		}
		return true
	})
	return n
}

// rangeStmt marks each turn, unless how often it turns is the goroutine's own.
func (w *writer) rangeStmt(s *ast.RangeStmt) {
	w.shorts(s.X, true)
	open := w.turnsOpen(s.X)
	w.loop(s.Body, func() { w.mark(s.Body.Lbrace+1, open, false) }, open)
}

// turnsOpen reports whether others decide how often a range loop turns.
func (w *writer) turnsOpen(x ast.Expr) bool {
	tv, ok := w.info.Types[x]
	if !ok {
		return true
	}
	switch t := tv.Type.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return true
	case *types.Map:
		return w.open(w.fn, x, true)
	case *types.Array:
		return false
	case *types.Pointer:
		_, array := t.Elem().Underlying().(*types.Array)
		return !array
	}
	if tv.Value != nil {
		return false
	}
	return w.open(w.fn, x, false)
}

func (w *writer) switchStmt(s *ast.SwitchStmt, at token.Pos, r room) room {
	if s.Tag != nil {
		w.shorts(s.Init, true)
		w.shorts(s.Tag, true)
		open := w.open(w.fn, s.Tag, false) && !w.constant(s.Tag)
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				open = open || !w.constant(e) && w.open(w.fn, e, false)
			}
		}
		return w.clauses(s.Body, open, true, 0)
	}
	n, calls := 0, w.callsIn(s.Init) || countShorts(s.Init) > 0
	var all [][]leaf
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			ls := w.leaves(e)
			n += recorded(ls)
			calls = calls || w.callsIn(e) || w.insideShorts(ls)
			all = append(all, ls)
		}
	}
	checked, left := w.need(at, n, calls && n > 0, r)
	if checked || calls {
		left = 0
	}
	w.shorts(s.Init, true)
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			w.wrap(all[0], checked)
			all = all[1:]
			w.insides(e, true)
		}
	}
	return w.clauses(s.Body, false, true, left)
}

func (w *writer) constant(e ast.Expr) bool {
	tv, ok := w.info.Types[e]
	return ok && (tv.Value != nil || tv.IsNil())
}

// openSubject reports whether others decide the type of what a type switch is about.
func (w *writer) openSubject(assign ast.Stmt) bool {
	var x ast.Expr
	switch s := assign.(type) {
	case *ast.ExprStmt:
		x = s.X
	case *ast.AssignStmt:
		x = s.Rhs[0]
	}
	if ta, ok := ast.Unparen(x).(*ast.TypeAssertExpr); ok {
		return w.open(w.fn, ta.X, false)
	}
	return true
}

// clauses writes the bodies of a switch, and marks them if which one is taken is not
// told otherwise.
func (w *writer) clauses(body *ast.BlockStmt, marked, checked bool, r room) room {
	outer := w.least
	least := r
	w.least = &least
	for _, c := range body.List {
		c := c.(*ast.CaseClause)
		if marked {
			w.mark(c.Colon+1, true, checked)
		} else {
			w.number(c.Colon+1, false)
		}
		least = min(least, w.block(c.Body, r))
	}
	w.least = outer
	return min(r, least)
}

// selectStmt marks the case that was taken; with one case only there is nothing to
// tell.
func (w *writer) selectStmt(s *ast.SelectStmt) room {
	outer := w.least
	least := 0
	w.least = &least
	for _, c := range s.Body.List {
		c := c.(*ast.CommClause)
		w.shorts(c.Comm, true)
		w.mark(c.Colon+1, len(s.Body.List) > 1, true)
		w.block(c.Body, 0)
	}
	w.least = outer
	return 0
}
