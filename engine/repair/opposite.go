package repair

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/hocket-dev/hocket/analysis/program"
)

// held is that one lock is taken while another one is held, by their names.
type held struct{ outer, inner string }

// opposite is an error if, with the new texts of files, two locks are taken in both
// orders, which they are not today: goroutines that do come to wait for each other, even
// if no test shows that.
func (s *search) opposite(files map[string][]byte) error {
	if !slices.ContainsFunc(slices.Collect(maps.Values(files)), func(t []byte) bool { return bytes.Contains(t, []byte("Lock()")) }) {
		return nil
	}
	var edited []*program.Package
	for _, p := range s.Code.Packages {
		if slices.ContainsFunc(p.Files, func(f *ast.File) bool { return files[s.Code.name(f.FileStart)] != nil }) {
			if p = s.retyped(p, files); p == nil {
				return nil
			}
		}
		edited = append(edited, p)
	}
	texts := maps.Clone(s.Code.texts)
	maps.Copy(texts, files)
	after := &search{Problem: &Problem{Finding: s.Finding, Roots: s.Roots,
		Code: &Code{Loaded: &program.Loaded{Fset: s.Code.Fset, Packages: edited}, overlay: s.Code.overlay, texts: texts}}}
	now := after.lockOrders()
	if s.orders == nil {
		s.orders = s.lockOrders()
	}
	for _, h := range slices.SortedFunc(maps.Keys(now), func(a, b held) int { return int(now[a] - now[b]) }) {
		back, both := now[held{h.inner, h.outer}]
		if _, before := s.orders[h]; !both || before && s.orders[held{h.inner, h.outer}].IsValid() {
			continue
		}
		name := func(p token.Pos) string { return base(after.Code.name(p)) + ":" + itoa(after.Code.line(p)) }
		return fmt.Errorf("with it, %s takes %s while it holds %s, and %s the other way round", name(now[h]), base(h.inner), base(h.outer), name(back))
	}
	return nil
}

// retyped is a package with the new texts of files, nil if they do not parse.
func (s *search) retyped(p *program.Package, files map[string][]byte) *program.Package {
	n := &program.Package{Path: p.Path, Test: p.Test, Info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{}}}
	for _, f := range p.Files {
		name := s.Code.name(f.FileStart)
		text := files[name]
		if text == nil {
			text = s.Code.Text(name)
		}
		f, err := parser.ParseFile(s.Code.Fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		n.Files = append(n.Files, f)
	}
	// What a file imports anew may be missing; the locks of the others are known.
	conf := types.Config{Importer: s.imports(), Error: func(error) {}}
	n.Types, _ = conf.Check(p.Types.Path(), s.Code.Fset, n.Files, n.Info)
	return n
}

// knownPackages are those that the sources import, directly or not.
type knownPackages map[string]*types.Package

func (k knownPackages) Import(path string) (*types.Package, error) {
	if p := k[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}

func (s *search) imports() knownPackages {
	if s.packages == nil {
		s.packages = knownPackages{"unsafe": types.Unsafe}
		var add func(*types.Package)
		add = func(p *types.Package) {
			for _, i := range p.Imports() {
				if s.packages[i.Path()] == nil {
					s.packages[i.Path()] = i
					add(i)
				}
			}
		}
		for _, p := range s.Code.Packages {
			add(p.Types)
		}
	}
	return s.packages
}

// lockOrders are the locks that functions take, by themselves or by calls, while they hold
// another one, and where: fields of named structs and variables of packages.
func (s *search) lockOrders() map[held]token.Pos {
	all := map[held]token.Pos{}
	known := takers{bodies: map[string]function{}, locks: map[ast.Node]map[string]bool{}}
	for _, fn := range s.functions() {
		if d := declared(fn); d != nil {
			known.bodies[d.FullName()] = fn
		}
	}
	for _, fn := range s.functions() {
		sections := s.locksOf(fn)
		if len(sections) == 0 || s.isTest(fn) {
			continue
		}
		later := laterCalls(fn.node)
		inspectOwn(fn.node, func(n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || later[call] {
				return
			}
			for inner := range known.by(s, fn, call) {
				for _, sec := range sections {
					h := held{lockName(sec.obj), inner}
					if h.outer != "" && inner != h.outer && stillHeld(fn, sec, call) && !all[h].IsValid() {
						all[h] = call.Pos()
					}
				}
			}
		})
	}
	return all
}

// stillHeld reports whether a section's lock is held at a node, also after what an earlier
// branch released before it left.
func stillHeld(fn function, sec *section, n ast.Node) bool {
	return sec.holds(n.Pos()) && !slices.ContainsFunc(sec.releases, func(rel ast.Stmt) bool {
		where, ok := inList(fn, rel)
		return ok && rel.End() <= n.Pos() && n.Pos() < where.list[len(where.list)-1].End()
	})
}

// takers are the declared functions by their full names, which are the same in all readings
// of a package, and the locks that each takes.
type takers struct {
	bodies map[string]function
	locks  map[ast.Node]map[string]bool
}

// by are the names of the locks that a call takes.
func (t takers) by(s *search, fn function, call *ast.CallExpr) map[string]bool {
	if _, obj, name := lockCall(fn.pkg.Info, call); name == "Lock" || name == "RLock" {
		if lock := lockName(obj); lock != "" {
			return map[string]bool{lock: true}
		}
		return nil
	}
	callee := s.callee(fn.pkg.Info, call)
	if callee == nil {
		return nil
	}
	b, ok := t.bodies[callee.FullName()]
	if !ok {
		return nil
	}
	if list, ok := t.locks[b.node]; ok {
		return list
	}
	list := map[string]bool{}
	t.locks[b.node] = list // of a function that calls itself, what is known until then
	later := laterCalls(b.node)
	inspectOwn(b.node, func(n ast.Node) {
		if c, ok := n.(*ast.CallExpr); ok && !later[c] {
			maps.Copy(list, t.by(s, b, c))
		}
	})
	return list
}

// lockName tells locks apart in all readings of a package: "example.com/docs.Store.mu"; "" for variables of
// functions and fields of structs without a name.
func lockName(v *types.Var) string {
	if tn, _ := structOf(v); tn != nil {
		return tn.Pkg().Path() + "." + tn.Name() + "." + v.Name()
	}
	if v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		return v.Pkg().Path() + "." + v.Name()
	}
	return ""
}
