package repair

import (
	"go/ast"
	"go/token"
	"slices"
)

// startLast is for a goroutine, callback or value that is started, registered or published
// before what it needs is there: the statement moves below those that make it, or they
// move above it.
func startLast(s *search) {
	if s.Finding.Class == "deadlock" {
		return
	}
	for _, set := range s.steps { // what comes too late
		if set == nil || s.Finding.Class == "atomicity-violation" && !s.usedByStarted(set) || set.Op != "write" && set.Op != "store" && set.Op != "add" && set.Op != "send" && set.Op != "close" {
			continue
		}
		for _, v := range s.ways(set) {
			where, ok := inList(v.fn, v.node)
			if !ok {
				continue
			}
			s.afterSet(set, v.fn, where)
			if t, ok := top(v.fn, v.node); ok && !slices.Equal(t.list, where.list) {
				s.afterSet(set, v.fn, t)
			}
		}
	}
}

// usedByStarted reports whether what a step sets was used before by a goroutine that a
// function started in which the step is done: it is no part of a torn region, but too late.
func (s *search) usedByStarted(set *Step) bool {
	return slices.ContainsFunc(s.steps[:set.Index], func(o *Step) bool {
		if o == nil || o.Goroutine == set.Goroutine || o.Obj == nil || o.Obj != set.Obj || o.Op != "read" && o.Op != "load" {
			return false
		}
		g, in := s.startOf(o)
		return g != nil && slices.ContainsFunc(s.ways(set), func(v via) bool { return v.fn.node == in.node && g.Pos() < v.node.Pos() })
	})
}

// afterSet moves what makes something known to others below a statement that sets it up.
func (s *search) afterSet(set *Step, fn function, where at) {
	for i := where.i - 1; i >= 0; i-- {
		st := where.list[i]
		if !s.publishes(set, fn, st) || s.decides(st) {
			continue
		}
		if at, ok := s.pastSection(fn, where.list, i, where.i); ok && s.movable(fn, where.list, i, at) {
			d := s.draft()
			d.moveAfter(st, where.list[at])
			s.addSwap(set, fn, st, Repair{Title: "Do " + s.short(st) + " after line " + itoa(s.Code.line(where.stmt().Pos())), Kind: Order, Weight: 4 + (where.i-i)/2}, d)
		}
		if ret, ok := where.stmt().(*ast.ReturnStmt); ok {
			s.beforeReturn(set, fn, where.list, i, ret)
			continue
		}
		if sec := s.sectionAt(fn, where.stmt().Pos()); s.movable(fn, where.list, where.i, i) && (sec == nil || sec.holds(st.Pos())) {
			d := s.draft()
			d.moveBefore(where.stmt(), st)
			s.addSwap(set, fn, st, Repair{Title: "Do " + s.short(where.stmt()) + " before line " + itoa(s.Code.line(st.Pos())), Kind: Order, Weight: 5 + (where.i-i)/2}, d)
		}
	}
}

// publishes reports whether a statement starts a goroutine, or lets others know something:
// a go statement, a send, a close, a store to a field or an atomic that another goroutine
// reads in the root cause, a call that takes a function, or of one that does any of these.
func (s *search) publishes(set *Step, fn function, st ast.Stmt) (yes bool) {
	for _, other := range s.steps {
		if other != nil && other.Goroutine == set.Goroutine && other.Index < set.Index && lockOf(other) == nil {
			for _, v := range s.ways(other) {
				if v.fn.node == fn.node && st.Pos() <= v.node.Pos() && v.node.Pos() < st.End() {
					return true
				}
			}
		}
	}
	ast.Inspect(st, func(n ast.Node) bool {
		if _, later := n.(*ast.DeferStmt); later {
			return false
		}
		yes = yes || tellsOthers(fn, n)
		call, ok := n.(*ast.CallExpr)
		if yes || !ok {
			return !yes
		}
		for _, a := range call.Args {
			if _, lit := a.(*ast.FuncLit); lit {
				yes = true
			}
		}
		if f, ok := s.bodyOfCall(fn, call); ok {
			later := laterCalls(f.node)
			inspectOwn(f.node, func(n ast.Node) {
				c, isCall := n.(*ast.CallExpr)
				yes = yes || tellsOthers(f, n) && !(isCall && later[c])
			})
		}
		return !yes
	})
	return yes
}

// tellsOthers reports whether a node by itself starts a goroutine, or wakes one that waits.
func tellsOthers(fn function, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt, *ast.SendStmt:
		return true
	case *ast.CallExpr:
		_, group := methodOn(fn.pkg.Info, n, "WaitGroup", "Go", "Done")
		return group != nil || isBuiltin(fn, n, "close")
	}
	return false
}

// decides reports whether a statement is a loop or condition that does more than start
// something: what it decides would change.
func (s *search) decides(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.IfStmt, *ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
		return true
	case *ast.ForStmt:
		return !startsOnly(st.Body)
	case *ast.RangeStmt:
		return !startsOnly(st.Body)
	}
	return false
}

// startsOnly reports whether a loop only starts goroutines.
func startsOnly(b *ast.BlockStmt) bool {
	return !slices.ContainsFunc(b.List, func(st ast.Stmt) bool {
		switch st := st.(type) {
		case *ast.GoStmt, *ast.DeclStmt:
			return false
		case *ast.AssignStmt:
			return st.Tok != token.DEFINE
		case *ast.ExprStmt:
			c, ok := st.X.(*ast.CallExpr)
			return !ok || !isMethod(c, "Add") && !isMethod(c, "Go")
		}
		return true
	})
}
