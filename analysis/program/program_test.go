package program

import (
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/internal/bug"
)

const marked = `package p

func mark(string) bool

func f(n int) {
	mark("entry")
	if mark("test") {
		mark("then")
	} else if n > 1 {
		mark("else")
		return
	}
	for range n {
		mark("loop")
		if n > 2 {
			continue
		}
		mark("rest")
	}
	mark("end")
}
`

// marks are the calls of mark in function f, by their arguments.
func marks(t *testing.T) (*Program, map[string]*ssa.Call) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", marked, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg := &Package{Path: "p", Files: []*ast.File{file}, Info: newInfo()}
	if pkg.Types, err = (&types.Config{Importer: importer.Default()}).Check("p", fset, pkg.Files, pkg.Info); err != nil {
		t.Fatal(err)
	}
	p := Build(t.Context(), fset, []*Package{pkg})
	calls := map[string]*ssa.Call{}
	for _, fn := range p.Functions() {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if c, ok := in.(*ssa.Call); ok && len(c.Call.Args) == 1 {
					calls[constant.StringVal(c.Call.Args[0].(*ssa.Const).Value)] = c
				}
			}
		}
	}
	return p, calls
}

func newInfo() *types.Info {
	return &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		Instances: map[*ast.Ident]types.Instance{}, FileVersions: map[*ast.File]string{}}
}

func TestFlow(t *testing.T) {
	p, calls := marks(t)
	in := func(name string) ssa.Instruction {
		if calls[name] == nil {
			t.Fatalf("no mark %q in %v", name, calls)
		}
		return calls[name]
	}
	for _, c := range []struct {
		a, b                        string
		follows, before, sameLoop   bool
		aAlways, aInLoop, reachable bool // reachable: b after a, not through "loop"
	}{
		{a: "entry", b: "end", follows: true, before: true, aAlways: true, reachable: true},
		{a: "end", b: "entry"},
		{a: "test", b: "then", follows: true, before: true, aAlways: true, reachable: true},
		{a: "then", b: "end", follows: true, reachable: true},
		{a: "then", b: "else"},
		{a: "else", b: "end"},
		{a: "loop", b: "rest", follows: true, before: true, sameLoop: true, aAlways: false, aInLoop: true, reachable: true},
		{a: "rest", b: "loop", follows: true, sameLoop: true, aInLoop: true},
		{a: "loop", b: "end", follows: true, before: true, aInLoop: true, reachable: true},
		{a: "rest", b: "end", follows: true, before: true, aInLoop: true, reachable: true},
		{a: "then", b: "rest", follows: true},
	} {
		a, b := in(c.a), in(c.b)
		for _, got := range []struct {
			what      string
			got, want bool
		}{
			{"CanFollow", p.CanFollow(a, b), c.follows},
			{"Before", p.Before(a, b), c.before},
			{"SameLoop", p.SameLoop(a, b), c.sameLoop},
			{"Always", p.Always(a), c.aAlways},
			{"InLoop", p.InLoop(a), c.aInLoop},
			{"FollowsWithout loop", p.FollowsWithout(a, b, in("loop")), c.reachable},
		} {
			if got.got != got.want {
				t.Errorf("%s, %s: %s is %v", c.a, c.b, got.what, got.got)
			}
		}
	}
}

func TestOnlyIfTaken(t *testing.T) {
	_, calls := marks(t)
	var branch *ssa.If
	for _, r := range *calls["test"].Referrers() {
		if b, ok := r.(*ssa.If); ok {
			branch = b
		}
	}
	for name, want := range map[string][2]bool{"then": {true, false}, "else": {false, true}, "end": {}, "entry": {}} {
		if got := [2]bool{OnlyIfTaken(branch, 0, calls[name]), OnlyIfTaken(branch, 1, calls[name])}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestBroken: what is wrong with one package costs that one only, and a panic
// of the builder is a bug only if the package compiles.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module example.com/m\n\ngo 1.26\n",
		"good/a.go":      "package good\n\nfunc F() {}\n",
		"bad/a.go":       "package bad\n\nfunc F() { undefined() }\n",
		"torn/a.go":      "package torn\n\nfunc F() {\n\tx :=\n}\n",
		"torn/b.go":      "package torn\n\nfunc G() {}\n",
		"good/a_test.go": "package good\n\nimport \"testing\"\n\nfunc TestF(*testing.T) { F() }\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Load(t.Context(), Source{Dir: dir, Patterns: []string{"./..."}})
	if err != nil || len(l.Problems) != 2 || !strings.Contains(l.Problems[0], "undefined: undefined") || !strings.Contains(l.Problems[1], filepath.Join("torn", "a.go")) {
		t.Fatalf("problems %q, %v", l.Problems, err)
	}
	p := Build(t.Context(), l.Fset, l.Packages)
	if !slices.ContainsFunc(p.Packages, func(pkg *Package) bool { return pkg.Path == "example.com/m/good" && pkg.Test }) {
		t.Errorf("no package with its tests among %d", len(p.Packages))
	}
	bug.Tolerate(t)
	for _, pkg := range l.Packages {
		pkg.Info = &types.Info{} // the SSA builder needs it
	}
	p = Build(t.Context(), l.Fset, l.Packages)
	want := []string{"example.com/m/bad: not analyzed: it does not compile", `analyzing package example.com/m/good failed: internal error of Hocket; run "hocket bug" to report it`}
	if slices.Sort(p.Problems); !slices.Equal(p.Problems, []string{want[1], want[0]}) || len(p.Packages) != 0 {
		t.Errorf("problems %q, want %q", p.Problems, want)
	}
	if got, err := bug.List(); len(got) != 1 || err != nil {
		t.Errorf("bug reports %+v, %v", got, err)
	}
}
