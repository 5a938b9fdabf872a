package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// sends is for a goroutine that waits for ever to send: room in the channel, or a way out
// when nobody will receive.
func sends(s *search) {
	for _, st := range slices.Concat(s.blocked, s.steps) {
		if st == nil || st.Op != "send" && st.Op != "select" {
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

// room gives a channel a buffer: one place, or one for each goroutine that a loop starts.
func (s *search) room(st *Step, ch *types.Var) {
	for _, m := range s.makes(ch) {
		fn, call := m.fn, m.call
		if len(call.Args) != 1 {
			continue
		}
		for i, n := range append(s.bounds(fn, call), "1") {
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
	leave := "return"
	if results(fn.node) > 0 {
		return // what to return is not known
	}
	pad := s.Code.indent(send.Pos())
	for i, quit := range s.quits(fn, send.Pos()) {
		if quit == s.Code.source(send.Chan) || i > 2 {
			continue
		}
		d := s.draft()
		d.Replace(send, "select {\n"+pad+"case "+s.Code.source(send)+":\n"+pad+"case <-"+quit+":\n"+pad+"\t"+leave+"\n"+pad+"}")
		s.add(Repair{Title: "Give up sending on " + s.Code.source(send.Chan) + " when " + quit + " ends", Kind: Other, Weight: 7 + i,
			Tells: []string{"what was to be sent on " + s.Code.source(send.Chan) + " is dropped then"}}, d)
	}
}

// results is how many results a function has.
func results(fn ast.Node) int {
	var t *ast.FuncType
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		t = fn.Type
	case *ast.FuncLit:
		t = fn.Type
	}
	if t == nil || t.Results == nil {
		return 0
	}
	return t.Results.NumFields()
}
