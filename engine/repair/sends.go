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
