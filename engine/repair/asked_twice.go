package repair

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
)

// askedTwice is for a function that calls others which take the same lock, one after the
// other: what it was told by the first may have changed when it acts by the second. All
// become one section: in the function of one step of the root cause, and in those of all of them.
func askedTwice(s *search) {
	var all []asked
	for _, st := range s.known() {
		sec := s.sectionAt(function{st.Pkg, st.File, st.Fn}, st.At())
		if sec == nil {
			continue
		}
		for _, w := range s.ways(st)[1:] {
			if s.isTest(w.fn) || slices.ContainsFunc(all, func(a asked) bool { return a.p.fn.node == w.fn.node }) ||
				!w.known && !slices.ContainsFunc(s.known(), func(o *Step) bool { return o.Fn == w.fn.node }) {
				continue
			}
			if a, ok := s.asked(w.fn, w.node, sec.obj); ok {
				all = append(all, a)
			}
		}
	}
	for _, a := range all {
		s.oneSection([]asked{a}, 12)
	}
	if len(all) > 1 {
		s.oneSection(all, 13)
	}
}

// asked is a place that calls functions which take a lock, as it is written there.
type asked struct {
	p    place
	lock lockAt
}

// asked is the region of a function from the first to the last call of functions that take a
// lock, one of which is given, and the sections of its own.
func (s *search) asked(fn function, call ast.Node, lock *types.Var) (asked, bool) {
	at := regionOf(fn, call)
	if at == nil || s.held(fn, call.Pos(), lock) {
		return asked{}, false
	}
	text, ok := s.lockText(place{region: at, nodes: []ast.Node{call}}, lock)
	if !ok {
		return asked{}, false
	}
	l := lockAt{lock, text, isRW(lock)}
	var calls []ast.Node
	inspectOwn(fn.node, func(n ast.Node) {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		if _, _, takes := s.takes(fn, c, l, 0); takes {
			calls = append(calls, c)
		}
	})
	if !slices.Contains(calls, call) {
		return asked{}, false
	}
	for _, sec := range s.locksOf(fn) { // what it does itself, too
		if sec.obj == lock && s.Code.source(sec.lock) == text {
			calls = append(calls, sec.take)
		}
	}
	first := slices.MinFunc(calls, func(a, b ast.Node) int { return cmp.Compare(a.Pos(), b.Pos()) })
	if c, ok := first.(*ast.CallExpr); len(calls) < 2 || ok && statementOf(fn, c) != nil {
		return asked{}, false // it tells nothing
	}
	r := regionOf(fn, calls...)
	return asked{place{region: r, nodes: calls}, l}, r != nil && !startsOthers(r)
}

// oneSection proposes to make places atomic.
func (s *search) oneSection(all []asked, weight int) {
	d := s.draft()
	var regions []Region
	for _, a := range all {
		made, err := s.enclose(d, s.withUpdates(a.p.region, a.lock), a.lock)
		if err != nil {
			made = s.span(a.p.region, a.lock.text)
			s.refuse("Make "+s.linesOf([]Region{made})+" atomic with "+a.lock.text, err.Error())
			return
		}
		regions = append(regions, made)
	}
	title := "Make " + s.linesOf(regions) + " atomic with " + all[0].lock.text
	for _, a := range all {
		if inner := s.tornBelow(a.p, regions); inner != nil {
			s.refuse(title, staysTorn(*inner))
			return
		}
	}
	s.add(Repair{Title: title, Kind: ExtendLock, Regions: regions, Weight: weight}, d)
}

// withUpdates is a region with the statements right after it that only set fields beside the
// lock: they belong to the same change.
func (s *search) withUpdates(r *region, l lockAt) *region {
	if !l.obj.Pos().IsValid() {
		return r // a new lock guards what it is for
	}
	grown := *r
	for grown.to+1 < len(grown.list) && s.updates(r.fn, grown.list[grown.to+1], l) {
		grown.to++
	}
	grown.tail = grown.to == len(grown.list)-1 && slices.Equal(grown.list, body(r.fn.node).List)
	return &grown
}

// updates reports whether a statement only sets fields that lie beside a lock.
func (s *search) updates(fn function, st ast.Stmt, l lockAt) bool {
	var set, values []ast.Expr
	switch st := st.(type) {
	case *ast.AssignStmt:
		set, values = st.Lhs, st.Rhs
	case *ast.IncDecStmt:
		set = []ast.Expr{st.X}
	default:
		return false
	}
	return !slices.ContainsFunc(values, func(e ast.Expr) bool { return callsAny(e) || hasReceive(e) }) &&
		!slices.ContainsFunc(set, func(e ast.Expr) bool {
			sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
			return !ok || s.Code.source(sel.X)+"."+l.obj.Name() != l.text
		})
}
