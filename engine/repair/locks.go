package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/analysis/program"
	"github.com/hocket-dev/hocket/engine/site"
)

// section is a critical section: what runs between a call that takes a lock and the
// one that releases it, as far as the syntax of one function shows.
type section struct {
	lock     ast.Expr   // "s.mu"; "s" if the lock is embedded in s
	obj      *types.Var // the lock
	read     bool       // RLock
	take     *ast.ExprStmt
	list     []ast.Stmt // that holds take
	at       int        // index of take in list
	to       token.Pos  // the release at its end, or the end of the list or function
	deferred *ast.DeferStmt
	among    ast.Stmt   // the release in a deferred function literal that does more; else nil
	releases []ast.Stmt // calls that release it, early ones included
}

func (s *section) holds(p token.Pos) bool { return s.take.End() <= p && p < s.to }

// lockCall recognises X.Lock() and its kin; name is the method.
func lockCall(info *types.Info, e ast.Expr) (lock ast.Expr, obj *types.Var, name string) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 0 {
		return nil, nil, ""
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil, nil, ""
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync" {
		return nil, nil, ""
	}
	switch fn.Name() {
	case "Lock", "Unlock", "RLock", "RUnlock":
	default:
		return nil, nil, ""
	}
	if o, ok := info.ObjectOf(identOf(sel.X)).(*types.Var); ok {
		obj = o
	}
	if s := info.Selections[sel]; s != nil && len(s.Index()) > 1 { // promoted from an embedded lock
		if f := fieldOn(s.Recv(), s.Index()[:len(s.Index())-1]); f != nil {
			obj = f
		}
	}
	if obj == nil {
		return nil, nil, ""
	}
	return sel.X, obj.Origin(), fn.Name()
}

// fieldOn follows the indexes of a selection.
func fieldOn(t types.Type, index []int) (f *types.Var) {
	for _, i := range index {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok || i >= st.NumFields() {
			return nil
		}
		f = st.Field(i)
		t = f.Type()
	}
	return f
}

// body is that of a function.
func body(fn ast.Node) *ast.BlockStmt {
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		return fn.Body
	case *ast.FuncLit:
		return fn.Body
	}
	return nil
}

// lists calls visit with each list of statements of a function, without those of
// function literals inside it.
func lists(fn ast.Node, visit func([]ast.Stmt)) {
	b := body(fn)
	if b == nil {
		return
	}
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			if list := listOf(n); list != nil {
				visit(list)
			}
		}
		return true
	})
}

// sections are the critical sections of a function, without those of function
// literals inside it.
func (s *search) sections(pkg *program.Package, fn ast.Node) (all []*section) {
	lists(fn, func(list []ast.Stmt) {
		for i, st := range list {
			es, ok := st.(*ast.ExprStmt)
			if !ok {
				continue
			}
			lock, obj, name := lockCall(pkg.Info, es.X)
			if name != "Lock" && name != "RLock" {
				continue
			}
			sec := &section{lock: lock, obj: obj, read: name == "RLock", take: es, list: list, at: i, to: list[len(list)-1].End()}
			s.releases(pkg, fn, sec)
			all = append(all, sec)
		}
	})
	return all
}

// releases finds where a section ends.
func (s *search) releases(pkg *program.Package, fn ast.Node, sec *section) {
	want := "Unlock"
	if sec.read {
		want = "RUnlock"
	}
	is := func(e ast.Expr) bool {
		lock, obj, name := lockCall(pkg.Info, e)
		return name == want && obj == sec.obj && s.Code.source(lock) == s.Code.source(sec.lock)
	}
	for _, st := range sec.list[sec.at+1:] {
		if d, ok := st.(*ast.DeferStmt); ok && deferredCall(d, is) {
			sec.deferred, sec.to = d, body(fn).End()
			sec.among = oneOf(d, is)
			return
		}
		if es, ok := st.(*ast.ExprStmt); ok && is(es.X) {
			sec.releases = append(sec.releases, st)
			sec.to = st.Pos()
			return
		}
		ast.Inspect(st, func(n ast.Node) bool { // early ones, before a return
			if es, ok := n.(*ast.ExprStmt); ok && is(es.X) {
				sec.releases = append(sec.releases, es)
			}
			_, lit := n.(*ast.FuncLit)
			return !lit
		})
	}
}

// deferredCall reports whether a defer statement makes such a call, by itself or in a
// function literal.
func deferredCall(d *ast.DeferStmt, is func(ast.Expr) bool) (yes bool) {
	if is(d.Call) {
		return true
	}
	if lit, ok := d.Call.Fun.(*ast.FuncLit); ok {
		for _, st := range lit.Body.List {
			es, ok := st.(*ast.ExprStmt)
			yes = yes || ok && is(es.X)
		}
	}
	return yes
}

// oneOf is the statement of a deferred function literal that makes such a call, if it has
// others, too.
func oneOf(d *ast.DeferStmt, is func(ast.Expr) bool) ast.Stmt {
	lit, ok := d.Call.Fun.(*ast.FuncLit)
	if !ok || len(lit.Body.List) < 2 {
		return nil
	}
	for _, st := range lit.Body.List {
		if es, ok := st.(*ast.ExprStmt); ok && is(es.X) {
			return st
		}
	}
	return nil
}

// function is a function of the packages.
type function struct {
	pkg  *program.Package
	file *ast.File
	node ast.Node // *ast.FuncDecl or *ast.FuncLit
}

// functions are all functions of the packages, literals included; of dependencies, not
// those of their tests.
func (s *search) functions() []function {
	if s.fns == nil {
		for _, p := range s.Code.Packages {
			for _, f := range p.Files {
				name := s.Code.name(f.FileStart)
				if strings.HasSuffix(name, "_test.go") && !site.InMain(s.Roots.Name(name)) {
					continue
				}
				ast.Inspect(f, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.FuncDecl:
						if n.Body != nil {
							s.fns = append(s.fns, function{p, f, n})
						}
					case *ast.FuncLit:
						s.fns = append(s.fns, function{p, f, n})
					}
					return true
				})
			}
		}
	}
	return s.fns
}

// locksOf are the critical sections of all functions.
func (s *search) locksOf(fn function) []*section {
	if s.secs == nil {
		s.secs = map[ast.Node][]*section{}
	}
	all, ok := s.secs[fn.node]
	if !ok {
		all = s.sections(fn.pkg, fn.node)
		s.secs[fn.node] = all
	}
	return all
}

// use is a place where a variable is named.
type use struct {
	fn   function
	id   *ast.Ident
	expr ast.Expr // the identifier, or the selector that it ends
	base ast.Expr // what the field is of: "s" of s.count; nil for variables
}

// uses are the places within functions where a variable or field is named.
func (s *search) uses(v *types.Var) (all []use) {
	for _, fn := range s.functions() {
		inspectOwn(fn.node, func(n ast.Node) {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if o, ok := fn.pkg.Info.Uses[n.Sel].(*types.Var); ok && o.Origin() == v {
					all = append(all, use{fn, n.Sel, n, n.X})
				}
			case *ast.Ident:
				if o, ok := fn.pkg.Info.ObjectOf(n).(*types.Var); ok && o.Origin() == v && !v.IsField() {
					all = append(all, use{fn, n, n, nil})
				}
			}
		})
	}
	return all
}

// inspectOwn visits the nodes of a function without those of literals inside it.
func inspectOwn(fn ast.Node, visit func(ast.Node)) {
	b := body(fn)
	if b == nil {
		return
	}
	ast.Inspect(b, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		visit(n)
		_, lit := n.(*ast.FuncLit)
		return !lit
	})
}

// guard is the lock that most accesses of a variable hold, nil if none does.
func (s *search) guard(v *types.Var) *types.Var {
	held := map[*types.Var]int{}
	var order []*types.Var
	for _, u := range s.uses(v.Origin()) {
		for _, sec := range s.locksOf(u.fn) {
			if sec.holds(u.id.Pos()) {
				if held[sec.obj]++; held[sec.obj] == 1 {
					order = append(order, sec.obj)
				}
			}
		}
	}
	if len(order) == 0 {
		return nil
	}
	return slices.MaxFunc(order, func(a, b *types.Var) int { return held[a] - held[b] })
}

// held reports whether an access holds a lock in its own function.
func (s *search) held(fn function, at token.Pos, lock *types.Var) bool {
	return slices.ContainsFunc(s.locksOf(fn), func(sec *section) bool { return sec.obj == lock && sec.holds(at) })
}

// isRW reports whether a lock is a sync.RWMutex.
func isRW(lock *types.Var) bool {
	t := lock.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "RWMutex" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync"
}
