package repair

import (
	"go/ast"
	"go/types"
	"slices"
)

// What keeps a place from being made atomic.

// tornBelow is a function that is called at a place, that others came in between of by
// itself, outside of regions that are made atomic, and that is called from elsewhere,
// too: for these it would stay torn. nil if there is none.
func (s *search) tornBelow(at place, regions []Region) *function {
	for _, t := range s.tears(true) {
		for i, from := range t.steps[:len(t.steps)-1] {
			to := t.steps[i+1]
			if to.Index == from.Index+1 {
				continue
			}
			all := s.places([]*Step{from, to})
			if len(all) == 0 || all[0].fn.node == at.fn.node || slices.ContainsFunc(regions, func(r Region) bool {
				return r.File == s.Code.name(all[0].first().Pos()) && r.From <= s.Code.line(all[0].first().Pos()) && s.Code.line(all[0].last().End()) <= r.To
			}) {
				continue
			}
			inner := all[0].fn
			if fn := declared(inner); fn != nil && s.leadsTo(at.fn, &ast.BlockStmt{List: at.list[at.from : at.to+1]}, inner.node) && s.usedOutside(fn, at.region) {
				return &inner
			}
		}
	}
	return nil
}

func staysTorn(inner function) string {
	return nameOf(inner) + " is torn apart by itself, and may be called from elsewhere, too"
}

// usedOutside reports whether a function is mentioned elsewhere than in a region, or may be
// in other packages.
func (s *search) usedOutside(fn *types.Func, r *region) bool {
	if fn.Exported() {
		return true
	}
	return slices.ContainsFunc(s.functions(), func(f function) (yes bool) {
		inspectOwn(f.node, func(n ast.Node) {
			id, ok := n.(*ast.Ident)
			if !ok {
				return
			}
			m, ok := f.pkg.Info.Uses[id].(*types.Func)
			yes = yes || ok && m.Origin() == fn && (f.node != r.fn.node || !r.has(id.Pos()))
		})
		return yes
	})
}

// takenTwice reports whether a goroutine waits for ever for a lock that it holds, and all
// that was torn apart are operations of that lock.
func (s *search) takenTwice(tears []tear) bool {
	if s.Finding.Kind != "deadlock" && s.Finding.Kind != "leak" {
		return false
	}
	var lock *types.Var
	for _, t := range tears {
		for _, st := range slices.Concat(t.steps, t.others) {
			l := lockOf(st)
			if l == nil || lock != nil && l != lock {
				return false
			}
			lock = l
		}
	}
	return lock != nil
}

// takenAgain reports whether a section of a lock ends right before the statement of its list
// in which a place lies.
func (s *search) takenAgain(p place, lock *types.Var) bool {
	return slices.ContainsFunc(s.locksOf(p.fn), func(sec *section) bool {
		i := indexAt(sec.list, p.first().Pos())
		return sec.obj == lock && sec.deferred == nil && i > 0 && slices.Contains(sec.releases, sec.list[i-1])
	})
}

// testCalls reports whether a place is in a test that calls what is torn.
func (s *search) testCalls(p place) bool {
	return s.isTest(p.fn) && !slices.ContainsFunc(p.nodes, isAccess)
}

// startsOthers reports whether a region starts goroutines.
func startsOthers(r *region) (yes bool) {
	for _, st := range r.list[r.from : r.to+1] {
		ast.Inspect(st, func(n ast.Node) bool {
			_, starts := n.(*ast.GoStmt)
			c, call := n.(*ast.CallExpr)
			yes = yes || starts || call && isMethod(c, "Go")
			return !yes
		})
	}
	return yes
}
