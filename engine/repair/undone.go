package repair

import "go/ast"

// undoneLater is for a deferred call that undoes something which may have failed: it is
// deferred before it is known whether there is anything to undo. It is deferred once the
// function did not return for that.
func undoneLater(s *search) {
	for _, fn := range s.functions() {
		if s.isTest(fn) || !s.concerns(fn) {
			continue
		}
		list := body(fn.node).List
		for i, st := range list {
			undo, ok := st.(*ast.DeferStmt)
			if !ok || i+1 >= len(list) {
				continue
			}
			f, ok := s.bodyOfCall(fn, undo.Call)
			check, ok2 := list[i+1].(*ast.IfStmt)
			if !ok || !ok2 || !s.does(f) || check.Else != nil || len(check.Body.List) == 0 || !ends(check.Body.List[len(check.Body.List)-1]) ||
				check.Init == nil && !callsAny(check.Cond) || !s.Code.alone(undo) {
				continue
			}
			d := s.draft()
			d.moveAfter(undo, check)
			s.add(Repair{Title: "Defer " + s.Code.source(undo.Call) + " after line " + itoa(s.Code.line(check.End())) + ", when there is something to undo", Kind: Order, Weight: 4}, d)
		}
	}
}

// does reports whether a function uses a variable of the root cause.
func (s *search) does(f function) bool {
	for _, st := range s.known() {
		if names(f, f.node, st.Obj) {
			return true
		}
	}
	return false
}
