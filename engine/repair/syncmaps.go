package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// syncMaps is for a sync.Map that is asked for a key and then changed at that key: the one
// call that does both, LoadOrStore or LoadAndDelete.
// So is one of locks, where what two of them guard happens at once.
func syncMaps(s *search) {
	seen := map[ast.Node]bool{}
	look := func(fn function) {
		if seen[fn.node] {
			return
		}
		seen[fn.node] = true
		lists(fn.node, func(list []ast.Stmt) {
			for i := range list {
				if l, ok := s.lookup(fn, list, i); ok {
					s.loadOrStore(l)
					s.loadAndDelete(l)
				}
			}
		})
	}
	for _, st := range s.known() {
		for _, f := range st.Frames() {
			look(function{f.Pkg, f.File, f.Fn})
		}
		if _, f, guarded := s.calledBack(st); guarded {
			look(f)
			inspectOwn(f.node, func(n ast.Node) {
				if call, ok := n.(*ast.CallExpr); ok {
					if g, ok := s.bodyOfCall(f, call); ok {
						look(g)
					}
				}
			})
		}
	}
}

// lookup is `v, ok := m.Load(k)` and the condition of ok right behind it, as two statements
// or one.
type lookup struct {
	fn    function
	list  []ast.Stmt
	at    int // of the if statement
	load  *ast.CallExpr
	on    string // the map
	key   string
	def   *ast.AssignStmt
	cond  *ast.IfStmt
	found bool // the condition holds if the key is there
}

func (s *search) lookup(fn function, list []ast.Stmt, i int) (l lookup, ok bool) {
	l = lookup{fn: fn, list: list, at: i}
	if l.cond, ok = list[i].(*ast.IfStmt); !ok {
		return l, false
	}
	init := l.cond.Init
	if init == nil && i > 0 {
		init = list[i-1]
	}
	if l.def, ok = init.(*ast.AssignStmt); !ok || len(l.def.Lhs) != 2 || len(l.def.Rhs) != 1 {
		return l, false
	}
	on, load := methodOn(fn.pkg.Info, l.def.Rhs[0], "Map", "Load")
	if load == nil || len(load.Args) != 1 {
		return l, false
	}
	if callsAny(load.Args[0]) {
		return l, false // the key may be another one each time
	}
	l.load, l.on, l.key = load, s.Code.source(on), s.Code.source(load.Args[0])
	cond := ast.Unparen(l.cond.Cond)
	not, isNot := cond.(*ast.UnaryExpr)
	if isNot {
		cond = ast.Unparen(not.X)
	}
	id, isID := cond.(*ast.Ident)
	yes := fn.pkg.Info.ObjectOf(identOf(l.def.Lhs[1]))
	l.found = !isNot
	return l, isID && yes != nil && fn.pkg.Info.ObjectOf(id) == yes
}

// call finds a statement that is a call of a method of the map at the same key; sure is
// false if the list can be left before it.
func (s *search) call(l lookup, list []ast.Stmt, method string, args int) (at ast.Stmt, call *ast.CallExpr, sure bool) {
	sure = true
	for _, st := range list {
		on, call := methodOn(l.fn.pkg.Info, st, "Map", method)
		if _, alone := st.(*ast.ExprStmt); alone && call != nil && len(call.Args) == args && s.Code.source(on) == l.on && s.Code.source(call.Args[0]) == l.key {
			return st, call, sure
		}
		if root := rootIdent(l.load.Args[0]); root != nil && sets(l.fn, st, l.fn.pkg.Info.ObjectOf(root)) {
			return nil, nil, false // another key from here on
		}
		sure = sure && !leavesList(st)
	}
	return nil, nil, false
}

// loadOrStore makes the look-up or the store both: the look-up where the value is known by
// then, and else the store, which then does what the look-up does with a value that is
// there. Nothing may follow the store then: it would be done for that value too.
func (s *search) loadOrStore(l lookup) {
	after := l.cond.Body.List // of a key that is not there
	if l.found {
		n := len(l.cond.Body.List)
		if n == 0 || !ends(l.cond.Body.List[n-1]) || l.cond.Else != nil {
			return
		}
		after = l.list[l.at+1:]
	}
	st, store, sure := s.call(l, after, "Store", 2)
	if st == nil {
		return
	}
	value := s.Code.source(store.Args[1])
	both := l.on + ".LoadOrStore(" + l.key + ", " + value + ")"
	d := s.draft()
	switch {
	case sure && isValue(l.fn, store.Args[1]):
		d.Replace(l.load, both)
		d.Remove(st)
	case !l.found && st == after[len(after)-1] && s.isVarOf(l.fn, store.Args[1], l.def.Lhs[0]):
		d.Replace(st, s.Code.source(l.def.Lhs[0])+", _ = "+both)
	case l.found:
		pad := s.Code.indent(st.Pos())
		text := "if " + s.Code.source(l.def.Lhs[0]) + ", " + s.Code.source(l.def.Lhs[1]) + " := " + both + "; " + s.Code.source(l.cond.Cond) + " {\n"
		for _, b := range l.cond.Body.List {
			text += pad + "\t" + s.Code.source(b) + "\n"
		}
		d.Replace(st, text+pad+"}")
	default:
		return
	}
	s.add(Repair{Title: "Let " + l.on + ".LoadOrStore look and store at once", Kind: Other, Weight: 3}, d)
}

// isVarOf reports whether two expressions are the same variable.
func (s *search) isVarOf(fn function, a, b ast.Expr) bool {
	x, ok := ast.Unparen(a).(*ast.Ident)
	y, ok2 := ast.Unparen(b).(*ast.Ident)
	return ok && ok2 && x.Name != "_" && fn.pkg.Info.ObjectOf(x) != nil && fn.pkg.Info.ObjectOf(x) == fn.pkg.Info.ObjectOf(y)
}

// loadAndDelete makes the look-up delete what it finds.
func (s *search) loadAndDelete(l lookup) {
	after := l.cond.Body.List
	if !l.found {
		n := len(l.cond.Body.List)
		if n == 0 || !ends(l.cond.Body.List[n-1]) || l.cond.Else != nil {
			return
		}
		after = l.list[l.at+1:]
	}
	st, _, sure := s.call(l, after, "Delete", 1)
	if st == nil || !sure {
		return
	}
	d := s.draft()
	d.Replace(l.load, l.on+".LoadAndDelete("+l.key+")")
	d.Remove(st)
	s.add(Repair{Title: "Let " + l.on + ".LoadAndDelete take what is there", Kind: Other, Weight: 3}, d)
}

// isValue reports whether an expression is a constant, or a struct of such or a pointer to a
// new one: it is the same wherever it stands.
func isValue(fn function, e ast.Expr) bool {
	if isConst(fn, e) {
		return true
	}
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = u.X
	}
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		return false
	}
	if _, isStruct := fn.pkg.Info.TypeOf(lit).Underlying().(*types.Struct); !isStruct {
		return false
	}
	return !slices.ContainsFunc(lit.Elts, func(x ast.Expr) bool {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			x = kv.Value
		}
		return !isValue(fn, x)
	})
}
