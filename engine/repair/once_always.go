package repair

import (
	"go/ast"
)

// onceAlways is for a Once that is asked only if a look at what it sets finds nothing: who
// finds something did not wait for it. The Once is always asked; it knows by itself.
func onceAlways(s *search) {
	if s.Finding.Kind != "data-race" {
		return
	}
	seen := map[ast.Node]bool{}
	for _, fn := range s.functions() {
		if seen[fn.node] || !s.concerns(fn) {
			continue
		}
		seen[fn.node] = true
		inspectOwn(fn.node, func(n ast.Node) {
			check, ok := n.(*ast.IfStmt)
			if !ok || check.Init != nil || check.Else != nil || len(check.Body.List) != 1 || callsAny(check.Cond) || hasReceive(check.Cond) {
				return
			}
			on, do := methodOn(fn.pkg.Info, check.Body.List[0], "Once", "Do")
			if do == nil || !s.looksAtRace(fn, check.Cond) {
				return
			}
			d := s.draft()
			d.Replace(check, s.Code.source(check.Body.List[0]))
			s.add(Repair{Title: "Always ask " + s.Code.source(on) + ", at line " + itoa(s.Code.line(check.Pos())), Kind: Order, Weight: 3}, d)
		})
	}
}

// looksAtRace reports whether an expression uses a variable of the root cause.
func (s *search) looksAtRace(fn function, e ast.Expr) bool {
	for _, st := range s.known() {
		if st.Obj != nil && names(fn, e, st.Obj) {
			return true
		}
	}
	return false
}
