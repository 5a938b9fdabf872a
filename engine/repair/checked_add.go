package repair

import (
	"go/ast"
	"go/token"
	"slices"
)

// checkedAdd is for an atomic counter that is looked at, and then added to if a condition
// let the goroutine go on: `if x.Load() == 0 { return false }; x.Add(1)`, or
// `if x.Load() > 0 { x.Add(-1); return true }`. Both become a loop of CompareAndSwap, so
// that the condition holds when it is counted.
func (s *search) checkedAdd() {
	for _, t := range s.tears(true) {
		for i, a := range t.steps {
			for _, b := range t.steps[i+1:] {
				load, ok := a.Path[0].(*ast.CallExpr)
				add, ok2 := b.Path[0].(*ast.CallExpr)
				if !ok || !ok2 || a.Op != "load" || b.Op != "add" || a.Obj == nil || a.Obj != b.Obj || a.Fn != b.Fn || a.Root == nil ||
					!isMethod(load, "Load") || !isMethod(add, "Add") || len(add.Args) != 1 || callsAny(add.Args[0]) || s.Code.source(a.Root) != s.Code.source(b.Root) {
					continue
				}
				fn := function{a.Pkg, a.File, a.Fn}
				s.countChecked(fn, load, add, s.Code.source(a.Root))
				s.repeatInBody(fn, load, add, s.Code.source(a.Root), func(n string) string { return s.sumOf(n, add.Args[0]) })
			}
		}
	}
}

func (s *search) countChecked(fn function, load, add *ast.CallExpr, counter string) {
	at := statementOf(fn, add)
	if at == nil || !plainPath(ast.Unparen(load.Fun.(*ast.SelectorExpr).X)) {
		return
	}
	r := regionOf(fn, load, at)
	if r == nil || r.list[r.to] != ast.Stmt(at) {
		return
	}
	check, ok := r.first().(*ast.IfStmt)
	if !ok || check.Init != nil || check.Else != nil || load.Pos() < check.Cond.Pos() || check.Cond.End() < load.End() || !s.repeatable(fn, check.Cond, load) ||
		len(check.Body.List) == 0 || !ends(check.Body.List[len(check.Body.List)-1]) {
		return
	}
	between := &region{fn: fn, list: r.list, from: r.from + 1, to: r.to}
	if s.effects(fn, between) || slices.ContainsFunc(exitsOf(&region{fn: fn, list: r.list, from: r.from, to: r.from}), func(e exit) bool {
		b, ok := e.stmt.(*ast.BranchStmt)
		return ok && b.Label == nil && b.Tok != token.GOTO // it would mean the new loop
	}) {
		return
	}
	d := s.draft()
	n := freshName(fn, check, "n")
	pad := s.Code.indent(check.Pos())
	d.Before(check, "for {", "\t"+n+" := "+s.Code.source(load))
	d.Replace(load, n)
	for _, st := range r.list[r.from:r.to] {
		d.indentMore(st)
	}
	sum := s.sumOf(n, add.Args[0])
	d.Replace(at, "\tif "+counter+".CompareAndSwap("+n+", "+sum+") {\n"+pad+"\t\tbreak\n"+pad+"\t}")
	d.After(at, "}")
	s.add(Repair{Title: "Count in " + counter + " by CompareAndSwap, as long as line " + itoa(s.Code.line(check.Pos())) + " lets it", Kind: LoopCondition, Weight: 7}, d)
}

// sumOf is what a counter becomes that was n and is added to.
func (s *search) sumOf(n string, delta ast.Expr) string {
	switch x := ast.Unparen(delta).(type) {
	case *ast.UnaryExpr:
		if x.Op == token.SUB {
			return n + "-" + s.Code.source(x.X)
		}
	case *ast.BinaryExpr: // which may bind as weakly as the sum
		return n + "+(" + s.Code.source(x) + ")"
	}
	return n + "+" + s.Code.source(delta)
}

// repeatInBody is for an if statement that a load decides, and that changes the variable
// first of all in its body: it becomes a loop that looks again until nobody came in
// between. next is what a value becomes.
func (s *search) repeatInBody(fn function, load, change *ast.CallExpr, counter string, next func(n string) string) {
	at := statementOf(fn, change)
	if at == nil || !plainPath(ast.Unparen(load.Fun.(*ast.SelectorExpr).X)) {
		return
	}
	var check *ast.IfStmt
	inspectOwn(fn.node, func(n ast.Node) {
		if st, ok := n.(*ast.IfStmt); ok && len(st.Body.List) > 0 && st.Body.List[0] == ast.Stmt(at) {
			check = st
		}
	})
	if check == nil || check.Else != nil || len(s.breaks(check.Body)) > 0 || !s.repeatable(fn, check.Cond, load) {
		return
	}
	n := ""
	switch init := check.Init.(type) {
	case nil:
		if load.Pos() < check.Cond.Pos() || check.Cond.End() < load.End() || s.counts(fn, check.Cond, counter) != 1 {
			return
		}
		n = freshName(fn, check, "old")
	case *ast.AssignStmt:
		id, ok := init.Lhs[0].(*ast.Ident)
		if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || ast.Unparen(init.Rhs[0]) != load || s.counts(fn, check.Cond, counter) != 0 {
			return
		}
		n = id.Name
	default:
		return
	}
	d := s.draft()
	if check.Init == nil {
		d.Replace(load, n)
	}
	header := "for " + n + " := " + s.Code.source(load) + "; " + d.take(check.Cond) + "; " + n + " = " + s.Code.source(load) + " "
	d.replaceRange(check.Pos(), check.Body.Lbrace, header)
	d.Replace(at, "if "+counter+".CompareAndSwap("+n+", "+next(n)+") {")
	for _, st := range check.Body.List[1:] {
		d.indentMore(st)
	}
	last := check.Body.List[len(check.Body.List)-1]
	closing := []string{"}"}
	if !ends(last) {
		closing = []string{"\tbreak", "}"}
	}
	d.After(last, closing...)
	s.add(Repair{Title: "Change " + counter + " by CompareAndSwap, as long as line " + itoa(s.Code.line(check.Pos())) + " lets it", Kind: LoopCondition, Weight: 7}, d)
}

// repeatable reports whether a condition can be asked again and again, with the load done
// before it: it calls nothing else, and begins with the load if that is part of it.
func (s *search) repeatable(fn function, cond ast.Expr, load *ast.CallExpr) bool {
	ok := !hasReceive(cond)
	ast.Inspect(cond, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is && call != load && !fn.pkg.Info.Types[call.Fun].IsType() {
			ok = false
		}
		return ok
	})
	return ok && (load.Pos() < cond.Pos() || first(fn, cond) == load)
}

// first is the operand of an expression that is evaluated first, of those that are more
// than names and constants.
func first(fn function, e ast.Expr) ast.Expr {
	switch x := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if (x.Op != token.LAND && x.Op != token.LOR) && plain(x.X) {
			return first(fn, x.Y)
		}
		return first(fn, x.X)
	case *ast.UnaryExpr:
		return first(fn, x.X)
	case *ast.CallExpr:
		if fn.pkg.Info.Types[x.Fun].IsType() && len(x.Args) == 1 {
			return first(fn, x.Args[0])
		}
		return x
	default:
		return x
	}
}

// counts is how often a counter is mentioned in an expression.
func (s *search) counts(fn function, e ast.Expr, counter string) (n int) {
	ast.Inspect(e, func(x ast.Node) bool {
		if sel, ok := x.(*ast.SelectorExpr); ok && s.Code.source(sel) == counter {
			n++
		}
		if id, ok := x.(*ast.Ident); ok && id.Name == counter {
			n++
		}
		return true
	})
	return n
}

// breaks are the statements of a block that a loop around it would catch.
func (s *search) breaks(b *ast.BlockStmt) (list []exit) {
	for _, st := range b.List {
		exitsIn(st, exit{at: -1}, 0, 0, &list)
	}
	return slices.DeleteFunc(list, func(e exit) bool {
		br, ok := e.stmt.(*ast.BranchStmt)
		return !ok || br.Label != nil || br.Tok == token.GOTO
	})
}
