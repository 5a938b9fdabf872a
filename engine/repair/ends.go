package repair

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// endings is for what a goroutine does when it is through with something, and others wait
// for: close of a channel, Done of a WaitGroup, the receive that gives a place of a
// channel back. Where a path leaves the function, or the round of a loop, without,
// it is done by defer, or before each such exit.
func endings(s *search) {
	done := map[ast.Node]bool{}
	for _, st := range s.blocked {
		if st == nil {
			continue
		}
		ch, _ := st.Obj.(*types.Var)
		for _, fn := range s.functions() {
			var all []ast.Stmt
			lists(fn.node, func(list []ast.Stmt) {
				for i, e := range list {
					if on := s.ending(fn, e, ch); on != nil && !done[e] {
						done[e] = true
						all = append(all, e)
						s.endOnAll(fn, at{list, i}, on)
					}
				}
			})
			s.endOnceByDefer(fn, all)
			if st.Op == "send" && ch != nil {
				s.giveBack(fn, ch)
			}
		}
	}
}

// ending is what a statement ends, if it is what somebody waits for: the channel that is
// closed, the group that is done. The group is compared as far as its field or variable.
func (s *search) ending(fn function, st ast.Stmt, waited *types.Var) ast.Expr {
	es, ok := st.(*ast.ExprStmt)
	if !ok || waited == nil {
		return nil
	}
	var on ast.Expr
	switch x := es.X.(type) {
	case *ast.CallExpr:
		on, _ = methodOn(fn.pkg.Info, x, "WaitGroup", "Done")
		if on == nil && isBuiltin(fn, x, "close") && len(x.Args) == 1 {
			on = x.Args[0]
		}
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			on = x.X
		}
	}
	if on == nil || !plainPath(ast.Unparen(on)) {
		return nil
	}
	o, ok := fn.pkg.Info.ObjectOf(identOf(on)).(*types.Var)
	if !ok || o.Origin() != waited.Origin() {
		return nil
	}
	return on
}

// endOnAll proposes to do a statement on every way out that begins after what it ends is
// known. It stands in the function's own list, or in the one that sets what it ends.
func (s *search) endOnAll(fn function, end at, on ast.Expr) {
	list := end.list
	if !s.Code.alone(end.stmt()) {
		return
	}
	round := isRound(fn, list)
	start := s.endsFrom(fn, end, on, round)
	if start < 0 || start >= end.i {
		return
	}
	text := s.Code.source(end.stmt())
	missing := s.notEnded(&region{fn: fn, list: list, from: start, to: end.i - 1}, onceOf(fn, end.stmt().(*ast.ExprStmt).X, on))
	if !round { // a break stays in the function
		missing = slices.DeleteFunc(missing, func(e exit) bool { _, ok := e.stmt.(*ast.BranchStmt); return ok })
	}
	missing = slices.DeleteFunc(missing, func(e exit) bool { b, ok := e.stmt.(*ast.BranchStmt); return ok && b.Tok == token.GOTO })
	if len(missing) == 0 {
		return
	}
	d := s.draft()
	for _, e := range missing {
		s.doBefore(d, fn, e, text)
	}
	s.add(Repair{Title: "Do " + text + " before line " + itoa(s.Code.line(missing[0].stmt.Pos())) + " leaves", Kind: Other, Weight: 3}, d)
	if round {
		return // defer would wait for the end of all rounds
	}
	d = s.draft()
	d.Remove(end.stmt())
	if _, gives := end.stmt().(*ast.ExprStmt).X.(*ast.UnaryExpr); gives {
		d.Before(list[start], "defer func() { "+text+" }()")
	} else {
		d.Before(list[start], "defer "+text)
	}
	s.add(Repair{Title: "Do " + text + " by defer", Kind: Other, Weight: 4}, d)
}

// endsFrom is where in its list what a statement ends is known and begun; -1 if it is not.
func (s *search) endsFrom(fn function, end at, on ast.Expr, round bool) int {
	list := end.list
	own := slices.Equal(list, body(fn.node).List)
	start := -1
	if _, gives := end.stmt().(*ast.ExprStmt).X.(*ast.UnaryExpr); gives { // back what was taken by a send
		for i, st := range list[:end.i] {
			if s.sendsOn(st, on) {
				start = i + 1
			}
		}
		if start < 0 && own && s.takenBefore(fn, on) {
			start = 0
		}
		return start
	}
	if own || round && isDone(fn, end.stmt()) {
		start = 0
	}
	o := onceOf(fn, end.stmt().(*ast.ExprStmt).X, on)
	root := fn.pkg.Info.ObjectOf(rootIdent(on))
	leaving := leavingLists(exitsOf(&region{fn: fn, list: list, to: end.i - 1}))
	for i, st := range list[:end.i] {
		if root != nil && (st.Pos() <= root.Pos() && root.Pos() < st.End() || sets(fn, st, root)) ||
			start >= 0 && o.begins != nil && s.mayDo(fn, st, o.begins, o, leaving) &&
				!slices.ContainsFunc(list[i:end.i], func(st ast.Stmt) bool { return s.mayDo(fn, st, o.ends, o, leaving) }) {
			start = i + 1
		}
	}
	return start
}

// notEnded are the exits of a region before which an ending is not done, nor handed on to
// a function that may do it.
func (s *search) notEnded(r *region, o once) (missing []exit) {
	exits := exitsOf(r)
	leaving := leavingLists(exits)
	ended := func(st ast.Stmt) bool { return s.mayEnd(r.fn, st, o, leaving) }
	for _, e := range exits {
		if e.list == nil {
			return nil
		}
		if !ended(e.stmt) && !slices.ContainsFunc(e.before, ended) {
			missing = append(missing, e)
		}
	}
	return missing
}

// isRound reports whether a list is what a loop of a function does in each round.
func isRound(fn function, list []ast.Stmt) (yes bool) {
	inspectOwn(fn.node, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.ForStmt:
			yes = yes || slices.Equal(n.Body.List, list)
		case *ast.RangeStmt:
			yes = yes || slices.Equal(n.Body.List, list)
		}
	})
	return yes
}

func isDone(fn function, st ast.Stmt) bool {
	on, _ := methodOn(fn.pkg.Info, st, "WaitGroup", "Done")
	return on != nil
}

// endOnceByDefer is for a goroutine's function that ends something on several paths, each
// time as the last thing it does, and forgets it on another: it is done by defer, once.
func (s *search) endOnceByDefer(fn function, ends []ast.Stmt) {
	if len(ends) == 0 || !s.started(fn) {
		return
	}
	list := body(fn.node).List
	exits := exitsOf(&region{fn: fn, list: list, to: len(list) - 1})
	text := s.Code.source(ends[0])
	call, ok := ends[0].(*ast.ExprStmt).X.(*ast.CallExpr)
	if !ok || !s.knownAt(fn, endedBy(call), list[0].Pos()) {
		return
	}
	isEnd := func(n ast.Node) bool { st, ok := n.(ast.Stmt); return ok && slices.Contains(ends, st) }
	if o := onceOf(fn, call, endedBy(call)); s.mayDo(fn, body(fn.node), o.ends, o, isEnd) {
		return // another path has it done elsewhere
	}
	last := map[ast.Stmt]bool{list[len(list)-1]: true} // what nothing comes after
	for _, e := range exits {
		if _, ok := e.stmt.(*ast.ReturnStmt); !ok {
			return // a goto stays in the function
		}
		if e.at > 0 {
			last[e.list[e.at-1]] = true
		}
	}
	if slices.ContainsFunc(ends, func(e ast.Stmt) bool { return s.Code.source(e) != text || !last[e] || !s.Code.alone(e) }) ||
		!slices.ContainsFunc(exits, func(e exit) bool { return e.at <= 0 || !slices.Contains(ends, e.list[e.at-1]) }) {
		return
	}
	if len(ends) == 1 && slices.Contains(list, ends[0]) {
		return // endOnAll is for that
	}
	d := s.draft()
	for _, e := range ends {
		d.Remove(e)
	}
	d.Before(list[0], "defer "+text)
	s.add(Repair{Title: "Do " + text + " by defer, on every path", Kind: Other, Weight: 3}, d)
}

// endedBy is what a call ends: the channel of close, the group of Done.
func endedBy(call *ast.CallExpr) ast.Expr {
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
		return sel.X
	}
	return call.Args[0]
}

// started reports whether a function is what a goroutine does.
func (s *search) started(fn function) (yes bool) {
	for _, f := range s.functions() {
		inspectOwn(f.node, func(n ast.Node) {
			if g, ok := n.(*ast.GoStmt); ok {
				yes = yes || g.Call.Fun == fn.node || declared(fn) != nil && s.callee(f.pkg.Info, g.Call) == declared(fn)
			}
		})
	}
	return yes
}

// giveBack is for a place of a channel that is taken by a send, to be given back by a
// goroutine that is started later in the list: where the list is left before, it is given
// back there.
func (s *search) giveBack(fn function, ch *types.Var) {
	lists(fn.node, func(list []ast.Stmt) {
		for i, st := range list {
			send, ok := st.(*ast.SendStmt)
			if !ok {
				continue
			}
			if v, ok := fn.pkg.Info.ObjectOf(identOf(send.Chan)).(*types.Var); !ok || v.Origin() != ch.Origin() || !plainPath(send.Chan) {
				continue
			}
			text := "<-" + s.Code.source(send.Chan)
			j := slices.IndexFunc(list[i+1:], func(later ast.Stmt) bool {
				lit := starts(fn, later)
				return lit != nil && strings.Contains(s.Code.source(lit), text)
			})
			if j < 1 {
				continue
			}
			d := s.draft()
			line := 0
			o := once{receivesFrom, sendsTo, send.Chan}
			for _, e := range s.notEnded(&region{fn: fn, list: list, from: i + 1, to: i + j}, o) {
				s.doBefore(d, fn, e, text)
				line = cmp.Or(line, s.Code.line(e.stmt.Pos()))
			}
			s.add(Repair{Title: "Do " + text + " before line " + itoa(line) + " leaves", Kind: Other, Weight: 3}, d)
		}
	})
}

// takenBefore reports whether a function literal is what a goroutine does for which a place
// of a channel was taken right before, by a send in the list that starts it.
func (s *search) takenBefore(fn function, ch ast.Expr) (yes bool) {
	for _, f := range s.functions() {
		lists(f.node, func(list []ast.Stmt) {
			for i, st := range list {
				if starts(f, st) == fn.node {
					yes = yes || slices.ContainsFunc(list[:i], func(b ast.Stmt) bool { return s.sendsOn(b, ch) })
				}
			}
		})
	}
	return yes
}

// starts is the function literal that a statement runs in a goroutine, nil if none.
func starts(fn function, st ast.Stmt) ast.Node {
	var f ast.Expr
	switch st := st.(type) {
	case *ast.GoStmt:
		f = st.Call.Fun
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || !isMethod(call, "Go") {
			return nil
		}
		f = call.Args[0]
	}
	if lit, ok := ast.Unparen(f).(*ast.FuncLit); ok {
		return lit
	}
	return nil
}

// sets reports whether a statement gives a variable another value.
func sets(fn function, st ast.Stmt, o types.Object) bool {
	as, ok := st.(*ast.AssignStmt)
	return ok && slices.ContainsFunc(as.Lhs, func(l ast.Expr) bool {
		id, ok := ast.Unparen(l).(*ast.Ident)
		return ok && fn.pkg.Info.ObjectOf(id) == o
	})
}

// sendsOn reports whether a statement sends on a channel, also as a case of a select.
func (s *search) sendsOn(st ast.Stmt, ch ast.Expr) (yes bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.SendStmt:
			yes = yes || s.Code.source(n.Chan) == s.Code.source(ch)
		}
		return !yes
	})
	return yes
}

// doBefore does something before an exit, after what a return computes.
func (s *search) doBefore(d *Draft, fn function, e exit, text string) {
	ret, ok := e.stmt.(*ast.ReturnStmt)
	if !ok {
		d.Before(e.stmt, text)
		return
	}
	if !slices.ContainsFunc(ret.Results, func(x ast.Expr) bool { return hasCall(fn, x) || hasReceive(x) }) {
		d.Before(ret, text)
		return
	}
	if strings.HasPrefix(text, "<-") {
		text = "func() { " + text + " }()"
	}
	d.Before(ret, "defer "+text)
}

func hasReceive(e ast.Expr) (yes bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
			yes = true
		}
		return !yes
	})
	return yes
}
