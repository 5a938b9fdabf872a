package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// copies is for slices and maps that two goroutines share although each should have its
// own: what is returned, sent, stored or appended to is a copy.
func copies(s *search) {
	if s.Finding.Kind == "deadlock" || s.Finding.Kind == "leak" {
		return // nobody waits for a copy
	}
	vars := s.varsOf([]tear{{steps: s.known()}})
	for _, v := range vars {
		switch v.Type().Underlying().(type) {
		case *types.Slice, *types.Map:
			s.copyOut(v)
			s.copyTaken(v)
		}
		if v.IsField() && !isLock(v.Type()) {
			s.copyOwner(v)
		}
	}
	s.copyIn()
}

// known are the steps whose places are known.
func (s *search) known() (list []*Step) {
	for _, st := range s.steps {
		if st != nil {
			list = append(list, st)
		}
	}
	return list
}

// copyOut copies a field where a function returns it, and where append may write into the
// array that others share.
func (s *search) copyOut(v *types.Var) {
	for _, fn := range s.functions() {
		inspectOwn(fn.node, func(n ast.Node) {
			switch n := n.(type) {
			case *ast.ReturnStmt:
				for _, e := range n.Results {
					if s.isVar(fn, e, v) {
						s.cloneAt(fn, e, "Return")
					}
				}
			case *ast.CallExpr:
				if isBuiltin(fn, n, "append") && len(n.Args) > 1 && s.isVar(fn, n.Args[0], v) && !s.assignsTo(fn, n, v) {
					s.clip(fn, n.Args[0])
				}
			}
		})
	}
}

// copyTaken copies a field that a function takes out of a critical section and uses after
// that, while others go on with the field.
func (s *search) copyTaken(v *types.Var) {
	for _, fn := range s.functions() {
		inspectOwn(fn.node, func(n ast.Node) {
			as, ok := n.(*ast.AssignStmt)
			if !ok || as.Tok != token.DEFINE || len(as.Lhs) != len(as.Rhs) {
				return
			}
			sec := s.sectionAt(fn, as.Pos())
			if sec == nil || sec.deferred != nil {
				return
			}
			for i, e := range as.Rhs {
				if o := fn.pkg.Info.ObjectOf(identOf(as.Lhs[i])); o != nil && s.isVar(fn, e, v) && usedAfter(fn, o, sec.to) && !writtenThrough(fn, o) {
					s.cloneAt(fn, e, "Take")
				}
			}
		})
	}
}

// writtenThrough reports whether a function sets, deletes or clears elements by a variable:
// those of a copy would be lost.
func writtenThrough(fn function, o types.Object) (yes bool) {
	of := func(e ast.Expr) bool {
		x, ok := ast.Unparen(e).(*ast.IndexExpr)
		return ok && rootIdent(x) != nil && fn.pkg.Info.ObjectOf(rootIdent(x)) == o
	}
	inspectAll(fn.node, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			yes = yes || slices.ContainsFunc(n.Lhs, of)
		case *ast.IncDecStmt:
			yes = yes || of(n.X)
		case *ast.CallExpr:
			if isBuiltin(fn, n, "delete", "clear", "copy") && len(n.Args) > 0 {
				root := rootIdent(n.Args[0])
				yes = yes || root != nil && fn.pkg.Info.ObjectOf(root) == o
			}
		}
	})
	return yes
}

// usedAfter reports whether a function uses a variable after a position.
func usedAfter(fn function, o types.Object, p token.Pos) (yes bool) {
	inspectAll(fn.node, func(n ast.Node) {
		if id, ok := n.(*ast.Ident); ok && id.Pos() > p && fn.pkg.Info.Uses[id] == o {
			yes = true
		}
	})
	return yes
}

// copyOwner copies the struct of a field where a function returns it, or a pointer to it,
// out of a critical section: those who got it read it without the lock. Slices and maps of
// the struct are copied too; a struct that is returned is a copy but for them.
func (s *search) copyOwner(v *types.Var) {
	tn, st := structOf(v)
	if tn == nil || hasLock(st) {
		return
	}
	for _, fn := range s.functions() {
		inspectOwn(fn.node, func(n ast.Node) {
			ret, ok := n.(*ast.ReturnStmt)
			if !ok || len(ret.Results) != 1 || s.sectionAt(fn, ret.Pos()) == nil {
				return
			}
			e := ast.Unparen(ret.Results[0])
			sel, ok := e.(*ast.SelectorExpr)
			if !ok || !plainPath(sel) {
				return
			}
			switch t := fn.pkg.Info.TypeOf(sel); {
			case isPointerTo(t, tn):
				s.returnCopy(fn, ret, sel, st, true)
			case t != nil && isOf(t, tn):
				s.returnCopy(fn, ret, sel, st, false)
			}
		})
	}
}

// returnCopy returns a copy of a struct, or of what a pointer points to.
func (s *search) returnCopy(fn function, ret *ast.ReturnStmt, sel *ast.SelectorExpr, st *types.Struct, pointer bool) {
	d := s.draft()
	src, pad := s.Code.source(sel), s.Code.indent(ret.Pos())
	name := unused("c", sel.Sel.Name, func(n string) bool {
		scope := fn.pkg.Types.Scope().Innermost(ret.Pos())
		if scope == nil {
			return false
		}
		_, o := scope.LookupParent(n, ret.Pos())
		return o != nil
	})
	clones := s.clones(d, fn.file, ret.Pos(), name, st)
	if !pointer && len(clones) == 0 {
		return
	}
	what, lines := src, []string{name + " := " + src}
	result := name
	if pointer {
		what, result = "*"+src, "&"+name
		lines = []string{"if " + src + " == nil {", "\treturn nil", "}", name + " := *" + src}
	}
	d.Replace(ret, strings.Join(append(append(lines, clones...), "return "+result), "\n"+pad))
	s.add(Repair{Title: "Return a copy of " + what + " at line " + itoa(s.Code.line(ret.Pos())), Kind: Other, Weight: 7,
		Tells: []string{"who gets " + src + " does not see later changes of it, and can't change it"}}, d)
}

// clones are assignments that give the variable of a struct its own slices and maps.
func (s *search) clones(d *Draft, file *ast.File, at token.Pos, name string, st *types.Struct) (lines []string) {
	for i := range st.NumFields() {
		t := st.Field(i).Type()
		switch t.Underlying().(type) {
		case *types.Slice, *types.Map:
			f := name + "." + st.Field(i).Name()
			lines = append(lines, f+" = "+s.cloned(d, file, at, t, f))
		}
	}
	return lines
}

func isPointerTo(t types.Type, tn *types.TypeName) bool {
	if t == nil {
		return false
	}
	p, ok := t.Underlying().(*types.Pointer)
	return ok && isOf(p.Elem(), tn)
}

// hasLock reports whether a struct can't be copied, since a value of package sync or
// sync/atomic is in it.
func hasLock(st *types.Struct) bool {
	for i := range st.NumFields() {
		switch t := types.Unalias(st.Field(i).Type()).(type) {
		case *types.Named:
			if p := t.Obj().Pkg(); p != nil && (p.Path() == "sync" || p.Path() == "sync/atomic") {
				return true
			}
			if inner, ok := t.Underlying().(*types.Struct); ok && hasLock(inner) {
				return true
			}
		case *types.Struct:
			if hasLock(t) {
				return true
			}
		case *types.Array:
			if n, ok := types.Unalias(t.Elem()).(*types.Named); ok {
				if inner, ok := n.Underlying().(*types.Struct); ok && hasLock(inner) {
					return true
				}
			}
		}
	}
	return false
}

func (s *search) isVar(fn function, e ast.Expr, v *types.Var) bool {
	switch ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return false
	}
	o, ok := fn.pkg.Info.ObjectOf(identOf(e)).(*types.Var)
	return ok && o.Origin() == v.Origin()
}

// assignsTo reports whether the result of a call is put back into the variable.
func (s *search) assignsTo(fn function, call *ast.CallExpr, v *types.Var) (yes bool) {
	inspectOwn(fn.node, func(n ast.Node) {
		if as, ok := n.(*ast.AssignStmt); ok {
			for i, r := range as.Rhs {
				if ast.Unparen(r) == call && i < len(as.Lhs) && s.isVar(fn, as.Lhs[i], v) {
					yes = true
				}
			}
		}
	})
	return yes
}

// cloneAt makes an expression a copy.
func (s *search) cloneAt(fn function, e ast.Expr, what string) {
	t := fn.pkg.Info.TypeOf(e)
	if t == nil {
		return
	}
	switch t.Underlying().(type) {
	case *types.Slice, *types.Map:
	default:
		return
	}
	d := s.draft()
	d.Replace(e, s.cloned(d, fn.file, e.Pos(), t, s.Code.source(e)))
	s.add(Repair{Title: what + " a copy of " + s.Code.source(e) + " at line " + itoa(s.Code.line(e.Pos())), Kind: Other, Weight: 6}, d)
}

// clip makes append copy, by a slice without room.
func (s *search) clip(fn function, e ast.Expr) {
	d := s.draft()
	src := s.Code.source(e)
	if s.since(fn.file, "go1.21") {
		d.Replace(e, s.imported(d, fn.file, e.Pos(), "slices")+".Clip("+src+")")
	} else {
		d.Replace(e, src+"[:len("+src+"):len("+src+")]")
	}
	s.add(Repair{Title: "Append to " + src + " in an array of its own, at line " + itoa(s.Code.line(e.Pos())), Kind: Other, Weight: 4}, d)
}

// copyIn copies a local slice or map where it is handed to another goroutine: sent,
// stored, or passed to a go statement, in the functions of the root cause.
func (s *search) copyIn() {
	seen := map[ast.Node]bool{}
	for _, st := range s.known() {
		for f := st; f != nil; f = f.Caller {
			if seen[f.Fn] {
				continue
			}
			seen[f.Fn] = true
			fn := function{f.Pkg, f.File, f.Fn}
			inspectOwn(f.Fn, func(n ast.Node) {
				switch n := n.(type) {
				case *ast.SendStmt:
					if s.shared(fn, n.Value) {
						s.cloneAt(fn, n.Value, "Send")
					}
				case *ast.AssignStmt:
					if n.Tok != token.ASSIGN || len(n.Lhs) != len(n.Rhs) {
						return
					}
					for i, r := range n.Rhs {
						if _, field := n.Lhs[i].(*ast.SelectorExpr); field && s.shared(fn, r) {
							s.cloneAt(fn, r, "Store")
						}
						if _, entry := n.Lhs[i].(*ast.IndexExpr); entry && s.shared(fn, r) {
							s.cloneAt(fn, r, "Store")
						}
					}
				case *ast.GoStmt:
					for _, a := range n.Call.Args {
						if s.shared(fn, a) {
							s.cloneAt(fn, a, "Pass")
						}
					}
				}
			})
		}
	}
}

// shared reports whether an expression names a slice or map of the root cause, or one in
// a function of it.
func (s *search) shared(fn function, e ast.Expr) bool {
	if !plainPath(ast.Unparen(e)) {
		return false
	}
	switch typ := fn.pkg.Info.TypeOf(e); {
	case typ == nil:
		return false
	default:
		switch typ.Underlying().(type) {
		case *types.Slice, *types.Map:
		default:
			return false
		}
	}
	o, ok := fn.pkg.Info.ObjectOf(identOf(e)).(*types.Var)
	return ok && slices.ContainsFunc(s.known(), func(st *Step) bool {
		v, isVar := st.Obj.(*types.Var)
		return isVar && v.Origin() == o.Origin() || st.Fn == fn.node
	})
}
