package analysis

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/analysis/program"
)

// entries of the packages, one after the other: main, each test, and for
// libraries what callers outside may run at once. What is known of a test's own
// function is forgotten after it: nobody calls it, and there may be many.
func (p *summarizer) entries(visit func(*entry)) {
	show := func(en *entry) {
		if en != nil && len(en.events) > 0 && p.ctx.Err() == nil {
			visit(en)
		}
	}
	for i := range p.Built {
		p.attempt("analyzing package "+p.Packages[i].Path, func() { p.entriesOf(p.Packages[i], p.Built[i], show) })
	}
}

func (p *summarizer) entriesOf(u *program.Package, pkg *ssa.Package, show func(*entry)) {
	p.hasCode = p.testsOthers(u)
	if pkg.Pkg.Name() == "main" {
		if fn := pkg.Func("main"); fn != nil {
			show(p.started("main", fn))
		}
	}
	var parallelTests []*ssa.Function
	for _, fn := range p.tests(u, pkg) {
		show(p.started(fn.Name(), fn))
		p.forget(fn)
		if p.callsParallel(fn) {
			parallelTests = append(parallelTests, fn)
		}
	}
	if len(parallelTests) > 0 {
		show(p.together("parallel tests", parallelTests))
	}
	for _, en := range p.library(u, pkg) {
		show(en)
	}
}

func (p *summarizer) started(name string, fn *ssa.Function) *entry {
	return &entry{p: p, name: name, events: p.summary(fn).events}
}

// tests, benchmarks, examples and fuzz targets, in the order of their names.
func (p *summarizer) tests(u *program.Package, pkg *ssa.Package) []*ssa.Function {
	var out []*ssa.Function
	if !u.Test {
		return nil
	}
	for _, name := range u.Types.Scope().Names() {
		for _, prefix := range []string{"Test", "Benchmark", "Example", "Fuzz"} {
			fn := pkg.Func(name)
			if fn != nil && strings.HasPrefix(name, prefix) && len(fn.Params) <= 1 &&
				strings.HasSuffix(p.Fset.Position(fn.Pos()).Filename, "_test.go") {
				out = append(out, fn)
				break
			}
		}
	}
	return out
}

// testsOthers reports whether tests in a package are about code outside its test files.
func (p *summarizer) testsOthers(u *program.Package) bool {
	for _, f := range u.Files {
		if !strings.HasSuffix(p.Fset.Position(f.FileStart).Filename, "_test.go") {
			return true
		}
	}
	return slices.ContainsFunc(u.Types.Imports(), func(imported *types.Package) bool {
		first, _, _ := strings.Cut(imported.Path(), "/")
		return u.Types.Name() != "main" && strings.Contains(first, ".") || slices.ContainsFunc(p.Packages, func(o *program.Package) bool { return o.Path == imported.Path() })
	})
}

func (p *summarizer) callsParallel(fn *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if c, ok := in.(ssa.CallInstruction); ok && isParallel(called(c.Common())) {
				return true
			}
		}
	}
	return false
}

// together: all functions run at once, each also beside itself.
func (p *summarizer) together(name string, fns []*ssa.Function) *entry {
	en := &entry{p: p, name: name, callers: true}
	for _, fn := range fns {
		p.run(en, fn, nil)
	}
	return en
}

// run adds what a function does when callers outside run it. recv is the type
// whose one value all callers share.
func (p *summarizer) run(en *entry, fn *ssa.Function, recv *types.TypeName) {
	first := fn.Blocks[0].Instrs[0]
	b := &binding{p: p, prefix: []linkOf{{first, spawned}}}
	for i, q := range fn.Params {
		var given []*path
		t := deref(q.Type())
		if n, ok := types.Unalias(t).(*types.Named); ok {
			obj := n.Origin().Obj()
			if recv != nil && i == 0 && obj == recv || !isFuncOrInterface(t) {
				name := obj.Name()
				given = []*path{newPath(base{kind: outside, obj: obj, index: boolInt(i > 0 || recv == nil) * (i + 1)}, name, t)}
			}
		}
		b.params, b.indices = append(b.params, given), append(b.indices, "")
	}
	b.events(p.summary(fn), nil, func(e *event) bool {
		en.events = append(en.events, e)
		if len(en.events) >= maxEntry {
			en.full = true
		}
		return !en.full
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isFuncOrInterface(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		return true
	}
	return false
}

// library makes an entry for each type that is meant to be used by several
// goroutines: one with a lock, condition, atomic or channel in it, and of which
// callers outside may hold a value. In a main package only HTTP handlers are
// called from outside.
func (p *summarizer) library(u *program.Package, pkg *ssa.Package) []*entry {
	var out []*entry
	scope := u.Types.Scope()
	held := p.visibleIn(pkg)
	var loose []*ssa.Function
	for _, name := range scope.Names() {
		switch obj := scope.Lookup(name).(type) {
		case *types.TypeName:
			n, ok := obj.Type().(*types.Named)
			if !ok || obj.IsAlias() || !held[obj] || strings.HasSuffix(p.Fset.Position(obj.Pos()).Filename, "_test.go") {
				continue
			}
			fns := p.methods(n, pkg.Pkg.Name() == "main")
			if len(fns) == 0 || !synchronised(n, 0) && pkg.Pkg.Name() != "main" {
				continue
			}
			en := &entry{p: p, name: "callers of " + name, callers: true}
			for _, fn := range fns {
				p.run(en, fn, obj)
			}
			out = append(out, en)
		case *types.Func:
			fn := p.SSA.FuncValue(obj)
			if fn != nil && obj.Exported() && len(fn.Blocks) > 0 && pkg.Pkg.Name() != "main" &&
				!strings.HasSuffix(p.Fset.Position(obj.Pos()).Filename, "_test.go") {
				loose = append(loose, fn)
			}
		}
	}
	if len(loose) > 0 && guarded(scope) {
		en := p.together(fmt.Sprintf("callers of package %s", pkg.Pkg.Name()), loose)
		en.events = slices.DeleteFunc(en.events, func(e *event) bool { return e.path.base.kind != global })
		out = append(out, en)
	}
	return out
}

// methods of a type that callers outside can reach.
func (p *summarizer) methods(n *types.Named, handlersOnly bool) []*ssa.Function {
	var out []*ssa.Function
	for i := range n.NumMethods() {
		m := n.Method(i)
		if handlersOnly && m.Name() != "ServeHTTP" || !m.Exported() {
			continue
		}
		if fn := p.SSA.FuncValue(m); fn != nil && len(fn.Blocks) > 0 {
			out = append(out, fn)
		}
	}
	return out
}

// synchronised reports whether values of the type hold something by which
// goroutines meet.
func synchronised(t types.Type, depth int) bool {
	if depth > 3 {
		return false
	}
	if n, ok := types.Unalias(deref(t)).(*types.Named); ok && n.Obj().Pkg() != nil {
		switch n.Obj().Pkg().Path() {
		case "sync", "sync/atomic", "golang.org/x/sync/errgroup":
			return true
		}
		if depth > 0 && t != deref(t) {
			return false // another object, with a life of its own
		}
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		_, isChan := t.Underlying().(*types.Chan)
		return isChan
	}
	for i := range st.NumFields() {
		if synchronised(st.Field(i).Type(), depth+1) {
			return true
		}
	}
	return false
}

// guarded reports whether a package has variables of package sync.
func guarded(s *types.Scope) bool {
	for _, name := range s.Names() {
		if v, ok := s.Lookup(name).(*types.Var); ok && synchronised(v.Type(), 1) {
			return true
		}
	}
	return false
}
