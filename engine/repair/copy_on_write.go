package repair

import (
	"go/ast"
	"go/types"
	"slices"
)

// copyOnWrite is for a struct behind a pointer that a function hands out from a critical
// section, and that others change there: those who got it read it without the lock. Who
// changes it changes a copy, and puts that in its place.
func copyOnWrite(s *search) {
	done := map[*types.Var]bool{}
	for _, v := range s.varsOf([]tear{{steps: s.known()}}) {
		tn, st := structOf(v)
		if tn == nil || hasLock(st) {
			continue
		}
		for _, fn := range s.functions() {
			inspectOwn(fn.node, func(n ast.Node) {
				ret, ok := n.(*ast.ReturnStmt)
				if !ok || len(ret.Results) != 1 || !isPointerTo(fn.pkg.Info.TypeOf(ret.Results[0]), tn) {
					return
				}
				sel, ok := ast.Unparen(ret.Results[0]).(*ast.SelectorExpr)
				sec := s.sectionAt(fn, ret.Pos())
				if !ok || sec == nil {
					return
				}
				if holder, ok := fn.pkg.Info.Uses[sel.Sel].(*types.Var); ok && holder.IsField() && !done[holder.Origin()] {
					done[holder.Origin()] = true
					s.changeCopies(holder.Origin(), sec.obj, st)
				}
			})
		}
	}
}

// changedIn are statements of a section that change fields of what a pointer points to, from
// the first to the last.
type changedIn struct {
	fn       function
	sec      *section
	base     string // the pointer as it is written
	from, to int    // in the section's list
}

// changeCopies changes copies wherever fields of the struct that a holder points to are
// changed with its lock held; it can't if they are changed elsewhere, too.
func (s *search) changeCopies(holder, lock *types.Var, st *types.Struct) {
	var all []*changedIn
	for i := range st.NumFields() {
		for _, u := range s.uses(st.Field(i)) {
			if !written(u) || s.isOwned(u) {
				continue
			}
			base, ok := ast.Unparen(u.base).(*ast.SelectorExpr)
			sec := s.sectionAt(u.fn, u.id.Pos())
			if !ok || sec == nil || sec.read || sec.obj != lock || !plainPath(base) {
				return
			}
			v, ok := u.fn.pkg.Info.Uses[base.Sel].(*types.Var)
			at := indexAt(sec.list, u.id.Pos())
			if !ok || v.Origin() != holder || at < 0 {
				return
			}
			text := s.Code.source(base)
			k := slices.IndexFunc(all, func(c *changedIn) bool { return c.sec == sec && c.base == text })
			if k < 0 {
				all = append(all, &changedIn{u.fn, sec, text, at, at})
				continue
			}
			all[k].from, all[k].to = min(all[k].from, at), max(all[k].to, at)
		}
	}
	if len(all) == 0 {
		return
	}
	d := s.draft()
	for _, c := range all {
		if slices.ContainsFunc(c.sec.list[c.from:c.to+1], leavesList) {
			return
		}
		s.changeCopy(d, c, st)
	}
	s.add(Repair{Title: "Change a copy of *" + all[0].base + ", and put it in its place", Kind: Other, Weight: 6,
		Tells: []string{"who got " + all[0].base + " earlier does not see later changes of it"}}, d)
}

func (s *search) changeCopy(d *Draft, c *changedIn, st *types.Struct) {
	list := c.sec.list[c.from : c.to+1]
	name := freshName(c.fn, list[0], "next")
	lines := []string{name + " := *" + c.base}
	for i := range st.NumFields() {
		f := st.Field(i)
		switch f.Type().Underlying().(type) {
		case *types.Slice, *types.Map:
			if slices.ContainsFunc(list, func(x ast.Stmt) bool { return names(c.fn, x, f) }) {
				lines = append(lines, name+"."+f.Name()+" = "+s.cloned(d, c.fn.file, list[0].Pos(), f.Type(), name+"."+f.Name()))
			}
		}
	}
	for _, x := range list {
		ast.Inspect(x, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if ok && s.Code.source(sel.X) == c.base {
				d.Replace(sel.X, name)
				return false
			}
			return true
		})
	}
	d.Before(list[0], lines...)
	d.After(list[len(list)-1], c.base+" = &"+name)
}

// written reports whether a use of a field is assigned to, or what it refers to is changed.
func written(u use) (yes bool) {
	inspectOwn(u.fn.node, func(n ast.Node) {
		var targets []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			targets = n.Lhs
		case *ast.IncDecStmt:
			targets = []ast.Expr{n.X}
		case *ast.CallExpr:
			if isBuiltin(u.fn, n, "delete", "clear") {
				targets = n.Args[:1]
			}
		}
		for _, t := range targets {
			for {
				t = ast.Unparen(t)
				yes = yes || t == u.expr
				if x, ok := t.(*ast.IndexExpr); ok {
					t = x.X
				} else if x, ok := t.(*ast.SelectorExpr); ok {
					t = x.X
				} else {
					break
				}
			}
		}
	})
	return yes
}
