package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// at is a statement in its list.
type at struct {
	list []ast.Stmt
	i    int
}

func (a at) stmt() ast.Stmt { return a.list[a.i] }

// inList finds the statement of a function's lists that holds a node: the innermost.
func inList(fn function, n ast.Node) (found at, ok bool) {
	lists(fn.node, func(list []ast.Stmt) {
		if i := indexAt(list, n.Pos()); i >= 0 {
			found, ok = at{list, i}, true
		}
	})
	return found, ok
}

// moveAfter moves a whole statement, with the comments right above it, below another one.
func (d *Draft) moveAfter(st, below ast.Stmt) {
	text := d.code.linesOf(st)
	d.removeLines(st)
	d.insertAfterLine(below, text)
}

// moveBefore moves a whole statement above another one.
func (d *Draft) moveBefore(st, above ast.Stmt) {
	text := d.code.linesOf(st)
	d.removeLines(st)
	d.insertBeforeLine(above, text)
}

// linesOf are the whole lines of a statement and of the comments right above it.
func (c *Code) linesOf(st ast.Stmt) string {
	t := c.Text(c.name(st.Pos()))
	from, to := c.lineStart(c.withComments(st)), c.lineEnd(st.End())
	return strings.ReplaceAll(string(t[from:to]), "\r\n", "\n") + "\n"
}

func (d *Draft) removeLines(st ast.Stmt) {
	d.removeFrom(d.code.withComments(st), st.End())
}

// alone reports whether a statement has its lines for itself.
func (c *Code) alone(st ast.Stmt) bool {
	t := c.Text(c.name(st.Pos()))
	before := strings.TrimSpace(string(t[c.lineStart(st.Pos()):c.offset(st.Pos())]))
	after := strings.TrimSpace(string(t[c.offset(st.End()):c.lineEnd(st.End())]))
	return before == "" && (after == "" || strings.HasPrefix(after, "//"))
}

// uses reports whether a node uses an object that a statement defines.
func usesDefined(info *types.Info, n ast.Node, def ast.Stmt) (yes bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := info.Uses[id]; o != nil && def.Pos() <= o.Pos() && o.Pos() < def.End() {
				yes = true
			}
		}
		return !yes
	})
	return yes
}

// movable reports whether a statement can change places with those between it and
// another one of its list: none of them uses what another defines.
func (s *search) movable(fn function, list []ast.Stmt, from, to int) bool {
	st := list[from]
	last := from == len(list)-1 && results(fn) > 0 && slices.Equal(list, body(fn.node).List)
	if !s.Code.alone(st) || to < from && (ends(st) || last) {
		return false // what follows would never run
	}
	lo, hi := min(from, to), max(from, to)
	for i := lo; i <= hi; i++ {
		if i == from {
			continue
		}
		if usesDefined(fn.pkg.Info, list[i], st) && from < i || usesDefined(fn.pkg.Info, st, list[i]) && i < from {
			return false
		}
		if leavesList(list[i]) {
			return false
		}
	}
	return true
}

// leavesList reports whether a statement may leave the list it is in.
func leavesList(st ast.Stmt) bool {
	var all []exit
	exitsIn(st, exit{at: -1}, 0, 0, &all)
	return len(all) > 0
}

// visibleVars are the variables that can be named at a place, the nearest first, and the
// fields of the receiver.
func (s *search) visibleVars(fn function, pos token.Pos) (vars []*types.Var) {
	for scope := fn.pkg.Types.Scope().Innermost(pos); scope != nil && scope != types.Universe; scope = scope.Parent() {
		names := scope.Names()
		slices.Sort(names)
		for _, name := range names {
			v, ok := scope.Lookup(name).(*types.Var)
			if !ok || scope != fn.pkg.Types.Scope() && v.Pos() > pos {
				continue
			}
			if scope == fn.pkg.Types.Scope() && s.Code.name(v.Pos()) != s.Code.name(pos) {
				continue // of other parts of the package, which know nothing of this
			}
			vars = append(vars, v)
		}
	}
	return vars
}

// quits are expressions that can be received from when the goroutine should end: Done of
// a context, or a chan struct{} that something closes, by name or as a field of a
// variable that is there.
func (s *search) quits(fn function, pos token.Pos) (list []string) {
	add := func(text string, t types.Type) {
		switch {
		case isContext(t):
			list = append(list, text+".Done()")
		case isSignal(t):
			list = append(list, text)
		}
	}
	for _, v := range s.visibleVars(fn, pos) {
		add(v.Name(), v.Type())
		t := v.Type()
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		if st, ok := t.Underlying().(*types.Struct); ok && v.Pkg() == fn.pkg.Types {
			for i := range st.NumFields() {
				if f := st.Field(i); f.Pkg() == fn.pkg.Types {
					add(v.Name()+"."+f.Name(), f.Type())
				}
			}
		}
	}
	return list
}

func isContext(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context" && n.Obj().Name() == "Context"
}

// isSignal reports whether a type is a channel of struct{}.
func isSignal(t types.Type) bool {
	c, ok := t.Underlying().(*types.Chan)
	if !ok || c.Dir() == types.SendOnly {
		return false
	}
	st, ok := c.Elem().Underlying().(*types.Struct)
	return ok && st.NumFields() == 0
}

// isSync reports whether a type, or what it points to, is one of package sync's.
func isSync(t types.Type, name string) bool {
	if t == nil {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync" && n.Obj().Name() == name
}

// methodOn is a call of a method of a type of package sync: what it is called on.
func methodOn(info *types.Info, n ast.Node, typ string, names ...string) (on ast.Expr, call *ast.CallExpr) {
	switch x := n.(type) {
	case *ast.ExprStmt:
		return methodOn(info, x.X, typ, names...)
	case *ast.DeferStmt:
		return methodOn(info, x.Call, typ, names...)
	case *ast.CallExpr:
		sel, ok := x.Fun.(*ast.SelectorExpr)
		if ok && slices.Contains(names, sel.Sel.Name) && isSync(info.TypeOf(sel.X), typ) {
			return sel.X, x
		}
	}
	return nil, nil
}
