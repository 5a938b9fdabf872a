package repair

import (
	"go/ast"
	"go/token"
	"slices"
)

// checkedAdd is for an atomic counter that is looked at, and then added to if a condition
// let the goroutine go on: `if x.Load() == 0 { return false }; x.Add(1)`. Both become a
// loop of CompareAndSwap, so that the condition holds when it is counted.
func (s *search) checkedAdd() {
	for _, t := range s.tears(true) {
		for i, a := range t.steps {
			for _, b := range t.steps[i+1:] {
				load, ok := a.Path[0].(*ast.CallExpr)
				add, ok2 := b.Path[0].(*ast.CallExpr)
				if !ok || !ok2 || a.Op != "load" || b.Op != "add" || a.Obj == nil || a.Obj != b.Obj || a.Fn != b.Fn || a.Root == nil ||
					!isMethod(load, "Load") || !isMethod(add, "Add") || len(add.Args) != 1 || s.Code.source(a.Root) != s.Code.source(b.Root) {
					continue
				}
				s.countChecked(function{a.Pkg, a.File, a.Fn}, load, add, s.Code.source(a.Root))
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
	if !ok || check.Init != nil || check.Else != nil || load.Pos() < check.Cond.Pos() || check.Cond.End() < load.End() ||
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
	sum := n + " + " + s.Code.source(add.Args[0])
	switch delta := ast.Unparen(add.Args[0]).(type) {
	case *ast.UnaryExpr:
		if delta.Op == token.SUB {
			sum = n + " - " + s.Code.source(delta.X)
		}
	case *ast.BinaryExpr: // which may bind as weakly as the sum
		sum = n + " + (" + s.Code.source(delta) + ")"
	}
	d.Replace(at, "\tif "+counter+".CompareAndSwap("+n+", "+sum+") {\n"+pad+"\t\tbreak\n"+pad+"\t}")
	d.After(at, "}")
	s.add(Repair{Title: "Count in " + counter + " by CompareAndSwap, as long as line " + itoa(s.Code.line(check.Pos())) + " lets it", Kind: LoopCondition, Weight: 7}, d)
}
