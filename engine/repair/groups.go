package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// addFirst is for goroutines that are added to a WaitGroup by themselves, when Wait may
// have returned: Add comes before the go statement.
func addFirst(s *search) {
	for _, fn := range s.functions() {
		inspectOwn(fn.node, func(n ast.Node) {
			g, ok := n.(*ast.GoStmt)
			if !ok {
				return
			}
			if lit, ok := g.Call.Fun.(*ast.FuncLit); ok {
				s.addOf(fn, g, function{fn.pkg, fn.file, lit}, nil)
				return
			}
			if callee := s.callee(fn.pkg.Info, g.Call); callee != nil {
				if f, ok := s.bodyOf(callee); ok {
					s.addOf(fn, g, f, g.Call)
				}
			}
		})
	}
}

// addOf moves the Add at the start of a goroutine's function before the go statement,
// with the names that the group has there.
func (s *search) addOf(fn function, g *ast.GoStmt, f function, call *ast.CallExpr) {
	far := !s.concerns(f)
	for _, st := range body(f.node).List {
		on, add := methodOn(f.pkg.Info, st, "WaitGroup", "Add")
		es, ok := st.(*ast.ExprStmt)
		if add == nil || !ok || len(add.Args) != 1 {
			if leavesList(st) {
				return // who leaves before it is not counted, and calls no Done
			}
			continue
		}
		text, ok := s.Code.source(on), true
		if call != nil {
			text, ok = s.inCaller(f, call, text)
		} else if !s.knownAt(fn, on, g.Pos()) {
			ok = false
		}
		if !ok || !isConst(f, add.Args[0]) || far && !s.awaited(f, on) {
			return
		}
		d := s.draft()
		d.Remove(es)
		d.Before(g, text+".Add("+s.Code.source(add.Args[0])+")")
		title := "Call " + text + ".Add before the go statement at line " + itoa(s.Code.line(g.Pos()))
		s.add(Repair{Title: title, Kind: Order, Weight: 2}, d)
		s.countStarter(fn, g, es, text, title)
		return
	}
}

// countStarter is for a goroutine that starts others: who waits for these before it came to
// count them waits for it, too.
func (s *search) countStarter(fn function, g *ast.GoStmt, add *ast.ExprStmt, group, title string) {
	var start *ast.GoStmt
	var in function
	n := 0
	for _, f := range s.functions() {
		inspectOwn(f.node, func(x ast.Node) {
			if gs, ok := x.(*ast.GoStmt); ok && declared(fn) != nil && s.callee(f.pkg.Info, gs.Call) == declared(fn) {
				start, in = gs, f
				n++
			}
		})
	}
	if n != 1 || s.isTest(in) {
		return
	}
	there, ok := s.inCaller(fn, start.Call, group)
	on, call := methodOn(fn.pkg.Info, add, "WaitGroup", "Add")
	if !ok || call == nil {
		return
	}
	if v, known := fn.pkg.Info.ObjectOf(identOf(on)).(*types.Var); !known || s.isCounted(in, start, v) {
		return
	}
	d := s.draft()
	d.Remove(add)
	d.Before(g, group+".Add("+s.Code.source(call.Args[0])+")")
	s.startIn(d, in, start, there)
	at := itoa(s.Code.line(start.Pos()))
	s.add(Repair{Title: title + ", and count the goroutine of line " + at, Kind: Order, Weight: 4,
		Tells: []string{"who waits for " + group + " also waits until what line " + at + " starts has ended"}}, d)
}

// concerns reports whether the root cause, or who waits, is in a function, or in one that
// holds or starts it: rules that look at the whole package change nothing else.
func (s *search) concerns(f function) bool {
	for _, st := range slices.Concat(s.steps, s.blocked) {
		for ; st != nil; st = st.Caller {
			if st.Fn == f.node || f.node.Pos() <= st.At() && st.At() < f.node.End() && st.Pkg == f.pkg {
				return true
			}
			if st.Pkg == f.pkg && st.Fn.Pos() <= f.node.Pos() && f.node.End() <= st.Fn.End() {
				return true
			}
		}
	}
	return false
}

// awaited reports whether a function that a step of the root cause goes through waits for
// a group, itself or in what it starts.
func (s *search) awaited(f function, on ast.Expr) bool {
	group, ok := f.pkg.Info.ObjectOf(identOf(on)).(*types.Var)
	return ok && slices.ContainsFunc(s.known(), func(st *Step) bool {
		return slices.ContainsFunc(s.ways(st), func(v via) (yes bool) {
			ast.Inspect(v.fn.node, func(n ast.Node) bool {
				call, isCall := n.(*ast.CallExpr)
				yes = yes || isCall && s.waitsFor(v.fn, call, group)
				return !yes
			})
			return yes
		})
	})
}

// inCaller is how something that a function calls by its receiver or a parameter is
// written where the function is called.
func (s *search) inCaller(f function, call *ast.CallExpr, text string) (string, bool) {
	d, ok := f.node.(*ast.FuncDecl)
	if !ok {
		return "", false
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && d.Recv != nil && len(d.Recv.List[0].Names) == 1 && plainPath(sel.X) {
		if rest, ok := relative(text, d.Recv.List[0].Names[0].Name); ok {
			return s.Code.source(sel.X) + rest, true
		}
	}
	i := 0
	for _, p := range d.Type.Params.List {
		for _, n := range p.Names {
			if i < len(call.Args) {
				if rest, ok := relative(text, n.Name); ok {
					return strings.TrimPrefix(s.Code.source(call.Args[i]), "&") + rest, true
				}
			}
			i++
		}
	}
	return text, d.Recv == nil && !strings.Contains(text, ".")
}

// joins is for something that is torn down, read or closed before others are done with
// it: a wait that is there comes first, or one is added.
func joins(s *search) {
	if s.Finding.Class != "order-violation" && s.Finding.Class != "channel-misuse" && s.Finding.Class != "other" && s.Finding.Class != "data-race" {
		return
	}
	for _, late := range s.steps {
		if late == nil {
			continue
		}
		before := s.steps[:late.Index]
		if s.Finding.Kind == "data-race" {
			before = s.steps // neither comes first
		}
		for _, early := range before {
			if early != nil && early.Goroutine != late.Goroutine {
				s.waitBefore(early, late)
			}
		}
	}
}

// waitBefore makes the goroutine of early wait for that of late before it goes on. If what
// is changed there is what the other one looks at to end, it would wait for nothing.
func (s *search) waitBefore(early, late *Step) {
	if (early.Op == "write" || early.Op == "store") && early.Obj != nil && early.Obj == late.Obj && s.asksInLoop(late) {
		return
	}
	for _, v := range s.ways(early) {
		where, ok := inList(v.fn, v.node)
		if !ok {
			continue
		}
		s.waitEarlier(v.fn, where, late)
		s.waitAdded(v.fn, where, late)
	}
}

// asksInLoop reports whether a step reads something in a loop, round by round.
func (s *search) asksInLoop(st *Step) bool {
	return (st.Op == "read" || st.Op == "load") && slices.ContainsFunc(st.Frames(), func(f *Step) bool {
		return slices.ContainsFunc(f.Path, func(n ast.Node) bool {
			_, loop := n.(*ast.ForStmt)
			return loop && f.Fn.Pos() <= n.Pos()
		})
	})
}

// top is the statement of the function's own list around another one.
func top(fn function, n ast.Node) (at, bool) {
	list := body(fn.node).List
	i := indexAt(list, n.Pos())
	return at{list, i}, i >= 0
}

// waitEarlier moves a wait that comes later in the same list, or in the function's own,
// before the statement.
func (s *search) waitEarlier(fn function, where at, late *Step) {
	spots := []at{where}
	if t, ok := top(fn, where.stmt()); ok && !slices.Equal(t.list, where.list) {
		spots = append(spots, t)
	}
	for _, w := range spots {
		for j := w.i + 1; j < len(w.list); j++ {
			on, call := methodOn(fn.pkg.Info, w.list[j], "WaitGroup", "Wait")
			what := ""
			if call != nil {
				what = s.Code.source(on) + ".Wait()"
			} else if es, ok := w.list[j].(*ast.ExprStmt); ok {
				if u, ok := es.X.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
					what = s.Code.source(u)
				}
			}
			if _, isDefer := w.list[j].(*ast.DeferStmt); what == "" || isDefer || !s.movable(fn, w.list, j, w.i) {
				continue
			}
			d := s.draft()
			d.moveBefore(w.list[j], w.stmt())
			s.add(Repair{Title: "Wait (" + what + ") before line " + itoa(s.Code.line(w.stmt().Pos())), Kind: Order, Weight: 3}, d)
			return
		}
	}
}

// waitAdded starts the goroutine of late by a WaitGroup, and waits for it before the
// statement: one that is there, a new field beside what both know, or a new variable.
func (s *search) waitAdded(fn function, where at, late *Step) {
	g, gfn := s.startOf(late)
	if g == nil || s.runs(g, gfn, fn) || gfn.node == fn.node && where.stmt().Pos() <= g.Pos() {
		return
	}
	d := s.draft()
	var name string
	var group *types.Var // nil: a new one
	switch {
	case gfn.node == fn.node && g.End() < where.stmt().Pos():
		own, ok := top(fn, g)
		if !ok {
			return
		}
		spot, ok := top(fn, where.stmt())
		if !ok || spot.i <= own.i || spot.i == own.i+1 && own.stmt() == ast.Stmt(g) {
			return // or it would be started only to wait for it
		}
		where = spot
		name, group = s.groupVar(d, fn, own)
	default:
		name, group = s.groupField(d, gfn, fn, g)
	}
	if name == "" {
		return
	}
	started, waited, ok := strings.Cut(name, "|")
	if !ok {
		waited = started
	}
	counted := group != nil && s.isCounted(gfn, g, group)
	awaited := group != nil && slices.ContainsFunc(where.list[:where.i+1], func(st ast.Stmt) bool { return s.waitsFor(fn, st, group) })
	if counted && awaited {
		return
	}
	if !counted {
		s.startIn(d, gfn, g, started)
	}
	if !awaited {
		d.Before(where.stmt(), waited+".Wait()")
	}
	s.add(Repair{Title: "Wait for the goroutine of line " + itoa(s.Code.line(g.Pos())) + " before line " + itoa(s.Code.line(where.stmt().Pos())), Kind: Order, Weight: 12}, d)
}

// waitsFor reports whether a statement waits for a group.
func (s *search) waitsFor(fn function, n ast.Node, group *types.Var) bool {
	on, _ := methodOn(fn.pkg.Info, n, "WaitGroup", "Wait")
	if on == nil {
		return false
	}
	v, ok := fn.pkg.Info.ObjectOf(identOf(on)).(*types.Var)
	return ok && v.Origin() == group.Origin()
}

// runs reports whether a go statement starts what a function is part of: it would wait for
// itself.
func (s *search) runs(g *ast.GoStmt, in, fn function) bool {
	if lit, ok := g.Call.Fun.(*ast.FuncLit); ok {
		return lit.Pos() <= fn.node.Pos() && fn.node.End() <= lit.End()
	}
	callee := s.callee(in.pkg.Info, g.Call)
	return callee != nil && callee == declared(fn)
}

// startOf is the go statement that started the goroutine of a step, as far as the sources
// show it: the only one that starts the function that the step is in, or one of those that
// call it.
func (s *search) startOf(st *Step) (g *ast.GoStmt, in function) {
	inside := map[ast.Node]bool{}
	for _, v := range s.ways(st) {
		inside[v.fn.node] = true
	}
	n := 0
	name, _, _ := strings.Cut(st.Goroutine, "#")
	for _, fn := range s.functions() {
		inspectOwn(fn.node, func(x ast.Node) {
			gs, ok := x.(*ast.GoStmt)
			if !ok {
				return
			}
			starts := false
			if lit, ok := gs.Call.Fun.(*ast.FuncLit); ok {
				starts = inside[lit]
			} else if callee := s.callee(fn.pkg.Info, gs.Call); callee != nil {
				for _, f := range s.bodiesOf(callee) {
					starts = starts || inside[f.node] || displayOf(f) == name // by a function value, say
				}
			}
			if starts {
				g, in = gs, fn
				n++
			}
		})
	}
	if n != 1 {
		return nil, function{}
	}
	return g, in
}

// displayOf is the name that a goroutine has which runs a declared function.
func displayOf(f function) string {
	fn := declared(f)
	if fn == nil {
		return ""
	}
	if recv := fn.Signature().Recv(); recv != nil {
		if tn := namedOf(recv.Type()); tn != nil {
			return tn.Name() + "." + fn.Name()
		}
	}
	return fn.Name()
}

// groupVar is a WaitGroup of the function, or a new one before the statement that starts.
func (s *search) groupVar(d *Draft, fn function, start at) (string, *types.Var) {
	name := "wg"
	scope := fn.pkg.Types.Scope().Innermost(start.stmt().Pos())
	if scope != nil {
		if _, o := scope.LookupParent(name, token.NoPos); o != nil {
			if v, ok := o.(*types.Var); ok && isSync(v.Type(), "WaitGroup") && v.Pos() < start.stmt().Pos() {
				return name, v
			}
			name = freshName(fn, start.stmt(), "running")
		}
	}
	d.Before(start.stmt(), "var "+name+" "+s.syncName(d, fn.file, start.stmt().Pos())+".WaitGroup")
	return name, nil
}

// groupField is a WaitGroup in the struct that both functions know by a name, or a new one:
// as it is written where the goroutine is started, "|", and where it is awaited.
func (s *search) groupField(d *Draft, start, wait function, g *ast.GoStmt) (string, *types.Var) {
	w, ok := wait.node.(*ast.FuncDecl)
	if !ok || w.Recv == nil || len(w.Recv.List[0].Names) != 1 {
		return "", nil
	}
	tn := namedOf(wait.pkg.Info.TypeOf(w.Recv.List[0].Type))
	if tn == nil {
		return "", nil
	}
	st, ok := tn.Type().Underlying().(*types.Struct)
	if !ok || st.NumFields() == 0 {
		return "", nil
	}
	var owner string
	ast.Inspect(g.Call, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && owner == "" {
			if v, ok := start.pkg.Info.Uses[id].(*types.Var); ok && namedOf(v.Type()) == tn && s.knownAt(start, id, g.Pos()) {
				owner = id.Name
			}
		}
		return true
	})
	if owner == "" {
		return "", nil
	}
	if f := s.groupOf(st, start, wait, g); f != nil {
		return owner + "." + f.Name() + "|" + w.Recv.List[0].Names[0].Name + "." + f.Name(), f
	}
	lock := s.newField(d, []*types.Var{st.Field(st.NumFields() - 1)}, "WaitGroup", "wg")
	if lock == nil {
		return "", nil
	}
	return owner + "." + lock.Name() + "|" + w.Recv.List[0].Names[0].Name + "." + lock.Name(), nil
}

// groupOf is the WaitGroup of a struct that counts a goroutine already, or else the only one
// that a function waits for: to wait for another one could be to wait for ever. nil if
// there is none.
func (s *search) groupOf(st *types.Struct, start, wait function, g *ast.GoStmt) (group *types.Var) {
	awaited := 0
	for i := range st.NumFields() {
		f := st.Field(i)
		switch {
		case !isSync(f.Type(), "WaitGroup"):
		case s.isCounted(start, g, f):
			return f
		case s.waitsOn(wait, f):
			group = f
			awaited++
		}
	}
	if awaited > 1 {
		return nil
	}
	return group
}

func namedOf(t types.Type) *types.TypeName {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	return n.Origin().Obj()
}

// isCounted reports whether what a go statement starts says by itself when it is done, so
// that the group counts it already; by itself alone, if it also adds.
func (s *search) isCounted(fn function, g *ast.GoStmt, group *types.Var) bool {
	body, in := ast.Node(g.Call.Fun), fn
	if callee := s.callee(fn.pkg.Info, g.Call); callee != nil {
		if f, ok := s.bodyOf(callee); ok {
			body, in = f.node, f
		}
	}
	does := func(method string) (found bool) {
		ast.Inspect(body, func(n ast.Node) bool {
			if on, _ := methodOn(in.pkg.Info, n, "WaitGroup", method); on != nil && identOf(on) != nil {
				v, ok := in.pkg.Info.ObjectOf(identOf(on)).(*types.Var)
				found = found || ok && v.Origin() == group.Origin()
			}
			return !found
		})
		return found
	}
	return does("Done") && !does("Add")
}

// startIn makes a go statement one of a WaitGroup: by its method Go, or, in modules for
// releases without it, by Add and Done.
func (s *search) startIn(d *Draft, fn function, g *ast.GoStmt, group string) {
	pad := s.Code.indent(g.Pos())
	lit, _ := g.Call.Fun.(*ast.FuncLit)
	plain := false // of the type that the method Go takes
	if t := fn.pkg.Info.TypeOf(g.Call.Fun); t != nil {
		sig, ok := t.Underlying().(*types.Signature)
		plain = ok && sig.Params().Len() == 0 && sig.Results().Len() == 0
	}
	if !s.since(fn.file, "go1.25") {
		d.Before(g, group+".Add(1)")
		done := "defer " + group + ".Done()\n"
		if lit != nil {
			d.Insert(lit.Body.Lbrace+1, "\n"+pad+"\t"+done)
			return
		}
		d.Replace(g, "go func() {\n"+pad+"\t"+done+pad+"\t"+s.callLater(d, fn, g)+"\n"+pad+"}()")
		return
	}
	switch {
	case lit != nil && plain:
		d.replaceRange(g.Pos(), lit.Pos(), group+".Go(")
		d.replaceRange(lit.End(), g.End(), ")")
	case plain:
		d.Replace(g, group+".Go("+s.Code.source(g.Call.Fun)+")")
	default:
		d.Replace(g, group+".Go(func() {\n"+pad+"\t"+s.callLater(d, fn, g)+"\n"+pad+"})")
	}
}
