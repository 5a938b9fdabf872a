package archtest

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// What the façade may be at most.
const (
	facadeFiles = 12
	facadeLines = 1500
)

var tree = flag.String("tree", "../..", "the checkout that TestFigures measures")

// TestFacadeStaysThin: the façade turns options into calls and answers into
// aliases. It makes no runs, so it has no loop over them.
func TestFacadeStaysThin(t *testing.T) {
	f := measure(t, "../..")
	if f.files > facadeFiles || f.lines > facadeLines {
		t.Errorf("package engine has %d files with %d lines; at most %d with %d are allowed", f.files, f.lines, facadeFiles, facadeLines)
	}
	for _, where := range f.runs {
		t.Errorf("%s: package engine loops over runs or targets of its own; that is the work of a package below", where)
	}
}

// TestFigures prints how the façade and what it is made of hang together, for
// comparisons: go test -v -run TestFigures ./internal/archtest -tree DIR.
func TestFigures(t *testing.T) {
	up, without := lookingUp(t, *tree)
	t.Logf("%v, %d imports against the order of layers (%d packages without a layer)", measure(t, *tree), len(up), len(without))
	for _, arrow := range up {
		t.Log(arrow)
	}
	for _, name := range without {
		t.Log(name, "has no layer")
	}
}

// figures of package engine.
type figures struct {
	files, lines, exported int
	uses                   int      // pairs of files, of which one uses the other
	circle                 []string // the largest set of files that use each other in a loop
	runs                   []string // where it loops over runs or targets
}

func (f figures) String() string {
	return fmt.Sprintf("package engine: %d files, %d lines, %d exported declarations, %d arrows between its files, %d files in the largest circle",
		f.files, f.lines, f.exported, f.uses, len(f.circle))
}

func measure(t *testing.T, tree string) (f figures) {
	t.Helper()
	dir, err := filepath.Abs(tree)
	if err != nil {
		t.Fatal(err)
	}
	all, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax |
		packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports}, "./engine")
	if err != nil || len(all) != 1 || len(all[0].Errors) > 0 {
		t.Fatalf("load package engine of %s: %v %v", dir, err, all)
	}
	p := all[0]
	uses := map[string]map[string]bool{}
	for _, file := range p.Syntax {
		from := p.Fset.Position(file.Pos()).Filename
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		f.files++
		f.lines += bytes.Count(data, []byte("\n"))
		uses[from] = map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			id, _ := n.(*ast.Ident)
			if o := p.TypesInfo.Uses[id]; o != nil && o.Pkg() == p.Types && o.Parent() == p.Types.Scope() {
				if to := p.Fset.Position(o.Pos()).Filename; to != from {
					uses[from][to] = true
				}
			}
			return true
		})
		f.runs = append(f.runs, runLoops(p.Fset, p.TypesInfo, file)...)
	}
	for _, name := range p.Types.Scope().Names() {
		if token.IsExported(name) {
			f.exported++
		}
	}
	for _, to := range uses {
		f.uses += len(to)
	}
	f.circle = largestCircle(uses)
	return f
}

// runLoops returns the positions of the loops that make runs.
func runLoops(fset *token.FileSet, info *types.Info, file *ast.File) (at []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.RangeStmt, *ast.ForStmt:
			if makesRuns(info, n) {
				at = append(at, position(fset, n.Pos()))
			}
		}
		return true
	})
	return at
}

// makesRuns is true of code that calls a method Run.
func makesRuns(info *types.Info, body ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Run" {
			if fn, ok := info.Uses[s.Sel].(*types.Func); ok && fn.Signature().Recv() != nil {
				found = true
			}
		}
		return !found
	})
	return found
}

// TestRunLoopsAreSeen checks runLoops.
func TestRunLoopsAreSeen(t *testing.T) {
	const example = `package p

type runner interface{ Run(int) bool }

type other struct{ Run bool }

func Run(int) bool { return false }

func f(r runner, o other) {
	for i := 0; i < 9; i++ { // line 10
		r.Run(i)
	}
	for range 9 { // line 13
		func() { _ = r.Run }()
	}
	for r.Run(0) { // line 16
	}
	for i := range 9 {
		Run(i)
		_ = o.Run
	}
	r.Run(1)
}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", example, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	if _, err := new(types.Config).Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	if got, want := runLoops(fset, info, file), []string{"p.go:10", "p.go:13", "p.go:16"}; !slices.Equal(got, want) {
		t.Errorf("loops at %v, want %v", got, want)
	}
}

func position(fset *token.FileSet, pos token.Pos) string {
	p := fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// largestCircle is the largest set of nodes that reach each other.
func largestCircle(uses map[string]map[string]bool) (largest []string) {
	reach := map[string]map[string]bool{}
	for from := range uses {
		seen := map[string]bool{}
		for todo := []string{from}; len(todo) > 0; {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for to := range uses[n] {
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
		reach[from] = seen
	}
	for a := range reach {
		var circle []string
		for b := range reach[a] {
			if reach[b][a] {
				circle = append(circle, filepath.Base(b))
			}
		}
		if len(circle) > len(largest) {
			slices.Sort(circle)
			largest = circle
		}
	}
	return largest
}
