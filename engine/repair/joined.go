package repair

import (
	"go/ast"
	"go/types"
	"slices"
)

// joined is for a decision that is made in one critical section and acted on in the next
// of the same lock, or between the two: both become one. It needs no second access in the
// root cause, since what is acted on may be another variable.
func joined(s *search) {
	done := map[ast.Stmt]bool{}
	for _, st := range s.steps {
		if st == nil {
			continue
		}
		for f := st; f != nil; f = f.Caller {
			fn := function{f.Pkg, f.File, f.Fn}
			for _, first := range s.locksOf(fn) {
				if first.deferred != nil || done[first.take] || f.At() < first.take.End() {
					continue
				}
				next := s.nextSection(fn, first)
				switch {
				case next != nil && f.At() < next.take.Pos():
					done[first.take] = true
					s.join(fn, first, next.take, first.read && next.read, 12, s.lookedAt(f)...)
				case next == nil && !first.holds(f.At()) && indexAt(first.list, f.At()) >= 0:
					done[first.take] = true
					s.join(fn, first, f.Path[0], first.read, 14, s.lookedAt(f)...)
				case next != nil && next.holds(f.At()) && isChange(f) && carries(fn, first, next):
					done[first.take] = true
					s.join(fn, first, next.take, false, 13)
				}
			}
			s.askedBefore(fn, done)
		}
	}
}

// isChange reports whether a step changes a variable.
func isChange(st *Step) bool { return st.Op == "write" || st.Op == "store" }

// carries reports whether a section uses local variables that an earlier one of the function
// sets: what it does was decided there, and may be wrong by now.
func carries(fn function, first, next *section) (yes bool) {
	set := map[types.Object]bool{}
	inspectOwn(fn.node, func(n ast.Node) {
		if as, ok := n.(*ast.AssignStmt); ok && first.holds(as.Pos()) {
			for _, l := range as.Lhs {
				if id, ok := l.(*ast.Ident); ok && id.Name != "_" {
					set[fn.pkg.Info.ObjectOf(id)] = true
				}
			}
		}
	})
	inspectOwn(fn.node, func(n ast.Node) {
		id, ok := n.(*ast.Ident)
		yes = yes || ok && next.holds(id.Pos()) && set[fn.pkg.Info.Uses[id]]
	})
	return yes
}

// lookedAt are the earlier steps of the goroutine in the same function by which it knew the
// variable of a step: what was decided on them is old when the section begins later.
func (s *search) lookedAt(st *Step) (nodes []ast.Node) {
	for _, o := range s.steps {
		if o != nil && o.Index < st.Index && o.Goroutine == st.Goroutine && o.Fn == st.Fn && o.Obj == st.Obj && st.Obj != nil {
			nodes = append(nodes, o.Path[0])
		}
	}
	return nodes
}

// askedBefore is for a function that asks another one, which takes a lock, and then takes
// the lock itself: the answer may be an old one by then.
func (s *search) askedBefore(fn function, done map[ast.Stmt]bool) {
	for _, sec := range s.locksOf(fn) {
		weight := 16
		for i, st := range sec.list[:sec.at] { // the first answer first: all that follows may rest on it
			if _, plain := st.(*ast.ExprStmt); !plain && !done[sec.take] && s.asks(fn, st, sec.obj) {
				s.join(fn, sec, sec.list[i], false, weight)
				weight++
			}
		}
		done[sec.take] = done[sec.take] || weight > 16
	}
}

// asks reports whether a statement calls a function that takes a lock by itself.
func (s *search) asks(fn function, st ast.Stmt, lock *types.Var) (yes bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			return false
		case *ast.CallExpr:
			if callee := s.callee(fn.pkg.Info, n); callee != nil {
				if b, ok := s.bodyOf(callee); ok {
					yes = yes || slices.ContainsFunc(s.locksOf(b), func(sec *section) bool { return sec.obj == lock })
				}
			}
		}
		return !yes
	})
	return yes
}

// nextSection is the section of the same lock that follows in the same list.
func (s *search) nextSection(fn function, first *section) (next *section) {
	for _, sec := range s.locksOf(fn) {
		if sec.obj != first.obj || sec.take.Pos() < first.to || s.Code.source(sec.lock) != s.Code.source(first.lock) ||
			indexAt(first.list, sec.take.Pos()) < 0 {
			continue
		}
		if next == nil || sec.take.Pos() < next.take.Pos() {
			next = sec
		}
	}
	return next
}

// join makes all from one node of a section's list to the section, or from the section to
// it, one section, with more nodes in it.
func (s *search) join(fn function, first *section, other ast.Node, read bool, weight int, more ...ast.Node) {
	r := regionOf(fn, append(more, first.take, other)...)
	if r == nil {
		return
	}
	text := s.Code.source(first.lock)
	d := s.draft()
	made, err := s.enclose(d, r, lockAt{first.obj, text, read})
	if err != nil {
		return // the rule for torn regions has told why
	}
	title := "Make " + s.linesOf([]Region{made}) + " atomic with " + text
	if inner := s.tornBelow(place{region: r}, []Region{made}); inner != nil {
		s.refuse(title, staysTorn(*inner))
		return
	}
	for _, sec := range s.locksOf(fn) {
		if other := s.Code.source(sec.lock); sec.obj == first.obj && other != text && r.has(sec.take.Pos()) {
			s.refuse(title, text+" would be held while "+other+" is taken, which others may do the other way round")
			return
		}
	}
	s.add(Repair{Title: title, Kind: ExtendLock, Regions: []Region{made}, Weight: weight + (made.To-made.From)/8}, d)
}
