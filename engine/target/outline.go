package target

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// Kinds of functions that can be searched.
const (
	KindTest    = "test"
	KindExample = "example"
	KindFuzz    = "fuzz"
	KindMain    = "main"
)

// Func is a function that can be searched and where it is; lines and columns
// (of bytes) count from 1.
type Func struct {
	Name, Kind            string
	Line, Column, EndLine int
}

// Outline lists the functions of a file that can be searched, from its text
// alone, in the order of its lines.
func Outline(filename string, src []byte) []Func {
	base := filepath.Base(filename)
	if !strings.HasSuffix(base, ".go") || strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") {
		return nil
	}
	fset := token.NewFileSet()
	// AllErrors: otherwise ten errors lose the whole file.
	f, _ := parser.ParseFile(fset, base, src, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	if f == nil {
		return nil
	}
	var out []Func
	add := func(fn *ast.FuncDecl, kind string) {
		at, end := fset.Position(fn.Pos()), fset.Position(fn.End())
		out = append(out, Func{Name: fn.Name.Name, Kind: kind, Line: at.Line, Column: at.Column, EndLine: max(at.Line, end.Line)})
	}
	switch {
	case strings.HasSuffix(base, "_test.go"):
		tests(f, add)
	case f.Name != nil && f.Name.Name == "main":
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && isMain(fn) {
				add(fn, KindMain)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Func) int { return a.Line - b.Line })
	return out
}

// tests finds what "go test" runs of a file.
func tests(f *ast.File, found func(fn *ast.FuncDecl, kind string)) {
	funcs := map[string]*ast.FuncDecl{}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil {
			continue
		}
		funcs[fn.Name.Name] = fn
		if kind := testKind(fn); kind != "" {
			found(fn, kind)
		}
	}
	for _, ex := range doc.Examples(f) {
		if fn := funcs["Example"+ex.Name]; fn != nil && (ex.Output != "" || ex.EmptyOutput) {
			found(fn, KindExample)
		}
	}
}

func isMain(fn *ast.FuncDecl) bool {
	return fn.Name.Name == "main" && fn.Recv == nil && fn.Type.TypeParams.NumFields() == 0 &&
		fn.Type.Params.NumFields() == 0 && fn.Type.Results.NumFields() == 0
}
