package repair

import (
	"go/ast"
	"go/types"
	"slices"
)

// sameEntry proposes that an entry of a map is deleted only if it still is the one that
// the function was called for: another goroutine may have put a new one in its place, or
// have deleted it before and done the rest, too.
func sameEntry(s *search) {
	seen := map[ast.Node]bool{}
	propose := func(fn function, line int) {
		inspectOwn(fn.node, func(n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || seen[call] || !isBuiltin(fn, call, "delete") || len(call.Args) != 2 || line > 0 && s.Code.line(call.Pos()) != line {
				return
			}
			seen[call] = true
			s.proposeSame(fn, call)
		})
	}
	for _, st := range s.known() {
		fn := function{st.Pkg, st.File, st.Fn}
		if st.Op == "write" {
			propose(fn, st.Line)
		}
		if s.isTest(fn) {
			continue
		}
		inspectOwn(st.Fn, func(n ast.Node) {
			if call, ok := n.(*ast.CallExpr); ok {
				if f, ok := s.bodyOfCall(fn, call); ok && len(s.callers(declared(f))) > 1 {
					propose(f, 0)
				}
			}
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
				weight := 9
				if s.onlyChangedBy(fn, call) {
					weight = 15
				}
				s.onlyIfSame(fn, at, entry, name.Name, weight)
				return
			}
		}
	}
}

// onlyChangedBy reports whether the root cause is about the map of a delete, and shows nobody
// else who changes it: its entry is likely to be what it was.
func (s *search) onlyChangedBy(fn function, call *ast.CallExpr) bool {
	m := fn.pkg.Info.ObjectOf(identOf(call.Args[0]))
	about := false
	var deleter string
	for _, st := range s.known() {
		if st.Obj == nil || st.Obj != m {
			continue
		}
		about = true
		if st.Op == "write" && (st.Fn != fn.node || deleter != "" && deleter != st.Goroutine) {
			return false
		}
		if st.Op == "write" {
			deleter = st.Goroutine
		}
	}
	return about
}

// onlyIfSame does a statement only if an entry is what it should be; what the function does
// after it in the section that it is in, belongs to it.
func (s *search) onlyIfSame(fn function, at *ast.ExprStmt, entry, same string, weight int) {
	d := s.draft()
	title := "Delete " + entry + " only if it still is " + same
	pad := s.Code.indent(at.Pos())
	if sec := s.sectionAt(fn, at.Pos()); sec != nil && results(fn) == 0 && s.doesMore(sec, at) {
		if !s.lastOf(fn, sec) && !closesOnce(fn, sec, at) {
			s.restIfSame(fn, sec, at, entry, same, weight)
			return
		}
		lines := []string{"if " + entry + " != " + same + " {"}
		if sec.deferred == nil {
			lines = append(lines, "\t"+lockAt{sec.obj, s.Code.source(sec.lock), sec.read}.release())
		}
		d.Before(at, append(lines, "\treturn", "}")...)
		title = "Return if " + entry + " is not " + same + " any more, before line " + itoa(s.Code.line(at.Pos()))
	} else {
		d.Replace(at, "if "+entry+" == "+same+" {\n"+pad+"\t"+s.Code.source(at)+"\n"+pad+"}")
	}
	s.add(Repair{Title: title, Kind: LoopCondition, Weight: weight}, d)
}

// lastOf reports whether a function ends where a section does.
func (s *search) lastOf(fn function, sec *section) bool {
	if !slices.Equal(sec.list, body(fn.node).List) {
		return false
	}
	return sec.deferred != nil || indexAt(sec.list, sec.to) == len(sec.list)-1
}

// closesOnce reports whether a function closes something after a section, unless it found
// that there is nothing to do and left: who comes second must not close it again.
func closesOnce(fn function, sec *section, at ast.Stmt) (yes bool) {
	if !slices.ContainsFunc(sec.list[sec.at:indexAt(sec.list, at.Pos())], leavesList) {
		return false
	}
	inspectOwn(fn.node, func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		yes = yes || ok && sec.to < call.Pos() && isBuiltin(fn, call, "close")
	})
	return yes
}

// restIfSame does the rest of a section only if an entry is what it should be, where what
// follows the section is to be done in any case.
func (s *search) restIfSame(fn function, sec *section, at ast.Stmt, entry, same string, weight int) {
	from, to := indexAt(sec.list, at.Pos()), indexAt(sec.list, sec.to)
	if sec.deferred != nil || to <= from {
		return
	}
	d := s.draft()
	for _, st := range sec.list[from:to] {
		if leavesList(st) || slices.ContainsFunc(sec.list[to+1:], func(after ast.Stmt) bool { return usesDefined(fn.pkg.Info, after, st) }) {
			return
		}
		d.indentMore(st)
	}
	d.Before(at, "if "+entry+" == "+same+" {")
	d.Before(sec.list[to], "}")
	s.add(Repair{Title: "Do lines " + itoa(s.Code.line(at.Pos())) + "-" + itoa(s.Code.line(sec.list[to-1].End())) + " only if " + entry + " still is " + same, Kind: LoopCondition, Weight: weight}, d)
}

// doesMore reports whether a section goes on after one of its statements.
func (s *search) doesMore(sec *section, at ast.Stmt) bool {
	i := indexAt(sec.list, at.Pos())
	return i >= 0 && sec.list[i] == at && slices.ContainsFunc(sec.list[i+1:], func(st ast.Stmt) bool {
		return sec.holds(st.Pos()) && st != ast.Stmt(sec.deferred) && !slices.Contains(sec.releases, st)
	})
}
