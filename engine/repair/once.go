package repair

import (
	"go/ast"
	"go/types"
	"slices"
)

// closeOnce proposes a sync.Once around a close that two goroutines do.
func closeOnce(s *search) {
	seen := map[ast.Node]bool{}
	closes := 0
	for _, st := range s.steps {
		if st != nil && st.Op == "close" {
			closes++
		}
	}
	if closes < 2 {
		return
	}
	for _, st := range s.steps {
		if st == nil || st.Op != "close" || seen[st.Path[0]] {
			continue
		}
		seen[st.Path[0]] = true
		if !s.allOnce(st) {
			s.proposeOnce(st)
		}
	}
}

// proposeOnce wraps a close in the Do of a new Once beside the channel.
func (s *search) proposeOnce(st *Step) {
	call, ok := st.Path[0].(*ast.CallExpr)
	v, ok2 := st.Obj.(*types.Var)
	if !ok || !ok2 {
		return
	}
	fn := function{st.Pkg, st.File, st.Fn}
	at := statementOf(fn, call)
	if at == nil {
		if len(st.Path) > 1 {
			if d, ok := st.Path[1].(*ast.DeferStmt); ok && d.Call == call {
				s.onceDeferred(st, d, v)
			}
		}
		return
	}
	d := s.draft()
	text, ok := s.newOnce(d, st, v)
	if !ok {
		return
	}
	d.Replace(at, text+".Do(func() { "+s.Code.source(call)+" })")
	s.add(Repair{Title: "Close " + s.Code.source(call.Args[0]) + " once, with " + text + ", a new sync.Once", Kind: Other, Weight: 15}, d)
}

// allOnce wraps, with the close, what the goroutine does before it in the same list after
// it looked whether the channel is closed, and reports whether these write anything: then
// the close alone is not what is to be done once.
func (s *search) allOnce(st *Step) bool {
	fn := function{st.Pkg, st.File, st.Fn}
	v, ok := st.Obj.(*types.Var)
	where, found := inList(fn, st.Path[0])
	if !ok || !found {
		return false
	}
	from := -1
	for _, other := range s.steps[:st.Index] {
		if other == nil || other.Goroutine != st.Goroutine || other.Fn != st.Fn || other.Obj != st.Obj {
			continue
		}
		if i := indexAt(where.list, other.At()); i >= 0 && i < where.i {
			from = i + 1
		}
	}
	if from < 0 || from == where.i || slices.ContainsFunc(where.list[from:where.i+1], leavesList) {
		return false
	}
	d := s.draft()
	text, ok := s.newOnce(d, st, v)
	if !ok {
		return false
	}
	d.Before(where.list[from], text+".Do(func() {")
	for _, inner := range where.list[from : where.i+1] {
		d.indentMore(inner)
	}
	d.After(where.stmt(), "})")
	s.add(Repair{Title: "Do lines " + itoa(s.Code.line(where.list[from].Pos())) + "-" + itoa(s.Code.line(where.stmt().End())) + " once, with " + text + ", a new sync.Once", Kind: Other, Weight: 14}, d)
	return slices.ContainsFunc(where.list[from:where.i], writesShared)
}

// writesShared reports whether a statement sets more than variables of its function.
func writesShared(st ast.Stmt) (yes bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		var set []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			set = n.Lhs
		case *ast.IncDecStmt:
			set = []ast.Expr{n.X}
		}
		yes = yes || slices.ContainsFunc(set, func(e ast.Expr) bool { _, local := ast.Unparen(e).(*ast.Ident); return !local })
		return !yes
	})
	return yes
}

func (s *search) onceDeferred(st *Step, at *ast.DeferStmt, v *types.Var) {
	d := s.draft()
	text, ok := s.newOnce(d, st, v)
	if !ok {
		return
	}
	d.Replace(at.Call, text+".Do(func() { "+s.Code.source(at.Call)+" })")
	s.add(Repair{Title: "Close " + s.Code.source(at.Call.Args[0]) + " once, with " + text + ", a new sync.Once", Kind: Other, Weight: 15}, d)
}

// newOnce adds a Once beside a channel and returns how it is written at a step.
func (s *search) newOnce(d *Draft, st *Step, v *types.Var) (string, bool) {
	once := s.newBeside(d, []*types.Var{v.Origin()}, "Once", "closeOnce")
	if once == nil {
		return "", false
	}
	r := regionOf(function{st.Pkg, st.File, st.Fn}, st.Path[0])
	if r == nil {
		return "", false
	}
	return s.lockText(place{r, []ast.Node{st.Path[0]}, true}, once)
}
