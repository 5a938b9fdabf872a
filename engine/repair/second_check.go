package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// secondCheck proposes to look again where a lock is taken a second time: what the first
// section found out may have changed. It is for functions that look something up, make
// it without the lock, and enter it.
func secondCheck(s *search) {
	done := map[ast.Stmt]bool{}
	for _, t := range s.tears(true) {
		for i, a := range t.steps {
			for _, b := range t.steps[i+1:] {
				if a.Fn != b.Fn || a.Obj == nil || a.Obj != b.Obj || b.Op != "write" && b.Op != "store" {
					continue
				}
				fn := function{a.Pkg, a.File, a.Fn}
				first, second := s.sectionAt(fn, a.At()), s.sectionAt(fn, b.At())
				if first == nil || second == nil || first == second || first.obj != second.obj || done[second.take] {
					continue
				}
				done[second.take] = true
				s.proposeCheck(fn, a, b, first, second)
			}
		}
	}
}

// sectionAt is the critical section around a position.
func (s *search) sectionAt(fn function, at token.Pos) *section {
	for _, sec := range s.locksOf(fn) {
		if sec.holds(at) {
			return sec
		}
	}
	return nil
}

// proposeCheck repeats the look-up and the return of the first section in the second.
func (s *search) proposeCheck(fn function, a, b *Step, first, second *section) {
	as := lookUp(a)
	if as == nil {
		return
	}
	d := s.draft()
	if check := s.sectionDecided(fn, as, second); check != nil {
		if !s.checkAround(d, fn, as, check, second) {
			return
		}
	} else if !s.checkAndReturn(d, fn, as, b, first, second) {
		return
	}
	s.add(Repair{Title: "Check again when " + s.Code.source(second.lock) + " is held again, at line " + itoa(s.Code.line(second.take.Pos())), Kind: LoopCondition, Weight: 12,
		Regions: []Region{{File: s.Code.name(second.take.Pos()), From: s.Code.line(second.take.Pos()), To: s.Code.line(second.to), With: s.Code.source(second.lock)}}}, d)
}

// lookUp is the assignment of what the first section looks up to variables.
func lookUp(a *Step) *ast.AssignStmt {
	for _, n := range a.Path {
		if as, ok := n.(*ast.AssignStmt); ok {
			if allIdents(as.Lhs) {
				return as
			}
			break
		}
	}
	return nil
}

// sectionDecided is the if statement in whose body a section begins and ends, if a look-up
// decides it.
func (s *search) sectionDecided(fn function, as *ast.AssignStmt, second *section) (check *ast.IfStmt) {
	inspectOwn(fn.node, func(n ast.Node) {
		st, ok := n.(*ast.IfStmt)
		if ok && st.Init == nil && st.Else == nil && as.End() <= st.Pos() && slices.Equal(st.Body.List, second.list) && usesDefined(fn.pkg.Info, st.Cond, as) {
			check = st
		}
	})
	return check
}

// checkAround looks up again when the lock is held again, and does the rest of the section
// only if that decides as before.
func (s *search) checkAround(d *Draft, fn function, as *ast.AssignStmt, check *ast.IfStmt, second *section) bool {
	to := indexAt(second.list, second.to)
	if second.deferred != nil || to <= second.at+1 || as.Tok != token.DEFINE && as.Tok != token.ASSIGN ||
		s.setBetween(fn, as, second.take) {
		return false
	}
	for _, st := range second.list[second.at+1 : to] {
		if slices.ContainsFunc(second.list[to+1:], func(after ast.Stmt) bool { return usesDefined(fn.pkg.Info, after, st) }) {
			return false
		}
		d.indentMore(st)
	}
	d.After(second.take, "if "+strings.Replace(s.Code.source(as), ":=", "=", 1)+"; "+s.Code.source(check.Cond)+" {")
	d.Before(second.list[to], "}")
	return true
}

// setBetween reports whether a function sets a variable of an assignment again before a
// statement, or lets others do it through its address: a second look-up would undo that.
func (s *search) setBetween(fn function, as *ast.AssignStmt, before ast.Stmt) (yes bool) {
	ours := func(e ast.Expr) bool {
		o := fn.pkg.Info.ObjectOf(identOf(e))
		return o != nil && slices.ContainsFunc(as.Lhs, func(l ast.Expr) bool { return fn.pkg.Info.ObjectOf(identOf(l)) == o })
	}
	ast.Inspect(fn.node, func(n ast.Node) bool {
		if n == nil || n.End() <= as.End() || before.Pos() <= n.Pos() {
			return n != nil && n.Pos() < before.Pos()
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			yes = yes || slices.ContainsFunc(n.Lhs, ours)
		case *ast.IncDecStmt:
			yes = yes || ours(n.X)
		case *ast.RangeStmt:
			yes = yes || n.Tok == token.ASSIGN && (n.Key != nil && ours(n.Key) || n.Value != nil && ours(n.Value))
		case *ast.UnaryExpr:
			yes = yes || n.Op == token.AND && ours(n.X)
		}
		return true
	})
	return yes
}

// checkAndReturn looks up again when the lock is held again, and returns if the first
// section would have. What was made meanwhile is not needed then, and is closed if it can
// be.
func (s *search) checkAndReturn(d *Draft, fn function, as *ast.AssignStmt, b *Step, first, second *section) bool {
	check, leave := s.returnsOn(fn, as, first, second)
	if check == nil {
		return false
	}
	made, makes := s.madeBetween(fn, b, first, second)
	again := s.renamed(fn, as, made)
	look := again(as)
	if as.Tok == token.ASSIGN {
		look = strings.Replace(look, "=", ":=", 1)
	}
	pad := s.Code.indent(second.take.Pos())
	lines := []string{"if " + look + "; " + again(check.Cond) + " {"}
	if second.deferred == nil {
		lines = append(lines, "\t"+lockAt{second.obj, s.Code.source(second.lock), second.read}.release())
	}
	switch {
	case made == nil:
	case closable(made.Type()) && s.makesNew(fn, makes, 0):
		lines = append(lines, "\t"+made.Name()+".Close()")
		d.Tell("%s is made in vain, and closed, if another one was first", made.Name())
	default:
		d.Tell("the result of line %d is not used if another one was first", s.Code.line(makes.Pos()))
	}
	for _, st := range leave {
		for i, l := range strings.Split(again(st), "\n") {
			if i > 0 {
				l = strings.TrimPrefix(l, pad+"\t")
			}
			lines = append(lines, "\t"+l)
		}
	}
	after := ast.Node(second.take)
	if second.deferred != nil {
		after = second.deferred
	}
	d.After(after, append(lines, "}")...)
	return true
}

// madeBetween is a variable that gets the result of a call between two sections, and that
// the second one stores, and the call; nil if there is none.
func (s *search) madeBetween(fn function, b *Step, first, second *section) (made *types.Var, by ast.Expr) {
	inspectOwn(fn.node, func(n ast.Node) {
		as, ok := n.(*ast.AssignStmt)
		if !ok || as.Pos() < first.take.End() || second.take.Pos() <= as.Pos() || len(as.Rhs) != 1 {
			return
		}
		if _, call := ast.Unparen(as.Rhs[0]).(*ast.CallExpr); !call {
			return
		}
		for _, l := range as.Lhs {
			if v, ok := fn.pkg.Info.ObjectOf(identOf(l)).(*types.Var); ok && b.Stmt() != nil && names(fn, b.Stmt(), v) {
				made, by = v, as.Rhs[0]
			}
		}
	})
	return made, by
}

// closable reports whether a type has a method Close without parameters.
func closable(t types.Type) bool {
	o, _, _ := types.LookupFieldOrMethod(t, true, nil, "Close")
	f, ok := o.(*types.Func)
	return ok && f.Signature().Params().Len() == 0
}

// renamed returns texts of nodes in which the variables that an assignment defines have
// names of their own where they would hide one that is needed.
func (s *search) renamed(fn function, as *ast.AssignStmt, hidden *types.Var) func(ast.Node) string {
	return func(n ast.Node) string {
		inner := &Draft{code: s.Code, edits: map[string][]textedit.Edit{}}
		ast.Inspect(n, func(x ast.Node) bool {
			id, ok := x.(*ast.Ident)
			if o := fn.pkg.Info.ObjectOf(id); ok && hidden != nil && o != nil && o != hidden && id.Name == hidden.Name() && as.Pos() <= o.Pos() && o.Pos() < as.End() {
				inner.Replace(id, freshName(fn, as, "first"))
			}
			return true
		})
		return inner.take(n)
	}
}

// returnsOn is the if statement that a look-up decides and that returns, and what it does
// without releasing the lock.
func (s *search) returnsOn(fn function, as *ast.AssignStmt, first, second *section) (check *ast.IfStmt, leave []ast.Stmt) {
	inspectOwn(fn.node, func(n ast.Node) {
		st, ok := n.(*ast.IfStmt)
		if !ok || check != nil || st.Pos() > second.take.Pos() || st.Cond.Pos() < as.Pos() || len(st.Body.List) == 0 || st.Init != nil && st.Init != ast.Stmt(as) {
			return
		}
		if _, ok := st.Body.List[len(st.Body.List)-1].(*ast.ReturnStmt); !ok || !slices.ContainsFunc(as.Lhs, func(l ast.Expr) bool {
			return names(fn, st.Cond, fn.pkg.Info.ObjectOf(l.(*ast.Ident)))
		}) {
			return
		}
		check = st
		for _, b := range st.Body.List {
			if !slices.Contains(first.releases, b) {
				leave = append(leave, b)
			}
		}
	})
	return check, leave
}

func allIdents(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool { _, ok := e.(*ast.Ident); return !ok })
}
