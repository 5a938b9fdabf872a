package repair

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// pair is a load of an atomic variable and a later store to it in one function, between
// which another goroutine changed it.
type pair struct {
	fn    function
	load  *ast.CallExpr
	store *ast.CallExpr
	v     *types.Var
	text  string // the variable as it is written: "s.state"
	value ast.Expr
}

// pairs are those of the root cause, of a step in a helper none. Where two goroutines run
// one function, one may have loaded and the other stored.
func (s *search) pairs() (all []pair) {
	for _, a := range s.known() {
		for _, b := range s.known() {
			load, ok := a.Path[0].(*ast.CallExpr)
			store, ok2 := b.Path[0].(*ast.CallExpr)
			v, ok3 := a.Obj.(*types.Var)
			if !ok || !ok2 || !ok3 || a.Op != "load" || b.Op != "store" || a.Obj != b.Obj || a.Fn != b.Fn || load.Pos() > store.Pos() ||
				!isMethod(load, "Load") || !isMethod(store, "Store") || len(store.Args) != 1 || a.Root == nil ||
				s.Code.source(a.Root) != s.Code.source(b.Root) ||
				slices.ContainsFunc(all, func(p pair) bool { return p.load == load && p.store == store }) {
				continue
			}
			all = append(all, pair{function{a.Pkg, a.File, a.Fn}, load, store, v, s.Code.source(a.Root), store.Args[0]})
		}
	}
	return all
}

func isMethod(c *ast.CallExpr, name string) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == name
}

// atomics proposes for a load followed by a store the one operation that does both:
// CompareAndSwap where a condition of the load decides, Add where the value is counted
// on, Swap where a constant is stored, and a loop of CompareAndSwap otherwise.
func atomics(s *search) {
	for _, p := range s.pairs() {
		if !s.compareAndSwap(p) {
			s.returnSwap(p)
		}
		if cond, _ := s.condition(p); cond == nil && !callsAny(p.value) && s.counts(p.fn, p.value, p.text) == 0 {
			s.repeatInBody(p.fn, p.load, p.store, p.text, func(string) string { return s.Code.source(p.value) })
		}
		s.addInstead(p)
		s.swap(p)
		s.casLoop(p)
	}
	s.checkedAdd()
}

// compareAndSwap is for `if x.Load() == old { x.Store(new); ... }` and for
// `if x.Load() != old { return }; x.Store(new)`. It reports whether p is one of these.
func (s *search) compareAndSwap(p pair) bool {
	cond, holder := s.condition(p)
	if cond == nil {
		return false
	}
	old, equal, ok := s.expected(p, cond)
	if !ok {
		return false
	}
	at := statementOf(p.fn, p.store)
	if at == nil {
		return false
	}
	inBody := holder.Body.Pos() <= at.Pos() && at.Pos() < holder.Body.End()
	if other, ok := map[string]string{"true": "false", "false": "true"}[old]; ok && inBody != equal {
		old, equal = other, !equal // of two values the other one
	}
	if inBody != equal {
		return false // the store is done when the value is another one
	}
	if list, ok := inList(p.fn, holder); !ok || !s.reached(list, holder, at, inBody) {
		return false
	}
	if !inBody && (len(holder.Body.List) == 0 || !ends(holder.Body.List[len(holder.Body.List)-1]) || holder.Else != nil) {
		return false
	}
	d := s.draft()
	call := p.text + ".CompareAndSwap(" + old + ", " + s.Code.source(p.value) + ")"
	if !inBody {
		call = "!" + call
	}
	d.Replace(cond, call)
	d.Remove(at)
	s.add(Repair{Title: "Let " + p.text + ".CompareAndSwap check and set " + p.text + " at once", Kind: Other, Weight: 3}, d)
	return true
}

// returnSwap is for `x.Store(new); return true` where x was seen to have an old value, by
// a case or a condition with more before the store: whoever is second returns false.
func (s *search) returnSwap(p pair) {
	at := statementOf(p.fn, p.store)
	if at == nil || results(p.fn) != 1 {
		return
	}
	where, ok := inList(p.fn, at)
	if !ok || where.i+1 >= len(where.list) {
		return
	}
	ret, ok := where.list[where.i+1].(*ast.ReturnStmt)
	old, others := s.seen(p, at)
	no, ok2 := others.(*ast.ReturnStmt)
	if !ok || !ok2 || len(ret.Results) != 1 || len(no.Results) != 1 || !s.isTrue(p.fn, ret.Results[0]) || !isConst(p.fn, no.Results[0]) || s.isTrue(p.fn, no.Results[0]) {
		return
	}
	d := s.draft()
	d.Remove(at)
	d.Replace(ret.Results[0], p.text+".CompareAndSwap("+old+", "+s.Code.source(p.value)+")")
	s.add(Repair{Title: "Return whether " + p.text + ".CompareAndSwap set " + p.text + ", at line " + itoa(s.Code.line(at.Pos())), Kind: Other, Weight: 3}, d)
}

// seen is the value that a variable was loaded as wherever a statement is done, and what is
// done last where it was another one; nil if that is not known.
func (s *search) seen(p pair, at ast.Stmt) (old string, others ast.Stmt) {
	own := body(p.fn.node).List
	end := own[len(own)-1]
	if cond, holder := s.condition(p); cond != nil {
		value, equal, ok := s.expected(p, cond)
		inBody := holder.Body.Pos() <= at.Pos() && at.Pos() < holder.Body.End()
		leaves := holder.Else == nil && len(holder.Body.List) > 0 && ast.Unparen(holder.Cond) == ast.Unparen(cond)
		switch {
		case !ok || inBody != equal:
		case inBody:
			return value, end
		case leaves:
			return value, holder.Body.List[len(holder.Body.List)-1]
		}
	}
	inspectOwn(p.fn.node, func(n ast.Node) {
		sw, ok := n.(*ast.SwitchStmt)
		if !ok || sw.Tag == nil || ast.Unparen(sw.Tag) != ast.Expr(p.load) {
			return
		}
		for i, c := range sw.Body.List {
			if i > 0 && fallsThrough(sw.Body.List[i-1].(*ast.CaseClause)) {
				continue // it may be the value of the case before
			}
			if c := c.(*ast.CaseClause); c.Pos() <= at.Pos() && at.End() <= c.End() && len(c.List) == 1 {
				old, others = s.Code.source(c.List[0]), end
			}
		}
	})
	return old, others
}

// fallsThrough reports whether a case goes on with the next.
func fallsThrough(c *ast.CaseClause) bool {
	if len(c.Body) == 0 {
		return false
	}
	br, ok := c.Body[len(c.Body)-1].(*ast.BranchStmt)
	return ok && br.Tok == token.FALLTHROUGH
}

// reached reports whether a store is done whenever the condition was decided in its
// favour, and nothing that takes its time comes before it: it would be set too early.
func (s *search) reached(list at, holder *ast.IfStmt, store ast.Stmt, inBody bool) bool {
	between := holder.Body.List
	if !inBody {
		between = list.list[list.i+1:]
	}
	to := indexAt(between, store.Pos())
	return to >= 0 && between[to] == store && !slices.ContainsFunc(between[:to], func(st ast.Stmt) bool {
		return leavesList(st) || stmtCalls(st)
	})
}

func stmtCalls(st ast.Stmt) (yes bool) {
	ast.Inspect(st, func(n ast.Node) bool {
		_, call := n.(*ast.CallExpr)
		yes = yes || call
		return !yes
	})
	return yes
}

// condition is the part of an if statement's condition that the load decides by itself:
// the whole condition, or one that is joined by &&.
func (s *search) condition(p pair) (cond ast.Expr, holder *ast.IfStmt) {
	inspectOwn(p.fn.node, func(n ast.Node) {
		st, ok := n.(*ast.IfStmt)
		if !ok || st.Cond.Pos() > p.load.Pos() || p.load.End() > st.Cond.End() || st.Init != nil {
			return
		}
		e := st.Cond
		if _, _, ok := s.expected(p, e); ok {
			cond, holder = e, st
		}
	})
	return cond, holder
}

// expected reads a comparison of the load with a value: the value, and whether the
// condition holds if they are equal.
func (s *search) expected(p pair, cond ast.Expr) (old string, equal, ok bool) {
	cond = ast.Unparen(cond)
	switch e := cond.(type) {
	case *ast.CallExpr:
		return "true", true, e == p.load
	case *ast.UnaryExpr:
		return "false", true, e.Op == token.NOT && ast.Unparen(e.X) == p.load
	case *ast.BinaryExpr:
		other := e.Y
		if ast.Unparen(e.X) != p.load {
			other = e.X
			if ast.Unparen(e.Y) != p.load {
				return "", false, false
			}
		}
		return s.Code.source(other), e.Op == token.EQL, e.Op == token.EQL || e.Op == token.NEQ
	}
	return "", false, false
}

// statementOf is the expression statement that is a call alone.
func statementOf(fn function, call *ast.CallExpr) (st *ast.ExprStmt) {
	inspectOwn(fn.node, func(n ast.Node) {
		if es, ok := n.(*ast.ExprStmt); ok && es.X == call {
			st = es
		}
	})
	return st
}

// addInstead is for `v := x.Load(); ...; x.Store(v + n)` and `x.Store(x.Load() + n)`.
func (s *search) addInstead(p pair) {
	sum, ok := ast.Unparen(p.value).(*ast.BinaryExpr)
	if !ok || sum.Op != token.ADD && sum.Op != token.SUB || !hasMethod(p.v.Type(), "Add") {
		return
	}
	delta := s.Code.source(sum.Y)
	if sum.Op == token.SUB {
		tv := p.fn.pkg.Info.Types[sum.Y]
		if tv.Value == nil || constant.Sign(tv.Value) < 0 || !signed(p.v.Type()) {
			return
		}
		delta = "-" + delta
	}
	d := s.draft()
	call := p.text + ".Add(" + delta + ")"
	if ast.Unparen(sum.X) == p.load {
		d.Replace(p.store, call)
		s.add(Repair{Title: "Count with " + call, Kind: Other, Weight: 4}, d)
		return
	}
	v, def := s.loaded(p)
	id, ok := ast.Unparen(sum.X).(*ast.Ident)
	if v == nil || !ok || p.fn.pkg.Info.Uses[id] != v {
		return
	}
	uses := 0
	inspectAll(p.fn.node, func(n ast.Node) {
		if u, ok := n.(*ast.Ident); ok && p.fn.pkg.Info.Uses[u] == v {
			uses++
		}
	})
	d.Replace(p.store, call)
	if uses == 1 {
		d.Remove(def)
	}
	s.add(Repair{Title: "Count with " + call, Kind: Other, Weight: 4}, d)
}

// swap is for `v := x.Load(); ...; x.Store(0)`, and for other variables beside x that the
// function reads and sets in the same way.
func (s *search) swap(p pair) {
	at := statementOf(p.fn, p.store)
	if at == nil {
		return
	}
	list, ok := inList(p.fn, at)
	if !ok {
		return
	}
	d := s.draft()
	title := ""
	for _, st := range list.list {
		es, ok := st.(*ast.ExprStmt)
		if !ok {
			continue
		}
		store, ok := es.X.(*ast.CallExpr)
		if !ok || !isMethod(store, "Store") || len(store.Args) != 1 || !isConst(p.fn, store.Args[0]) {
			continue
		}
		x := store.Fun.(*ast.SelectorExpr).X
		v, ok := p.fn.pkg.Info.ObjectOf(identOf(x)).(*types.Var)
		if !ok || !hasMethod(v.Type(), "Swap") || v.Origin() != p.v.Origin() && !beside(v.Origin(), p.v.Origin()) {
			continue
		}
		load := s.loadBefore(p.fn, list.list, es, s.Code.source(x))
		if load == nil {
			continue
		}
		call := s.Code.source(x) + ".Swap(" + s.Code.source(store.Args[0]) + ")"
		d.Replace(load, call)
		d.Remove(es)
		if store == p.store {
			title = call
		}
	}
	if title != "" {
		s.add(Repair{Title: "Let " + title + " read and set " + p.text + " at once", Kind: Other, Weight: 3}, d)
	}
}

// loadBefore is the one load of an atomic in the statements of a list before a store to
// it, if it is done whenever the store is.
func (s *search) loadBefore(fn function, list []ast.Stmt, store ast.Stmt, text string) (load *ast.CallExpr) {
	n := 0 // mentions of the variable
	for _, st := range list[:indexAt(list, store.Pos())] {
		simple := false
		switch st.(type) {
		case *ast.AssignStmt, *ast.DeclStmt, *ast.ExprStmt:
			simple = true
		default:
			if leavesList(st) {
				return nil
			}
		}
		maybe := false // not always evaluated
		ast.Inspect(st, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.FuncLit:
				maybe = true
			case *ast.BinaryExpr:
				maybe = maybe || x.Op == token.LAND || x.Op == token.LOR
			case *ast.CallExpr:
				if simple && isMethod(x, "Load") && s.Code.source(x.Fun.(*ast.SelectorExpr).X) == text {
					load = x
				}
			}
			if e, ok := x.(ast.Expr); ok && s.Code.source(e) == text {
				n++
				if maybe {
					n++
				}
			}
			return true
		})
	}
	if n != 1 {
		return nil // others see or change it, or it is not always loaded
	}
	return load
}

// loaded is the local variable that the load is put into, and that statement.
func (s *search) loaded(p pair) (v types.Object, def *ast.AssignStmt) {
	inspectOwn(p.fn.node, func(n ast.Node) {
		as, ok := n.(*ast.AssignStmt)
		if !ok || as.Tok != token.DEFINE || len(as.Lhs) != 1 || len(as.Rhs) != 1 || ast.Unparen(as.Rhs[0]) != p.load {
			return
		}
		if id, ok := as.Lhs[0].(*ast.Ident); ok {
			v, def = p.fn.pkg.Info.Defs[id], as
		}
	})
	return v, def
}

func hasMethod(t types.Type, name string) bool {
	o, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := o.(*types.Func)
	return ok
}

// signed reports whether an atomic type counts below zero.
func signed(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && strings.HasPrefix(n.Obj().Name(), "Int")
}
