package repair

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

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
