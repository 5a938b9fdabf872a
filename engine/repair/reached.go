package repair

import (
	"go/ast"
	"go/types"
)

// leadsTo reports whether a statement may come to a function: by the names of what it
// calls, of methods whatever their receiver, so that calls through interfaces count.
func (s *search) leadsTo(fn function, st ast.Stmt, target ast.Node) bool {
	seen := map[string]bool{}
	var follow func(in function, n ast.Node) bool
	follow = func(in function, n ast.Node) (yes bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			if yes {
				return false
			}
			switch n := n.(type) {
			case *ast.GoStmt:
				return false
			case *ast.FuncLit:
				if ast.Node(n) == target {
					yes = true
				}
			case *ast.CallExpr:
				callee := s.callee(in.pkg.Info, n)
				if callee == nil || seen[callee.Name()] {
					return true
				}
				seen[callee.Name()] = true
				for _, f := range s.named(callee) {
					if f.node == target || follow(f, body(f.node)) {
						yes = true
					}
				}
			}
			return !yes
		})
		return yes
	}
	return follow(fn, st)
}

// named are the functions that a call of one may run.
func (s *search) named(fn *types.Func) (list []function) {
	recv := fn.Signature().Recv()
	for _, f := range s.functions() {
		d := declared(f)
		if d == nil || d.Name() != fn.Name() {
			continue
		}
		if d == fn || recv != nil && d.Signature().Recv() != nil && types.IsInterface(recv.Type()) {
			list = append(list, f)
		}
	}
	return list
}
