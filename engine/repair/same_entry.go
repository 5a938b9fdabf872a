package repair

import (
	"go/ast"
	"go/types"
)

// sameEntry proposes that an entry of a map is deleted only if it still is the one that
// the function was called for: another goroutine may have put a new one in its place.
func sameEntry(s *search) {
	seen := map[ast.Node]bool{}
	for _, st := range s.steps {
		if st == nil || st.Op != "write" {
			continue
		}
		fn := function{st.Pkg, st.File, st.Fn}
		inspectOwn(st.Fn, func(n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || seen[call] || !isBuiltin(fn, call, "delete") || len(call.Args) != 2 || s.Code.line(call.Pos()) != st.Line {
				return
			}
			seen[call] = true
			s.proposeSame(fn, call)
		})
	}
}

func (s *search) proposeSame(fn function, call *ast.CallExpr) {
	m, ok := typeOf[*types.Map](fn.pkg.Info, call.Args[0])
	at := statementOf(fn, call)
	d, isDecl := fn.node.(*ast.FuncDecl)
	if !ok || at == nil || !isDecl || !types.Comparable(m.Elem()) || types.IsInterface(m.Elem()) {
		return
	}
	for _, p := range d.Type.Params.List {
		for _, name := range p.Names {
			if o := fn.pkg.Info.Defs[name]; o != nil && types.Identical(o.Type(), m.Elem()) {
				entry := s.Code.source(call.Args[0]) + "[" + s.Code.source(call.Args[1]) + "]"
				draft := s.draft()
				pad := s.Code.indent(at.Pos())
				draft.Replace(at, "if "+entry+" == "+name.Name+" {\n"+pad+"\t"+s.Code.source(at)+"\n"+pad+"}")
				s.add(Repair{Title: "Delete " + entry + " only if it still is " + name.Name, Kind: LoopCondition, Weight: 9}, draft)
				return
			}
		}
	}
}
