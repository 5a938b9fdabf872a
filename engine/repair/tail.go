package repair

import (
	"go/ast"
	"go/token"
	"slices"
)

// releaseInTail releases a lock, which is held to the end of a function by defer, before a
// statement deep in it that is the last thing its path does. Other paths release it where
// they end.
func (s *search) releaseInTail(fn function, sec *section, pos token.Pos) {
	if sec.deferred == nil || results(fn) > 0 || !slices.Equal(sec.list, body(fn.node).List) {
		return
	}
	where, ok := s.tail(fn, sec, pos)
	if !ok || slices.Equal(where.list, sec.list) {
		return // moveOut's other forms are for that
	}
	moved := where.stmt()
	if !s.Code.alone(moved) || leavesList(moved) {
		return
	}
	l := lockAt{sec.obj, s.Code.source(sec.lock), sec.read}
	d := s.draft()
	before := s.capture(d, fn, moved)
	if before == nil {
		return
	}
	d.Remove(sec.deferred)
	r := &region{fn: fn, list: sec.list, from: sec.at + 1, to: len(sec.list) - 1}
	for _, e := range exitsOf(r) {
		if s.releaseAt(d, r, e, l, nil) != nil {
			return
		}
	}
	d.Before(moved, append(before, l.release())...)
	d.After(moved, "return")
	d.After(sec.list[len(sec.list)-1], l.release())
	s.tellMoved(d, fn, sec, moved, before)
	s.add(Repair{Title: "Do " + s.short(moved) + " after " + l.text + " is released", Kind: Order, Weight: 5}, d)
}

// results is how many results a function has.
func results(fn function) int {
	switch n := fn.node.(type) {
	case *ast.FuncDecl:
		return n.Type.Results.NumFields()
	case *ast.FuncLit:
		return n.Type.Results.NumFields()
	}
	return 0
}

// tail is the outermost statement with a position that no other statement of the function
// follows, and that is no block itself: the last of nested ifs.
func (s *search) tail(fn function, sec *section, pos token.Pos) (found at, ok bool) {
	list := sec.list
	for {
		i := indexAt(list, pos)
		if i < 0 || i != len(list)-1 {
			return found, ok
		}
		st, isIf := list[i].(*ast.IfStmt)
		if !isIf || pos < st.Body.Pos() || st.Body.End() < pos || callsOnly(st) {
			return at{list, i}, true
		}
		list = st.Body.List
	}
}

// callsOnly reports whether an if only guards what it does: "if f != nil { f() }".
func callsOnly(st *ast.IfStmt) bool {
	if st.Else != nil || st.Init != nil || len(st.Body.List) != 1 {
		return false
	}
	es, ok := st.Body.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	_, ok = es.X.(*ast.CallExpr)
	return ok
}
