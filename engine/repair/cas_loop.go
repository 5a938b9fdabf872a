package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// casLoop is for a value that is computed from the one loaded: it is computed again
// until nobody came in between.
func (s *search) casLoop(p pair) {
	at := statementOf(p.fn, p.store)
	if at == nil || !hasMethod(p.v.Type(), "CompareAndSwap") {
		return
	}
	r := regionOf(p.fn, p.load, at)
	if r == nil || r.list[r.to] != ast.Stmt(at) || s.effects(p.fn, r) {
		return
	}
	def, ok := r.list[r.from].(*ast.AssignStmt)
	if !ok || def.Tok != token.DEFINE {
		return
	}
	for _, st := range r.list[r.to+1:] { // names that the loop would hide
		for _, inner := range r.list[r.from : r.to+1] {
			if as, ok := inner.(*ast.AssignStmt); ok && as.Tok == token.DEFINE && usesAny(p.fn, st, as) {
				return
			}
		}
	}
	for _, e := range exitsOf(r) {
		if _, ok := e.stmt.(*ast.ReturnStmt); !ok {
			return // the new loop would catch a break or continue of the one around it
		}
	}
	title := "Repeat with " + p.text + ".CompareAndSwap until nobody came in between"
	d := s.draft()
	pad := s.Code.indent(def.Pos())
	if !s.computes(p.fn, p.value, 0) {
		s.refuse(title, "line "+itoa(s.Code.line(p.value.Pos()))+" would do "+s.Code.source(p.value)+" again each time")
		return
	}
	old := ""
	if v, alone := s.loaded(p); alone == def && !assigned(p.fn, r, v) {
		old = v.Name()
		d.Before(def, "for {")
	} else {
		old = freshName(p.fn, at, "old")
		d.Before(def, "for {", "\t"+old+" := "+s.Code.source(p.load))
		d.Replace(p.load, old)
	}
	for _, st := range r.list[r.from:r.to] {
		d.indentMore(st)
	}
	d.Replace(at, "\tif "+p.text+".CompareAndSwap("+old+", "+s.Code.source(p.value)+") {\n"+pad+"\t\tbreak\n"+pad+"\t}")
	d.After(at, "}")
	s.add(Repair{Title: title, Kind: LoopCondition, Weight: 8}, d)
}

// computes reports whether an expression or the body of a function only computes, as far as
// the sources show: done again, it changes nothing but variables of its own.
func (s *search) computes(fn function, n ast.Node, depth int) bool {
	only := true
	local := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			return false
		}
		v := fn.pkg.Info.ObjectOf(id)
		return id.Name == "_" || v != nil && n.Pos() <= v.Pos() && v.Pos() < n.End()
	}
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt:
			only = false
		case *ast.UnaryExpr:
			only = only && x.Op != token.ARROW
		case *ast.IncDecStmt:
			only = only && local(x.X)
		case *ast.AssignStmt:
			only = only && !slices.ContainsFunc(x.Lhs, func(e ast.Expr) bool { return !local(e) })
		case *ast.CallExpr:
			if isMethod(x, "Load") || fn.pkg.Info.Types[x.Fun].IsType() || isBuiltin(fn, x, "min", "max", "len", "cap") {
				break
			}
			f, known := s.bodyOfCall(fn, x)
			only = only && known && depth < maxDepth && s.computes(f, body(f.node), depth+1)
		}
		return only
	})
	return only
}

// assigned reports whether statements assign to a variable, other than where it is defined.
func assigned(fn function, r *region, v types.Object) (yes bool) {
	for _, st := range r.list[r.from : r.to+1] {
		ast.Inspect(st, func(n ast.Node) bool {
			if as, ok := n.(*ast.AssignStmt); ok {
				yes = yes || slices.ContainsFunc(as.Lhs, func(e ast.Expr) bool {
					id, ok := e.(*ast.Ident)
					return ok && fn.pkg.Info.Uses[id] == v
				})
			}
			return !yes
		})
	}
	return yes
}

// indentMore moves the lines of a statement one tab to the right.
func (d *Draft) indentMore(n ast.Node) {
	for line := d.code.line(n.Pos()); line <= d.code.line(n.End()); line++ {
		d.Insert(d.code.Fset.File(n.Pos()).LineStart(line), "\t")
	}
}

// effects reports whether statements do more than compute: calls but for the load, sends
// and assignments to what was there before them.
func (s *search) effects(fn function, r *region) (yes bool) {
	for _, st := range r.list[r.from:r.to] {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.IncDecStmt:
				yes = true
			case *ast.AssignStmt:
				yes = yes || n.Tok != token.DEFINE && slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool {
					id, ok := e.(*ast.Ident)
					v := fn.pkg.Info.ObjectOf(identOf(e))
					return !ok || v == nil || id.Name != "_" && !r.has(v.Pos())
				})
			case *ast.CallExpr:
				if !isMethod(n, "Load") && !strings.HasPrefix(s.Code.source(n.Fun), "len") && !fn.pkg.Info.Types[n.Fun].IsType() && !isBuiltin(fn, n, "min", "max", "len", "cap") {
					yes = true
				}
			}
			return !yes
		})
	}
	return yes
}

func isBuiltin(fn function, c *ast.CallExpr, names ...string) bool {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := fn.pkg.Info.Uses[id].(*types.Builtin)
	return ok && strings.Contains(" "+strings.Join(names, " ")+" ", " "+b.Name()+" ")
}

// usesAny reports whether a statement uses a name that an assignment defines.
func usesAny(fn function, st ast.Stmt, as *ast.AssignStmt) (yes bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		for _, l := range as.Lhs {
			if def, ok := l.(*ast.Ident); ok && fn.pkg.Info.Uses[id] != nil && fn.pkg.Info.Uses[id] == fn.pkg.Info.Defs[def] {
				yes = true
			}
		}
		return !yes
	})
	return yes
}
