package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
)

// widen makes places take in the other uses, in their functions, of variables that belong
// together: those beside each other that several of the functions use, and one writes.
func (s *search) widen(list []place) {
	var order []*types.Var
	used := map[*types.Var]int{}
	uses := make([]map[*types.Var][]ast.Node, len(list))
	for i, p := range list {
		uses[i] = map[*types.Var][]ast.Node{}
		inspectOwn(p.fn.node, func(n ast.Node) {
			id, ok := n.(*ast.Ident)
			if !ok {
				return
			}
			v, ok := p.fn.pkg.Info.Uses[id].(*types.Var)
			if !ok || !v.IsField() || isLock(v.Type()) {
				return
			}
			if v = v.Origin(); len(uses[i][v]) == 0 {
				if used[v]++; used[v] == 1 {
					order = append(order, v)
				}
			}
			uses[i][v] = append(uses[i][v], id)
		})
	}
	for i, p := range list {
		nodes := slices.Clone(p.nodes)
		for _, v := range order {
			if used[v] > 1 && s.mutable(v) {
				nodes = append(nodes, uses[i][v]...)
			}
		}
		if r := regionOf(p.fn, append(nodes, ast.Node(p.first()), p.last())...); r != nil {
			list[i] = place{r, p.nodes, p.known}
		}
	}
}

// mutable reports whether a field changes after its struct was made: it is assigned to,
// or is an atomic, or is handed to one of package atomic's functions.
func (s *search) mutable(v *types.Var) bool {
	if n := namedOf(v.Type()); n != nil && n.Pkg() != nil && n.Pkg().Path() == "sync/atomic" {
		return true
	}
	for _, u := range s.uses(v) {
		var path []ast.Node
		if path, _ = astutil.PathEnclosingInterval(u.fn.file, u.expr.Pos(), u.expr.End()); len(path) > 2 {
			for _, n := range path[1:min(4, len(path))] {
				if a, ok := n.(*ast.UnaryExpr); ok && a.Op == token.AND {
					return true
				}
			}
		}
	}
	return s.changes(v)
}
