package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// sends is for a goroutine that waits for ever to send: room in the channel, or a way out
// when nobody will receive.
func sends(s *search) {
	for _, st := range slices.Concat(s.blocked, s.steps) {
		if st == nil {
			continue
		}
		if st.Op == "receive" {
			s.wayOutOfReceive(st)
			s.closeLast(st)
		}
		if st.Op != "send" && st.Op != "select" {
			continue
		}
		v, ok := st.Obj.(*types.Var)
		send, isSend := st.Path[0].(*ast.SendStmt)
		if !isSend {
			continue
		}
		if !ok || v == nil {
			continue
		}
		s.room(st, v)
		s.wayOut(st, send)
	}
}

// putsOff says why room in a channel would only put off that a send waits for ever: it is
// done again and again, also by callers of a method, or with a lock held that who receives
// may need. "" if none is seen.
func (s *search) putsOff(st *Step, ch *types.Var) string {
	if s.sendsForCallers(st) {
		return "whoever calls " + nameOf(function{st.Pkg, st.File, st.Fn}) + " sends again, until it is full"
	}
	for f := st; f != nil; f = f.Caller {
		fn := function{f.Pkg, f.File, f.Fn}
		if sec := s.sectionAt(fn, f.At()); sec != nil {
			return "once it is full, " + s.Code.source(sec.lock) + " is held while line " + itoa(s.Code.line(st.At())) + " waits to send"
		}
		for _, n := range f.Path {
			if n == ast.Node(f.Fn) {
				break
			}
			switch n := n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				if f == st && !(n.Pos() <= ch.Pos() && ch.Pos() < n.End()) && !s.cameByChannel(fn, n, st.Root) {
					return "line " + itoa(s.Code.line(st.At())) + " sends again and again, until it is full"
				}
			}
		}
	}
	return ""
}

// cameByChannel reports whether what an expression begins with was received in a loop: a
// channel in it is for the answer to that.
func (s *search) cameByChannel(fn function, loop ast.Node, e ast.Expr) (yes bool) {
	root := rootIdent(e)
	if root == nil || ast.Expr(root) == ast.Unparen(e) {
		return false
	}
	o := fn.pkg.Info.ObjectOf(root)
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			yes = yes || n.Tok == token.DEFINE && receives(n) && fn.pkg.Info.Defs[identOf(n.Lhs[0])] == o
		case *ast.RangeStmt:
			_, ch := typeOf[*types.Chan](fn.pkg.Info, n.X)
			yes = yes || ch && n.Key != nil && fn.pkg.Info.ObjectOf(identOf(n.Key)) == o
		}
		return !yes
	})
	return o != nil && yes
}

// sendsForCallers reports whether a send that waits is one of a method on a channel of its
// receiver, that may be called again on the same.
func (s *search) sendsForCallers(st *Step) bool {
	fn := function{st.Pkg, st.File, st.Fn}
	sel, ok := st.Root.(*ast.SelectorExpr)
	recv := receiver(fn)
	if !ok || recv == nil || s.Code.source(sel.X) != s.Code.source(recv) || slices.ContainsFunc(st.Path, hasDefault) {
		return false
	}
	d := declared(fn)
	return d != nil && (d.Exported() || len(s.callers(d)) > 1)
}

// room gives a channel a buffer: one place, or, where a loop starts those who send, one for
// each of them.
func (s *search) room(st *Step, ch *types.Var) {
	for _, m := range s.makes(ch) {
		fn, call := m.fn, m.call
		if len(call.Args) != 1 {
			continue
		}
		if why := s.putsOff(st, ch); why != "" {
			s.refuse("Give "+ch.Name()+" room", why)
			return
		}
		sizes := s.bounds(fn, call)
		if len(sizes) == 0 {
			sizes = []string{"1"}
		}
		for i, n := range sizes {
			d := s.draft()
			d.Insert(call.Rparen, ", "+n)
			s.add(Repair{Title: "Give " + ch.Name() + " room for " + n, Kind: Other, Weight: 6 + i,
				Tells: []string{"a send on " + ch.Name() + " does not wait for the receiver any more"}}, d)
		}
	}
}

// makes are the calls of make for a channel, of a local variable that is passed on too.
func (s *search) makes(ch *types.Var) (list []callSite) {
	seen := map[*types.Var]bool{}
	var from func(v *types.Var)
	from = func(v *types.Var) {
		if seen[v] {
			return
		}
		seen[v] = true
		for _, fn := range s.functions() {
			inspectOwn(fn.node, func(n ast.Node) {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for i, l := range n.Lhs {
						if o, ok := fn.pkg.Info.ObjectOf(identOf(l)).(*types.Var); ok && o.Origin() == v && len(n.Rhs) == len(n.Lhs) {
							s.made(fn, n.Rhs[i], &list, from)
						}
					}
				case *ast.ValueSpec:
					for i, id := range n.Names {
						if fn.pkg.Info.Defs[id] == v && i < len(n.Values) {
							s.made(fn, n.Values[i], &list, from)
						}
					}
				case *ast.KeyValueExpr:
					if id, ok := n.Key.(*ast.Ident); ok {
						if o, ok := fn.pkg.Info.Uses[id].(*types.Var); ok && o.Origin() == v {
							s.made(fn, n.Value, &list, from)
						}
					}
				case *ast.CallExpr: // a parameter: what the callers pass
					callee := s.callee(fn.pkg.Info, n)
					if callee == nil {
						return
					}
					sig := callee.Signature()
					for i := range sig.Params().Len() {
						if sig.Params().At(i) == v && i < len(n.Args) {
							s.made(fn, n.Args[i], &list, from)
						}
					}
				}
			})
		}
	}
	from(ch.Origin())
	return list
}

func (s *search) made(fn function, e ast.Expr, list *[]callSite, from func(*types.Var)) {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && isBuiltin(fn, call, "make") {
		if !slices.ContainsFunc(*list, func(c callSite) bool { return c.call == call }) {
			*list = append(*list, callSite{fn, call})
		}
		return
	}
	if v, ok := fn.pkg.Info.ObjectOf(identOf(e)).(*types.Var); ok {
		from(v.Origin())
	}
}

// bounds are how often loops of a function, after a place, start goroutines: "len(xs)",
// "n".
func (s *search) bounds(fn function, after ast.Node) (list []string) {
	inspectOwn(fn.node, func(n ast.Node) {
		if n.Pos() < after.Pos() {
			return
		}
		var text string
		var loop *ast.BlockStmt
		switch n := n.(type) {
		case *ast.RangeStmt:
			loop = n.Body
			switch t := fn.pkg.Info.TypeOf(n.X).Underlying().(type) {
			case *types.Slice, *types.Array, *types.Map, *types.Pointer:
				text = "len(" + s.Code.source(n.X) + ")"
			case *types.Basic:
				if t.Info()&types.IsInteger != 0 {
					text = s.Code.source(n.X)
				}
			}
			if !plainPath(n.X) && text != "" {
				if _, lit := n.X.(*ast.BasicLit); !lit {
					text = ""
				}
			}
		case *ast.ForStmt:
			loop = n.Body
			if c, ok := n.Cond.(*ast.BinaryExpr); ok && c.Op == token.LSS && (plainPath(c.Y) || isLit(c.Y)) {
				text = s.Code.source(c.Y)
			}
		default:
			return
		}
		starts := false
		ast.Inspect(loop, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok {
				starts = true
			}
			if _, call := methodOn(fn.pkg.Info, n, "WaitGroup", "Go"); call != nil {
				starts = true
			}
			return !starts
		})
		if text != "" && starts && !slices.Contains(list, text) {
			list = append(list, text)
		}
	})
	return list
}

func isLit(e ast.Expr) bool { _, ok := e.(*ast.BasicLit); return ok }

// wayOut makes a send one of a select, with an end of the goroutine where one is known.
func (s *search) wayOut(st *Step, send *ast.SendStmt) {
	fn := function{st.Pkg, st.File, st.Fn}
	if len(st.Path) > 1 {
		if _, inSelect := st.Path[1].(*ast.CommClause); inSelect {
			return
		}
	}
	pad := s.Code.indent(send.Pos())
	for i, quit := range s.quits(fn, send.Pos()) {
		leave, ok := s.leave(st, quit)
		if !ok || quit == s.Code.source(send.Chan) || i > 2 || s.endsBefore(fn, quit, send) {
			continue
		}
		leave, ok = s.releaseFirst(st, leave, pad)
		if !ok {
			continue
		}
		d := s.draft()
		d.Replace(send, "select {\n"+pad+"case "+s.Code.source(send)+":\n"+pad+"case <-"+quit+":\n"+indented(pad, leave)+pad+"}")
		s.add(Repair{Title: "Give up sending on " + s.Code.source(send.Chan) + " when " + quit + " ends", Kind: Other, Weight: 7 + i,
			Tells: []string{"what was to be sent on " + s.Code.source(send.Chan) + " is dropped then"}}, d)
	}
}

// endsBefore reports whether a function closes a channel itself before a statement: a way
// out by that channel would always be taken.
func (s *search) endsBefore(fn function, quit string, st ast.Stmt) (yes bool) {
	inspectOwn(fn.node, func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		yes = yes || ok && call.Pos() < st.Pos() && isBuiltin(fn, call, "close") && s.Code.source(call.Args[0]) == quit
	})
	return yes
}

// indented is a statement as a line of its own in a case, nothing if there is none.
func indented(pad, text string) string {
	if text == "" {
		return ""
	}
	return pad + "\t" + text + "\n"
}

// leave is the statement with which a function gives up a step because quit ended: it goes
// on with the next, by no statement if that comes anyway, where only what a loop is at
// ended; else it returns.
func (s *search) leave(st *Step, quit string) (string, bool) {
	fn := function{st.Pkg, st.File, st.Fn}
	root, _, _ := strings.Cut(quit, ".")
	i := slices.IndexFunc(s.visibleVars(fn, st.At()), func(v *types.Var) bool { return v.Name() == root })
	if i < 0 {
		return returnFor(fn, quit)
	}
	v := s.visibleVars(fn, st.At())[i]
	loops := 0
	for _, n := range st.Path {
		var block *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return returnFor(fn, quit)
		case *ast.ForStmt:
			block = n.Body
		case *ast.RangeStmt:
			block = n.Body
		}
		if block == nil {
			continue
		}
		if v.Pos() < n.Pos() || n.End() <= v.Pos() {
			loops++
			continue
		}
		if last := block.List[len(block.List)-1]; loops == 0 && last == st.Stmt() {
			return "", true
		}
		return "continue", loops == 0
	}
	return returnFor(fn, quit)
}

// releaseFirst puts the release of the lock that is held at a step before the statement that
// leaves its section. It reports false if more than that may be needed.
func (s *search) releaseFirst(st *Step, leave, pad string) (string, bool) {
	fn := function{st.Pkg, st.File, st.Fn}
	for _, sec := range s.locksOf(fn) {
		if !sec.holds(st.At()) || sec.deferred != nil || !strings.HasPrefix(leave, "return") && !inLoop(st, sec) {
			continue
		}
		end := indexAt(sec.list, sec.to)
		only := len(sec.releases) == 1 && end >= 0 && sec.list[end] == sec.releases[0] && !slices.ContainsFunc(s.locksOf(fn), func(o *section) bool { return o != sec && o.holds(st.At()) })
		if leave == "" || !only || indexAt(sec.list, st.At()) < 0 {
			return "", false
		}
		return lockAt{sec.obj, s.Code.source(sec.lock), sec.read}.release() + "\n" + pad + "\t" + leave, true
	}
	return leave, true
}

// inLoop reports whether a section is one of a round of the innermost loop around a step.
func inLoop(st *Step, sec *section) bool {
	for _, n := range st.Path {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return n.Pos() < sec.take.Pos() && sec.take.End() < n.End()
		}
	}
	return false
}

// returnFor is a return statement of a function that gives up because quit ended: with zero
// values, and the context's error where the last result is one.
func returnFor(fn function, quit string) (string, bool) {
	var sig *types.Signature
	switch f := fn.node.(type) {
	case *ast.FuncDecl:
		if d := declared(fn); d != nil {
			sig = d.Signature()
		}
	case *ast.FuncLit:
		sig, _ = fn.pkg.Info.TypeOf(f).(*types.Signature)
	}
	if sig == nil {
		return "", false
	}
	var values []string
	for i := range sig.Results().Len() {
		t := sig.Results().At(i).Type()
		ctx, ofContext := strings.CutSuffix(quit, ".Done()")
		switch u := t.Underlying().(type) {
		case *types.Basic:
			switch {
			case u.Info()&types.IsString != 0:
				values = append(values, `""`)
			case u.Info()&types.IsBoolean != 0:
				values = append(values, "false")
			case u.Info()&types.IsNumeric != 0:
				values = append(values, "0")
			default:
				values = append(values, "nil")
			}
		case *types.Struct, *types.Array:
			values = append(values, types.TypeString(t, types.RelativeTo(fn.pkg.Types))+"{}")
		default:
			switch {
			case isError(t) && ofContext:
				values = append(values, ctx+".Err()")
			case isError(t):
				return "", false // nil would say that it was done
			default:
				values = append(values, "nil")
			}
		}
	}
	return strings.TrimSpace("return " + strings.Join(values, ", ")), true
}

// wayOutOfReceive makes a receive one of a select, with an end of the goroutine where one
// is known.
func (s *search) wayOutOfReceive(st *Step) {
	fn := function{st.Pkg, st.File, st.Fn}
	recv, ok := st.Path[0].(*ast.UnaryExpr)
	es, isStmt := st.Stmt().(*ast.ExprStmt)
	if !ok || !isStmt || ast.Unparen(es.X) != ast.Expr(recv) {
		return
	}
	pad := s.Code.indent(es.Pos())
	for i, quit := range s.quits(fn, es.Pos()) {
		leave, ok := s.leave(st, quit)
		if !ok || quit == s.Code.source(recv.X) || i > 2 || s.endsBefore(fn, quit, es) {
			continue
		}
		leave, ok = s.releaseFirst(st, leave, pad)
		if !ok {
			continue
		}
		d := s.draft()
		d.Replace(es, "select {\n"+pad+"case "+s.Code.source(recv)+":\n"+pad+"case <-"+quit+":\n"+indented(pad, leave)+pad+"}")
		s.add(Repair{Title: "Give up receiving from " + s.Code.source(recv.X) + " when " + quit + " ends", Kind: Other, Weight: 7 + i}, d)
	}
}

// closeLast closes a channel that somebody receives from when the function that could
// send on it returns: one that has it as a parameter or sends on it, and never closes it.
func (s *search) closeLast(st *Step) {
	ch, ok := st.Obj.(*types.Var)
	if !ok || slices.ContainsFunc(s.blocked, func(b *Step) bool { return b != nil && b.Op == "send" && b.Obj == st.Obj }) {
		return // who waits to send would panic
	}
	for _, fn := range s.functions() {
		if fn.node == st.Fn {
			continue
		}
		s.closeByDefer(fn, ch)
		name, yes := s.ownsSend(fn, ch)
		if !yes || strings.Contains(name, ".") && !s.runsOnce(fn) || len(body(fn.node).List) == 0 {
			continue
		}
		d := s.draft()
		d.Before(body(fn.node).List[0], "defer close("+name+")")
		s.add(Repair{Title: "Close " + name + " when " + nameOf(fn) + " returns", Kind: Other, Weight: 6}, d)
	}
}

// runsOnce reports whether a function is what a goroutine does, and not called otherwise:
// one that is called again and again must not close a field of its receiver.
func (s *search) runsOnce(fn function) bool {
	d := declared(fn)
	if d == nil {
		return true
	}
	if d.Exported() {
		return false // for others to call
	}
	started := false
	for _, f := range s.functions() {
		inspectOwn(f.node, func(n ast.Node) {
			if g, ok := n.(*ast.GoStmt); ok && s.callee(f.pkg.Info, g.Call) == d {
				started = true
			}
		})
	}
	return started && len(s.callers(d)) == 0
}

// closeByDefer closes a channel on every path of a function that closes it at its end.
func (s *search) closeByDefer(fn function, ch *types.Var) {
	list := body(fn.node).List
	for i, st := range list {
		es, ok := st.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := es.X.(*ast.CallExpr)
		if !ok || !isBuiltin(fn, call, "close") || len(call.Args) != 1 || !slices.ContainsFunc(list[:i], leavesList) {
			continue
		}
		if v, ok := fn.pkg.Info.ObjectOf(identOf(call.Args[0])).(*types.Var); !ok || v.Origin() != ch.Origin() && !s.sameMake(v, ch) && !s.endedWithout(fn, v, ch) {
			continue
		}
		if !s.knownAt(fn, call.Args[0], list[0].Pos()) {
			continue
		}
		d := s.draft()
		d.Remove(es)
		d.Before(list[0], "defer "+s.Code.source(call))
		s.add(Repair{Title: "Close " + s.Code.source(call.Args[0]) + " on every path of " + nameOf(fn) + ", by defer", Kind: Other, Weight: 4}, d)
	}
}

// endedWithout reports whether the root cause has a goroutine that left a function early
// which closes a channel like the one that is waited for: in a list of channels, which one is
// which is not known.
func (s *search) endedWithout(fn function, closes, waited *types.Var) bool {
	a, ok := closes.Type().Underlying().(*types.Chan)
	b, ok2 := waited.Type().Underlying().(*types.Chan)
	return ok && ok2 && types.Identical(a.Elem(), b.Elem()) &&
		slices.ContainsFunc(s.known(), func(st *Step) bool { return st.Op == "end" && st.Fn == fn.node })
}

// ownsSend reports whether a function has the channel by a parameter that can send, or
// sends on it, and closes it nowhere: how it is written there.
func (s *search) ownsSend(fn function, ch *types.Var) (name string, ok bool) {
	same := func(v *types.Var) bool { return v != nil && (v.Origin() == ch.Origin() || s.sameMake(v, ch)) }
	if d, isDecl := fn.node.(*ast.FuncDecl); isDecl {
		for _, p := range d.Type.Params.List {
			for _, n := range p.Names {
				v, _ := fn.pkg.Info.Defs[n].(*types.Var)
				if v == nil {
					continue
				}
				if c, isChan := v.Type().Underlying().(*types.Chan); isChan && c.Dir() != types.RecvOnly && same(v) {
					name, ok = n.Name, true
				}
			}
		}
	}
	closes := false
	inspectOwn(fn.node, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.SendStmt:
			if v, isVar := fn.pkg.Info.ObjectOf(identOf(n.Chan)).(*types.Var); isVar && plainPath(n.Chan) && same(v) {
				if root := rootIdent(n.Chan); root != nil {
					if o := fn.pkg.Info.ObjectOf(root); o != nil && (o.Pos() < body(fn.node).Pos() || o.Pos() > body(fn.node).End()) {
						name, ok = s.Code.source(n.Chan), true
					}
				}
			}
		case *ast.CallExpr:
			if isBuiltin(fn, n, "close") && len(n.Args) == 1 {
				if v, isVar := fn.pkg.Info.ObjectOf(identOf(n.Args[0])).(*types.Var); isVar && same(v) {
					closes = true
				}
			}
		}
	})
	return name, ok && !closes
}

// sameMake reports whether two variables hold channels that one make made.
func (s *search) sameMake(a, b *types.Var) bool {
	for _, x := range s.makes(a) {
		for _, y := range s.makes(b) {
			if x.call == y.call {
				return true
			}
		}
	}
	return false
}

// hasDefault is true of a select that does not wait.
func hasDefault(n ast.Node) bool {
	sel, ok := n.(*ast.SelectStmt)
	return ok && slices.ContainsFunc(sel.Body.List, func(c ast.Stmt) bool { return c.(*ast.CommClause).Comm == nil })
}
