package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// races proposes to hold one lock at both sides of a data race: the one that most
// accesses of the variable hold, one beside it, or a new one; at the two accesses
// alone, or wherever functions that run later than the constructor use it.
func races(s *search) {
	sides := s.sides()
	if len(sides) == 0 {
		return
	}
	t := []tear{{steps: sides[:1], others: sides[1:]}}
	vars := s.varsOf(t)
	if len(vars) == 0 {
		return
	}
	for _, c := range s.locksFor(t) {
		if s.Finding.Kind == "data-race" {
			s.guardSides(sides, c)
		}
		s.guardUses(vars[:1], c, 2)
		if more := s.companions(sides, vars[0]); len(more) > 1 {
			s.guardUses(more, c, 3)
		}
	}
}

// sides are the accesses of a data race. Another failure may come of one, too: of plain
// accesses of a field by two goroutines, one of which writes, in functions without locks.
// What one function does to itself, or what is torn apart, may be guarded by a lock; what
// comes in the wrong order is not.
func (s *search) sides() (list []*Step) {
	for _, st := range s.steps {
		if st != nil && (st.Op == "read" || st.Op == "write") {
			list = append(list, st)
		}
	}
	if s.Finding.Kind == "data-race" {
		return list
	}
	for _, a := range list {
		for _, b := range list {
			v, ok := a.Obj.(*types.Var)
			if ok && v.IsField() && a.Op == "write" && a.Goroutine != b.Goroutine && a.Obj == b.Obj && s.lockless(a) && s.lockless(b) &&
				(a.Fn == b.Fn || s.Finding.Class == "atomicity-violation") {
				return []*Step{a, b}
			}
		}
	}
	return nil
}

// lockless reports whether no function through which a step goes has critical sections.
func (s *search) lockless(st *Step) bool {
	return !slices.ContainsFunc(s.ways(st), func(w via) bool { return len(s.locksOf(w.fn)) > 0 })
}

// companions are a variable and those beside it, fields of its struct or variables of
// its package, that the functions of both sides use and one of them writes: they are
// likely to be guarded together.
func (s *search) companions(sides []*Step, v *types.Var) []*types.Var {
	list := []*types.Var{v}
	used := map[*types.Var]int{}
	written := map[*types.Var]bool{}
	var order []*types.Var
	for i, st := range sides {
		inspectOwn(st.Fn, func(n ast.Node) {
			var set []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				set = n.Lhs
			case *ast.IncDecStmt:
				set = []ast.Expr{n.X}
			}
			for _, l := range set {
				if o, ok := st.Pkg.Info.ObjectOf(identOf(l)).(*types.Var); ok {
					written[o.Origin()] = true
				}
			}
			id, ok := n.(*ast.Ident)
			if !ok {
				return
			}
			o, ok := st.Pkg.Info.ObjectOf(id).(*types.Var)
			if !ok || o.Origin() == v || isLock(o.Type()) || !beside(o.Origin(), v) {
				return
			}
			if o = o.Origin(); used[o] == 0 {
				order = append(order, o)
			}
			used[o] |= 1 << i
		})
	}
	for _, o := range order {
		if used[o] == 1<<len(sides)-1 && written[o] {
			list = append(list, o)
		}
	}
	return list
}

// beside reports whether two variables are fields of one struct, or of one package.
func beside(a, b *types.Var) bool {
	if a.IsField() != b.IsField() || a.Pkg() != b.Pkg() || a.Pkg() == nil {
		return false
	}
	if a.IsField() {
		x, _ := structOf(a)
		y, _ := structOf(b)
		return x != nil && x == y
	}
	return a.Parent() == b.Parent()
}

// guardSides makes the statements of a race hold a lock.
func (s *search) guardSides(sides []*Step, c choice) {
	var list []place
	for _, st := range sides {
		fn := function{st.Pkg, st.File, st.Fn}
		if r := regionOf(fn, st.Path[0]); r != nil {
			list = append(list, place{r, []ast.Node{st.Path[0]}, true})
		}
	}
	s.proposeGuard(list, s.varsOf([]tear{{steps: sides}}), c)
}

// guardUses makes all that functions do with variables hold a lock: one region for each
// function, from the first use to the last.
func (s *search) guardUses(vars []*types.Var, c choice, weight int) {
	var list []place
	for _, u := range s.usesOf(vars) {
		if s.isOwned(u) || c.lock != nil && s.held(u.fn, u.id.Pos(), c.lock) {
			continue
		}
		i := slices.IndexFunc(list, func(p place) bool { return p.fn.node == u.fn.node })
		if i < 0 {
			if r := regionOf(u.fn, u.expr); r != nil {
				list = append(list, place{r, []ast.Node{u.expr}, true})
			}
			continue
		}
		nodes := append(list[i].nodes, u.expr)
		if r := regionOf(u.fn, nodes...); r != nil {
			list[i] = place{r, nodes, true}
		}
	}
	c.weight += weight
	s.proposeGuard(list, vars, c)
}

func (s *search) usesOf(vars []*types.Var) (all []use) {
	for _, v := range vars {
		all = append(all, s.uses(v)...)
	}
	return all
}

// isOwned reports whether a use is of something that no other goroutine can know yet:
// the declaration of a variable, or a field of a value that the function has just made
// and not yet handed out.
func (s *search) isOwned(u use) bool {
	v, _ := u.fn.pkg.Info.ObjectOf(u.id).(*types.Var)
	if v == nil || v.Pos() == u.id.Pos() {
		return true
	}
	if u.base == nil {
		return false
	}
	id := rootIdent(u.base)
	if id == nil {
		return false
	}
	local, ok := u.fn.pkg.Info.ObjectOf(id).(*types.Var)
	if !ok || local.Parent() == nil || local.Parent() == u.fn.pkg.Types.Scope() {
		return false
	}
	made := token.NoPos
	shared := token.Pos(1 << 40)
	inspectAll(u.fn.node, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok && u.fn.pkg.Info.Defs[id] == local && i < len(n.Rhs) && isNew(n.Rhs[i]) {
					made = n.Pos()
				}
			}
		case *ast.GoStmt:
			shared = min(shared, n.Pos())
		case *ast.FuncLit:
			shared = min(shared, n.Pos())
		}
	})
	return made.IsValid() && made < u.id.Pos() && u.id.Pos() < shared
}

// inspectAll visits the nodes of a function, those of literals inside it too.
func inspectAll(fn ast.Node, visit func(ast.Node)) {
	ast.Inspect(body(fn), func(n ast.Node) bool {
		if n != nil {
			visit(n)
		}
		return n != nil
	})
}

// isNew reports whether an expression makes a value: T{}, &T{}, new(T), make(T).
func isNew(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		return e.Op == token.AND && isNew(e.X)
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && (id.Name == "new" || id.Name == "make")
	}
	return false
}

// rootIdent is the first name of an expression.
func rootIdent(e ast.Expr) *ast.Ident {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// proposeGuard proposes to hold a lock at places.
func (s *search) proposeGuard(list []place, vars []*types.Var, c choice) {
	if len(list) == 0 {
		return
	}
	d := s.draft()
	lock, kind, new := c.lock, ExtendLock, ""
	if lock == nil {
		if lock = s.newLock(d, vars); lock == nil {
			return
		}
		kind, new = NewLock, ", a new mutex,"
	}
	var regions []Region
	list = merged(list)
	for _, p := range list {
		text, ok := s.lockText(p, lock)
		if !ok {
			s.refuse("Hold "+lock.Name()+" at "+s.linesOf([]Region{s.span(p.region, lock.Name())}), lock.Name()+" can't be named there")
			return
		}
		if s.within(p, lock, text) {
			continue
		}
		for _, n := range p.nodes {
			if loop := inLoopCondition(p.fn, n); loop != nil {
				s.refuse("Hold "+text+" at "+s.linesOf([]Region{s.span(p.region, text)}), text+" would be held for all rounds of the loop at line "+itoa(s.Code.line(loop.Pos())))
				return
			}
		}
		l := lockAt{lock, text, false}
		r, err := s.enclose(d, s.withUpdates(p.region, l), l)
		if err != nil {
			s.refuse("Hold "+text+" at "+s.linesOf([]Region{s.span(p.region, text)}), err.Error())
			return
		}
		regions = append(regions, r)
	}
	if len(regions) == 0 {
		return
	}
	if d.writing {
		new += " for writing"
	}
	s.add(Repair{Title: "Hold " + with(regions, lock) + new + " at " + s.linesOf(regions), Kind: kind, Regions: regions,
		Weight: c.weight + 4*(len(regions)-1), newIn: s.placeOfLock(lock)}, d)
}
