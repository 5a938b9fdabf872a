package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// published is for a value that others can reach before it is complete: what makes it
// known moves below the last statement that writes its content, with the critical section
// that it is done in.
func published(s *search) {
	done := map[ast.Stmt]bool{}
	for _, st := range s.steps {
		if st == nil || st.Op != "write" && st.Op != "store" && st.Op != "send" {
			continue
		}
		for f := st; f != nil; f = f.Caller {
			fn := function{f.Pkg, f.File, f.Fn}
			for _, v := range s.ownPointers(fn) {
				s.publishLast(fn, v, done)
			}
		}
	}
}

// ownPointers are the variables of a function that it makes itself and that refer to
// something, or whose address may: pointers, maps, structs, slices.
func (s *search) ownPointers(fn function) (vars []*types.Var) {
	inspectOwn(fn.node, func(n ast.Node) {
		as, ok := n.(*ast.AssignStmt)
		if !ok || as.Tok != token.DEFINE || len(as.Lhs) != len(as.Rhs) {
			return
		}
		for i, l := range as.Lhs {
			v, ok := fn.pkg.Info.Defs[identOf(l)].(*types.Var)
			if !ok || !isNew(as.Rhs[i]) {
				continue
			}
			switch v.Type().Underlying().(type) {
			case *types.Pointer, *types.Map, *types.Struct, *types.Slice:
				vars = append(vars, v)
			}
		}
	})
	return vars
}

// publishLast moves the statement that makes a variable's value known below what writes
// its content later in the same list.
func (s *search) publishLast(fn function, v *types.Var, done map[ast.Stmt]bool) {
	lists(fn.node, func(list []ast.Stmt) {
		for i, st := range list {
			if done[st] || !s.makesKnown(fn, st, v) {
				continue
			}
			last := -1
			for j := i + 1; j < len(list); j++ {
				if s.fills(fn, list[j], v) {
					last = j
				}
			}
			if last < 0 {
				continue
			}
			done[st] = true
			if !s.moveDown(fn, list, i, last) {
				s.fillFirst(fn, list, i, last)
			}
		}
	})
}

// makesKnown reports whether a statement stores a variable where others find it: in a
// field, a variable of the package, an atomic, a map or slice, a channel.
func (s *search) makesKnown(fn function, st ast.Stmt, v *types.Var) bool {
	is := func(e ast.Expr) bool {
		e = ast.Unparen(e)
		if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
			e = ast.Unparen(u.X)
		} else if !refers(v) {
			return false // a copy of it
		}
		id, ok := e.(*ast.Ident)
		return ok && fn.pkg.Info.Uses[id] == v
	}
	switch st := st.(type) {
	case *ast.SendStmt:
		return is(st.Value)
	case *ast.AssignStmt:
		if st.Tok != token.ASSIGN || len(st.Lhs) != 1 || len(st.Rhs) != 1 || !is(st.Rhs[0]) {
			return false
		}
		o, _ := fn.pkg.Info.ObjectOf(rootIdent(st.Lhs[0])).(*types.Var)
		return o != nil && o != v && !(plainLocal(fn, o) && ast.Unparen(st.Lhs[0]) == ast.Expr(rootIdent(st.Lhs[0])))
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		return ok && slices.ContainsFunc(call.Args, is) && (isMethod(call, "Store") || isMethod(call, "Swap"))
	}
	return false
}

// plainLocal reports whether a variable is one of the function's own.
func plainLocal(fn function, v *types.Var) bool {
	return !v.IsField() && v.Parent() != nil && v.Pkg() != nil && v.Parent() != v.Pkg().Scope()
}

// refers reports whether who has the value of a variable sees later changes of its content.
func refers(v *types.Var) bool {
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Map:
		return true
	}
	return false
}

// fills reports whether a statement writes what a variable refers to, or the variable, if
// only its address can be known to others.
func (s *search) fills(fn function, st ast.Stmt, v *types.Var) (yes bool) {
	through := func(e ast.Expr) bool {
		if _, direct := ast.Unparen(e).(*ast.Ident); direct && refers(v) {
			return false
		}
		id := rootIdent(e)
		return id != nil && fn.pkg.Info.Uses[id] == v
	}
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			return false
		case *ast.AssignStmt:
			yes = yes || slices.ContainsFunc(n.Lhs, through)
		case *ast.IncDecStmt:
			yes = yes || through(n.X)
		}
		return !yes
	})
	return yes
}

// moveDown moves a statement below another of its list. One that is all of a critical
// section takes the section along. It reports whether that can be.
func (s *search) moveDown(fn function, list []ast.Stmt, i, last int) bool {
	from, to := i, i
	if sec := s.sectionAt(fn, list[i].Pos()); sec != nil {
		j := indexAt(list, sec.to)
		if !slices.Equal(sec.list, list) || sec.at != i-1 || j != i+1 || !slices.Contains(sec.releases, list[j]) || last <= j {
			return false // others see all of it at once, or more belongs to it
		}
		from, to = sec.at, j
	}
	var text strings.Builder
	for k := from; k <= to; k++ {
		if leavesList(list[k]) || !s.Code.alone(list[k]) {
			return false
		}
		text.WriteString(s.Code.linesOf(list[k]))
	}
	at, ok := s.pastSection(fn, list, i, last)
	if !ok {
		return false
	}
	for _, st := range list[to+1 : at+1] {
		if leavesList(st) || entangled(fn, list[i], st) {
			return false
		}
	}
	d := s.draft()
	for k := from; k <= to; k++ {
		d.removeLines(list[k])
	}
	d.insertAfterLine(list[at], text.String())
	s.add(Repair{Title: "Do " + s.short(list[i]) + " after line " + itoa(s.Code.line(list[at].End())) + ", when it is complete", Kind: Order, Weight: 3}, d)
	return true
}

// pastSection is behind which statement of its list another one can come that is to be
// done after that at an index: one that waits comes behind the section that is held there.
// It reports whether there is one.
func (s *search) pastSection(fn function, list []ast.Stmt, i, after int) (int, bool) {
	sec := s.sectionAt(fn, list[after].Pos())
	if sec == nil || sec.holds(list[i].Pos()) {
		return after, true
	}
	if _, what := s.waits(fn, list[i], 0, map[*types.Func]bool{}); what == "" {
		return after, true
	}
	end := indexAt(list, sec.to)
	return end, sec.deferred == nil && slices.Equal(sec.list, list) && end > after
}

// fillFirst moves what fills a value, and all that comes between, above the critical section
// that makes it known and does more: a look whether there is one already, say.
func (s *search) fillFirst(fn function, list []ast.Stmt, i, last int) {
	sec := s.sectionAt(fn, list[i].Pos())
	if sec == nil || sec.deferred != nil || !slices.Equal(sec.list, list) {
		return
	}
	end := indexAt(list, sec.to)
	for _, st := range list[end+1 : last+1] {
		if !s.Code.alone(st) || s.locksIn(fn, st) || slices.ContainsFunc(list[sec.at:end+1], func(held ast.Stmt) bool {
			return usesDefined(fn.pkg.Info, st, held) || entangled(fn, held, st)
		}) {
			return
		}
	}
	d := s.draft()
	var text strings.Builder
	for _, st := range list[end+1 : last+1] {
		text.WriteString(s.Code.linesOf(st))
		d.removeLines(st)
	}
	d.insertBeforeLine(sec.take, text.String())
	lines := "lines " + itoa(s.Code.line(list[end+1].Pos())) + "-" + itoa(s.Code.line(list[last].End()))
	for _, st := range list[sec.at:end] {
		if leavesList(st) {
			d.Tell("%s are done even if line %d leaves", lines, s.Code.line(st.Pos()))
			break
		}
	}
	if k := slices.IndexFunc(list[end+1:last+1], leavesList); k >= 0 {
		d.Tell("lines %d-%d are not done if line %d leaves", s.Code.line(sec.take.Pos()), s.Code.line(list[end].End()), s.Code.line(list[end+1+k].Pos()))
	}
	s.add(Repair{Title: "Do " + lines + " before line " + itoa(s.Code.line(sec.take.Pos())) + ": others find it complete", Kind: Order, Weight: 4}, d)
}

// locksIn reports whether a statement takes or releases a lock.
func (s *search) locksIn(fn function, st ast.Stmt) (yes bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			_, obj, _ := lockCall(fn.pkg.Info, e)
			yes = yes || obj != nil
		}
		return !yes
	})
	return yes
}

// entangled reports whether a statement may do something else before another one than
// after it: it uses what that sets, or sets what that uses.
func entangled(fn function, known, st ast.Stmt) (yes bool) {
	obj := func(e ast.Expr) types.Object {
		if id := identOf(e); id != nil {
			return fn.pkg.Info.ObjectOf(id)
		}
		return nil
	}
	sets, uses := map[types.Object]bool{}, map[types.Object]bool{}
	if as, ok := known.(*ast.AssignStmt); ok {
		sets[obj(as.Lhs[0])] = true
	}
	ast.Inspect(known, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			uses[fn.pkg.Info.ObjectOf(id)] = true
		}
		return true
	})
	delete(sets, nil)
	delete(uses, nil)
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			yes = yes || sets[fn.pkg.Info.ObjectOf(n)]
		case *ast.AssignStmt:
			yes = yes || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return plainPath(ast.Unparen(e)) && uses[obj(e)] })
		case *ast.IncDecStmt:
			yes = yes || plainPath(ast.Unparen(n.X)) && uses[obj(n.X)]
		}
		return !yes
	})
	return yes
}
