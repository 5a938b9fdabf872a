package repair

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// inversion is for locks that goroutines take in different orders: the order of two
// calls, one order by a field that tells the objects apart, or what is done with both
// locks moved behind the release of the first.
func inversion(s *search) {
	if s.Finding.Kind != "deadlock" && s.Finding.Kind != "leak" {
		return
	}
	seen := map[ast.Node]bool{}
	for _, st := range slices.Concat(s.steps, s.blocked) {
		for f := st; f != nil; f = f.Caller {
			if seen[f.Fn] {
				continue
			}
			seen[f.Fn] = true
			fn := function{f.Pkg, f.File, f.Fn}
			s.swapLocks(fn)
			s.lockInOrder(fn)
			s.gate(fn)
		}
	}
	for _, st := range slices.Concat(s.steps, s.blocked) {
		if st != nil {
			s.moveOut(st)
		}
	}
}

// twice are two sections of one list of which the second begins in the first.
func (s *search) twice(fn function, visit func(a, b *section)) {
	all := s.locksOf(fn)
	for _, a := range all {
		for _, b := range all {
			if a != b && slices.Equal(a.list, b.list) && a.at < b.at && a.holds(b.take.Pos()) {
				visit(a, b)
			}
		}
	}
}

// swapLocks takes two locks in the other order.
func (s *search) swapLocks(fn function) {
	s.twice(fn, func(a, b *section) {
		if a.obj == b.obj || !s.Code.alone(a.take) || !s.Code.alone(b.take) {
			return
		}
		x, y := s.Code.source(a.take), s.Code.source(b.take)
		d := s.draft()
		if s.knownAt(fn, b.lock, a.take.Pos()) {
			d.Replace(a.take, y)
			d.Replace(b.take, x)
			if a.deferred != nil && b.deferred != nil {
				d.Replace(a.deferred, s.Code.source(b.deferred))
				d.Replace(b.deferred, s.Code.source(a.deferred))
			} else if a.deferred != nil || b.deferred != nil {
				return
			}
			s.add(Repair{Title: "Lock " + s.Code.source(b.lock) + " before " + s.Code.source(a.lock) + " in " + nameOf(fn), Kind: Order, Weight: 6}, d)
		}
	})
}

// nameOf is the name of a function, for titles.
func nameOf(fn function) string {
	if d, ok := fn.node.(*ast.FuncDecl); ok {
		return d.Name.Name
	}
	return "the function"
}

// lockInOrder is for two objects of one type that are locked in the order in which they
// were given: a field that differs decides.
func (s *search) lockInOrder(fn function) {
	s.twice(fn, func(a, b *section) {
		x, ok := lockOwner(a.lock)
		y, ok2 := lockOwner(b.lock)
		if a.obj != b.obj || !ok || !ok2 || a.read != b.read {
			return
		}
		if b.at > a.at+2 { // something is done between
			return
		}
		key := s.keyField(fn, x)
		if key == "" {
			return
		}
		first, second := s.Code.source(x), s.Code.source(y)
		d := s.draft()
		one, other := freshName(fn, a.take, "first"), freshName(fn, a.take, "second")
		suffix := s.Code.source(a.take)[len(first):]
		d.Before(a.take, one+", "+other+" := "+first+", "+second,
			"if "+other+"."+key+" < "+one+"."+key+" {",
			"\t"+one+", "+other+" = "+other+", "+one,
			"}")
		d.Replace(a.take, one+suffix)
		d.Replace(b.take, other+suffix)
		s.add(Repair{Title: "Lock " + first + " and " + second + " in the order of " + key, Kind: Order, Weight: 7}, d)
	})
}

// gate lets one goroutine at a time take both locks.
func (s *search) gate(fn function) {
	s.twice(fn, func(a, b *section) {
		if a.obj != b.obj {
			return
		}
		decl, ok := fn.node.(*ast.FuncDecl)
		if !ok || !a.obj.IsField() {
			return
		}
		lower := strings.ToLower(decl.Name.Name[:1]) + decl.Name.Name[1:]
		name := unused(lower+"Mu", lower, func(n string) bool { return fn.pkg.Types.Scope().Lookup(n) != nil })
		d := s.draft()
		d.Before(decl, "// "+name+" is held while "+decl.Name.Name+" takes two locks: their order is not known.", "var "+name+" "+s.syncName(d, fn.file, decl.Pos())+".Mutex", "")
		d.Before(a.take, name+".Lock()")
		d.After(b.take, name+".Unlock()")
		s.add(Repair{Title: "Let one goroutine at a time take both locks in " + decl.Name.Name + ", with " + name + ", a new mutex", Kind: NewLock, Weight: 10}, d)
	})
}

// lockOwner is x of x.mu, or of x with an embedded lock.
func lockOwner(e ast.Expr) (ast.Expr, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return e.X, plainPath(e.X)
	case *ast.Ident:
		return e, true
	}
	return nil, false
}

// keyField is a field of an object by which such objects can be ordered: an integer or
// string that is named as one.
func (s *search) keyField(fn function, e ast.Expr) string {
	t := fn.pkg.Info.TypeOf(e)
	if t == nil {
		return ""
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	for _, name := range []string{"id", "ID", "Id", "key", "Key", "name", "Name", "index", "num", "number", "seq"} {
		for i := range st.NumFields() {
			f := st.Field(i)
			b, ok := f.Type().Underlying().(*types.Basic)
			if ok && f.Name() == name && b.Info()&types.IsOrdered != 0 {
				return name
			}
		}
	}
	return ""
}
