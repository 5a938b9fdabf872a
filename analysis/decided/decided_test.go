package decided_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/analysis/decided"
	"github.com/hocket-dev/hocket/analysis/program"
)

// TestConditions reads testdata: each if and for with a condition says in a comment
// on its line whether it is "open" or the goroutine's "own".
func TestConditions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) { check(t, name) })
	}
}

// analyzed is a file of testdata as a module.
func analyzed(t *testing.T, name string) (*decided.Program, *program.Loaded) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for file, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "m.go": string(text)} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l, err := program.Load(t.Context(), program.Source{Dir: dir})
	if err != nil || len(l.Problems) > 0 {
		t.Fatal(err, l.Problems)
	}
	p, err := decided.Analyze(t.Context(), program.BuildWithExpressions(t.Context(), l.Fset, l.Packages))
	if err != nil {
		t.Fatal(err)
	}
	return p, l
}

func check(t *testing.T, name string) {
	p, l := analyzed(t, name)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, f := range l.Packages[0].Files {
		eachCondition(f, func(fn ast.Node, cond ast.Expr) {
			line := l.Fset.Position(cond.Pos()).Line
			_, want, _ := strings.Cut(lines[line-1], "// ")
			got := "own"
			for _, leaf := range leaves(cond) {
				if p.Open(fn, leaf) {
					got = "open"
				}
			}
			if want, _, _ = strings.Cut(want, ":"); got != want {
				t.Errorf("%s:%d: %s, want %s: %s", name, line, got, want, strings.TrimSpace(lines[line-1]))
			}
		})
	}
}

// eachCondition visits conditions with the function that they are in.
func eachCondition(f *ast.File, visit func(fn ast.Node, cond ast.Expr)) {
	var in func(fn, n ast.Node)
	in = func(fn, n ast.Node) {
		ast.Inspect(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				if x != n {
					in(x, x)
					return false
				}
			case *ast.IfStmt:
				visit(fn, x.Cond)
			case *ast.ForStmt:
				if x.Cond != nil {
					visit(fn, x.Cond)
				}
			}
			return true
		})
	}
	in(nil, f)
}

// leaves are the conditions that && and || combine.
func leaves(e ast.Expr) []ast.Expr {
	switch x := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return append(leaves(x.X), leaves(x.Y)...)
		}
	case *ast.UnaryExpr:
		return leaves(x.X)
	}
	return []ast.Expr{ast.Unparen(e)}
}

// TestTouches: functions of testdata that touch nothing that is shared say so in
// their comment.
func TestTouches(t *testing.T) {
	n := 0
	for _, name := range []string{"testdata/touches/touches.go"} {
		p, l := analyzed(t, name)
		for _, d := range l.Packages[0].Files[0].Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				n++
				want := !strings.Contains(fn.Doc.Text(), "touches nothing")
				if got := p.Touches(fn); got != want {
					t.Errorf("%s: touches: %v, want %v", fn.Name.Name, got, want)
				}
				// Of order it is not known: fmt.Sprint may call methods of what it is given.
				mute := !want && fn.Name.Name != "order"
				if got := p.Mute(l.Packages[0].Info.Defs[fn.Name].(*types.Func)); got != mute {
					t.Errorf("%s: mute: %v, want %v", fn.Name.Name, got, mute)
				}
			}
		}
	}
	if n < 8 {
		t.Errorf("%d functions", n)
	}
}
