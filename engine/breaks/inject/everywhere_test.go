package inject

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/internal/words"
)

// Breakpoints at every statement of real packages, all at once: their own tests
// pass, with them off and with them on.
func TestEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	for _, pkg := range []string{"text/tabwriter", "encoding/csv", "container/list"} {
		t.Run(pkg, func(t *testing.T) { everywhere(t, pkg) })
	}
}

func everywhere(t *testing.T, pkg string) {
	dir := copied(t, pkg)
	bs := atEveryStatement(t, dir)
	if len(bs) < 30 {
		t.Fatalf("only %d breakpoints", len(bs))
	}
	target := instrument.Target{Dir: dir, ImportPath: "example.com/" + pkg, Test: true}
	p, err := Build(t.Context(), target, bs, t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, n := range p.Breakpoints {
		if n.Lost != "" && !strings.Contains(n.Lost, "mismatched types") { // the receiver's name is declared again
			t.Errorf("%s is lost: %s", n.Sides[0].Name, n.Lost)
		}
	}
	on := p.Definitions
	for _, defs := range []int{0, len(on)} {
		p.Definitions = on[:defs]
		r, err := p.Run(t.Context(), nil, Limits{Hard: time.Minute}, false, filepath.Join(t.TempDir(), "report"))
		if err != nil {
			t.Fatal(err)
		}
		if r.Failure != "" || !strings.Contains(r.Output, "PASS") {
			t.Errorf("%d breakpoints on: %s\n%s", defs, r.Failure, words.FirstLines(r.Output, 20))
		}
		if len(r.Report.Breaks) < defs/2 {
			t.Errorf("%d of %d breakpoints were reached", len(r.Report.Breaks), defs)
		}
		for _, n := range p.Breakpoints {
			if s := r.Report.Breaks[n.Number]; s != nil && len(s.Faults) > 0 {
				t.Errorf("%s: condition %q: %s", n.Sides[0].Name, n.If, s.Faults[0])
			}
		}
		t.Logf("%d breakpoints on, %d reached, in %v", defs, len(r.Report.Breaks), r.Took)
	}
}

// copied is a package of the standard library as a module of its own.
func copied(t *testing.T, pkg string) string {
	t.Helper()
	dir := module(t, fmt.Sprintf("-- go.mod --\nmodule example.com/%s\n\ngo 1.26\n", pkg))
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(runtime.GOROOT(), "src", filepath.FromSlash(pkg)))); err != nil {
		t.Fatal(err)
	}
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(tests) == 0 {
		t.Fatal(tests, err)
	}
	for _, name := range tests { // they test the copy
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = []byte(strings.ReplaceAll(string(text), fmt.Sprintf("%q", pkg), fmt.Sprintf("%q", "example.com/"+pkg)))
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// atEveryStatement pairs neighbouring statements, those of one method with a
// condition on its receiver.
func atEveryStatement(t *testing.T, dir string) (bs []Breakpoint) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			sides := statements(fset, name, fn)
			for i := 0; i+1 < len(sides); i += 2 {
				b := Breakpoint{ID: sides[i].Name, Sides: sides[i : i+2], Timeouts: []time.Duration{time.Millisecond, time.Millisecond}}
				if fn.Recv != nil && len(fn.Recv.List[0].Names) > 0 {
					x := fn.Recv.List[0].Names[0].Name
					b.If = fmt.Sprintf("t1.%s != nil && t1.%[1]s == t2.%[1]s", x)
				}
				bs = append(bs, b)
			}
		}
	}
	return bs
}

func statements(fset *token.FileSet, name string, fn *ast.FuncDecl) (sides []Side) {
	ast.Inspect(fn, func(n ast.Node) bool {
		s, ok := n.(ast.Stmt)
		switch n.(type) {
		case *ast.BlockStmt, *ast.EmptyStmt:
			return true
		}
		if ok {
			p := fset.Position(s.Pos())
			sides = append(sides, Side{File: name, Name: fmt.Sprintf("%s:%d:%d", filepath.Base(name), p.Line, p.Column), Line: p.Line, Col: p.Column})
		}
		return true
	})
	return sides
}
