package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
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
				s.proposeCheck(fn, a, first, second)
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
func (s *search) proposeCheck(fn function, a *Step, first, second *section) {
	look, cond, leave := s.lookUp(fn, a, first, second)
	if leave == nil {
		return
	}
	d := s.draft()
	pad := s.Code.indent(second.take.Pos())
	var lines []string
	lines = append(lines, "if "+look+"; "+cond+" {")
	if second.deferred == nil {
		lines = append(lines, "\t"+lockAt{second.obj, s.Code.source(second.lock), second.read}.release())
	}
	for _, st := range leave {
		for i, l := range strings.Split(s.Code.source(st), "\n") {
			if i > 0 {
				l = strings.TrimPrefix(l, pad+"\t")
			}
			lines = append(lines, "\t"+l)
		}
	}
	lines = append(lines, "}")
	after := ast.Node(second.take)
	if second.deferred != nil {
		after = second.deferred
	}
	d.After(after, lines...)
	s.add(Repair{Title: "Check again when " + s.Code.source(second.lock) + " is held again, at line " + itoa(s.Code.line(second.take.Pos())), Kind: LoopCondition, Weight: 12,
		Regions: []Region{{File: s.Code.name(second.take.Pos()), From: s.Code.line(second.take.Pos()), To: s.Code.line(second.to), With: s.Code.source(second.lock)}}}, d)
}

// lookUp is what the first section looks up, the condition on it, and what is done then:
// statements of which the last returns.
func (s *search) lookUp(fn function, a *Step, first, second *section) (look, cond string, leave []ast.Stmt) {
	var as *ast.AssignStmt
	for _, n := range a.Path {
		if x, ok := n.(*ast.AssignStmt); ok {
			as = x
			break
		}
	}
	if as == nil || !allIdents(as.Lhs) {
		return "", "", nil
	}
	defined := map[types.Object]bool{}
	for _, l := range as.Lhs {
		if o := fn.pkg.Info.ObjectOf(l.(*ast.Ident)); o != nil {
			defined[o] = true
		}
	}
	inspectOwn(fn.node, func(n ast.Node) {
		st, ok := n.(*ast.IfStmt)
		if !ok || leave != nil || st.Pos() > second.take.Pos() || st.Cond.Pos() < as.Pos() || len(st.Body.List) == 0 || st.Init != nil && st.Init != ast.Stmt(as) {
			return
		}
		uses := false
		ast.Inspect(st.Cond, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && defined[fn.pkg.Info.Uses[id]] {
				uses = true
			}
			return true
		})
		if _, ok := st.Body.List[len(st.Body.List)-1].(*ast.ReturnStmt); !ok || !uses {
			return
		}
		look = s.Code.source(as)
		if as.Tok == token.ASSIGN {
			look = strings.Replace(look, "=", ":=", 1)
		}
		cond = s.Code.source(st.Cond)
		for _, b := range st.Body.List {
			if !slices.Contains(first.releases, b) {
				leave = append(leave, b)
			}
		}
	})
	return look, cond, leave
}

func allIdents(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool { _, ok := e.(*ast.Ident); return !ok })
}
