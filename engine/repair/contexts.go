package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// contexts is for a goroutine that waits for a context which nobody cancels: the function
// that makes it cancels it when it returns.
func contexts(s *search) {
	if !slices.ContainsFunc(s.blocked, func(st *Step) bool { return st != nil && waitsForContext(st) }) {
		return
	}
	near := map[string]bool{} // files of the cause and of who waits
	for _, st := range slices.Concat(s.steps, s.blocked) {
		if st != nil {
			near[s.Code.name(st.At())] = true
		}
	}
	for _, fn := range s.functions() {
		if !near[s.Code.name(fn.node.Pos())] {
			continue
		}
		inspectOwn(fn.node, func(n ast.Node) {
			as, ok := n.(*ast.AssignStmt)
			if !ok || as.Tok != token.DEFINE || len(as.Lhs) != 2 || len(as.Rhs) != 1 {
				return
			}
			call, ok := as.Rhs[0].(*ast.CallExpr)
			if !ok {
				return
			}
			callee := s.callee(fn.pkg.Info, call)
			if callee == nil || callee.Pkg() == nil || callee.Pkg().Path() != "context" {
				return
			}
			s.cancelAtReturn(fn, as)
		})
	}
}

// waitsForContext reports whether a step receives from Done of a context.
func waitsForContext(st *Step) (yes bool) {
	for _, n := range st.Path[:min(3, len(st.Path))] {
		ast.Inspect(n, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && isMethod(c, "Done") && isContext(st.Pkg.Info.TypeOf(c.Fun.(*ast.SelectorExpr).X)) {
				yes = true
			}
			return !yes
		})
	}
	return yes
}

// cancelAtReturn defers the cancel of a context that the function keeps for itself and
// for those that it calls.
func (s *search) cancelAtReturn(fn function, as *ast.AssignStmt) {
	ctx, ok := as.Lhs[0].(*ast.Ident)
	cancel, ok2 := as.Lhs[1].(*ast.Ident)
	if !ok || !ok2 || !s.Code.alone(as) {
		return
	}
	v := fn.pkg.Info.Defs[ctx]
	escapes := false
	inspectOwn(fn.node, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			for _, e := range n.Results {
				escapes = escapes || names(fn, e, v)
			}
		case *ast.AssignStmt:
			for i, r := range n.Rhs {
				if id, ok := ast.Unparen(r).(*ast.Ident); ok && fn.pkg.Info.Uses[id] == v && i < len(n.Lhs) {
					if _, local := n.Lhs[i].(*ast.Ident); !local {
						escapes = true
					}
				}
			}
		}
	})
	if escapes {
		return
	}
	d := s.draft()
	name := cancel.Name
	if name == "_" {
		name = freshName(fn, as, "cancel")
		d.Replace(cancel, name)
	} else if o := fn.pkg.Info.Defs[cancel]; o == nil || called(fn, o) {
		return
	}
	d.After(as, "defer "+name+"()")
	s.add(Repair{Title: "Cancel " + contextName(ctx) + " when " + nameOf(fn) + " returns", Kind: Other, Weight: 5}, d)
}

// names reports whether a node uses an object.
func names(fn function, e ast.Node, o types.Object) (yes bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && o != nil && fn.pkg.Info.Uses[id] == o {
			yes = true
		}
		return !yes
	})
	return yes
}

// called reports whether a function defers a call of what an object holds.
func called(fn function, o types.Object) (yes bool) {
	inspectOwn(fn.node, func(n ast.Node) {
		if d, ok := n.(*ast.DeferStmt); ok {
			if id, ok := d.Call.Fun.(*ast.Ident); ok && fn.pkg.Info.Uses[id] == o {
				yes = true
			}
		}
	})
	return yes
}

func contextName(id *ast.Ident) string {
	if id.Name == "_" {
		return "the context"
	}
	return id.Name
}
