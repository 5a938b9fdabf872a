package repair

import (
	"go/ast"
	"go/types"
)

// callSite is a call of a declared function.
type callSite struct {
	fn   function
	call *ast.CallExpr
}

// callees are the declared functions that a call may run: the one named, or, of an
// interface's method, those of the packages' types.
func (s *search) callee(pkg *types.Info, call *ast.CallExpr) *types.Func {
	id := identOf(call.Fun)
	if id == nil {
		return nil
	}
	fn, _ := pkg.Uses[id].(*types.Func)
	if fn == nil {
		return nil
	}
	return fn.Origin()
}

// callers are the places where a declared function is called, also through an
// interface that its receiver implements.
func (s *search) callers(fn *types.Func) (sites []callSite) {
	if s.called == nil {
		s.called = map[*types.Func][]callSite{}
		for _, f := range s.functions() {
			later := laterCalls(f.node)
			inspectOwn(f.node, func(n ast.Node) {
				if call, ok := n.(*ast.CallExpr); ok && !later[call] {
					if callee := s.callee(f.pkg.Info, call); callee != nil {
						s.called[callee] = append(s.called[callee], callSite{f, call})
					}
				}
			})
		}
	}
	sites = append(sites, s.called[fn]...)
	if fn.Signature().Recv() == nil {
		return sites
	}
	for _, f := range s.functions() { // in the order of the sources
		inspectOwn(f.node, func(n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return
			}
			m := s.callee(f.pkg.Info, call)
			if m != nil && m.Name() == fn.Name() && isMethodOf(m, fn) {
				sites = append(sites, callSite{f, call})
			}
		})
	}
	return sites
}

// declared is the object of a declared function.
func declared(f function) *types.Func {
	d, ok := f.node.(*ast.FuncDecl)
	if !ok {
		return nil
	}
	fn, _ := f.pkg.Info.Defs[d.Name].(*types.Func)
	return fn
}

// laterCalls are the calls of go and defer statements: what they run is not done where
// they stand.
func laterCalls(fn ast.Node) map[*ast.CallExpr]bool {
	all := map[*ast.CallExpr]bool{}
	inspectOwn(fn, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.GoStmt:
			all[n.Call] = true
		case *ast.DeferStmt:
			all[n.Call] = true
		}
	})
	return all
}

// bodyOf is the declaration of a function, false if it is not in the packages.
func (s *search) bodyOf(fn *types.Func) (function, bool) {
	for _, f := range s.functions() {
		if d := declared(f); d != nil && d == fn {
			return f, true
		}
	}
	return function{}, false
}

// bodiesOf are the declarations that a call of a function may run: its own, or, of an
// interface's method, those of the types that have it.
func (s *search) bodiesOf(fn *types.Func) (all []function) {
	if f, ok := s.bodyOf(fn); ok {
		return []function{f}
	}
	for _, f := range s.functions() {
		if d := declared(f); d != nil && d.Name() == fn.Name() && isMethodOf(fn, d) {
			all = append(all, f)
		}
	}
	return all
}

// isMethodOf reports whether an interface's method may stand for a declared one.
func isMethodOf(m, fn *types.Func) bool {
	own, recv := m.Signature().Recv(), fn.Signature().Recv()
	if own == nil || recv == nil {
		return false
	}
	it, ok := own.Type().Underlying().(*types.Interface)
	return ok && (types.Implements(recv.Type(), it) || types.Implements(types.NewPointer(recv.Type()), it))
}

// via is a node of a function through which a step goes: the access itself, or a call
// on the way to it.
type via struct {
	fn   function
	node ast.Node
	// known: the finding names it; else it is one of the calls that the sources have.
	known bool
}

// ways are the nodes through which a step goes, the innermost first: its own, its
// caller's, and up to two levels of the calls that the sources have.
func (s *search) ways(st *Step) (all []via) {
	var last function
	for f := st; f != nil; f = f.Caller {
		last = function{f.Pkg, f.File, f.Fn}
		all = append(all, via{last, f.Path[0], true})
	}
	level := []function{last}
	for range 2 {
		var next []function
		for _, f := range level {
			for _, c := range s.outside(f) {
				if c.fn.node == f.node {
					continue // calls itself, maybe on another value
				}
				all = append(all, via{c.fn, c.call, false})
				next = append(next, c.fn)
			}
		}
		level = next
	}
	return all
}

// outside are the calls of a function; of a literal, the statement that holds it in
// the function around it.
func (s *search) outside(f function) []callSite {
	if d := declared(f); d != nil {
		return s.callers(d)
	}
	return nil
}
