package target

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// testNames lists what "go test" would run of the files: tests, fuzz targets
// (their seed corpus) and examples with a checked output. The files were
// chosen by "go list", so build constraints are respected.
func testNames(dir string, files []string) ([]string, error) {
	fset := token.NewFileSet()
	var names []string
	var parsed []*ast.File
	for _, name := range files {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, f)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && isTest(fn) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	for _, ex := range doc.Examples(parsed...) {
		if ex.Output != "" || ex.EmptyOutput {
			names = append(names, "Example"+ex.Name)
		}
	}
	return names, nil
}

// isTest mirrors the go command's rule: TestX(*testing.T), FuzzX(*testing.F).
func isTest(fn *ast.FuncDecl) bool {
	if fn.Recv != nil || fn.Type.TypeParams.NumFields() > 0 || fn.Type.Params.NumFields() != 1 {
		return false
	}
	switch {
	case prefixed(fn.Name.Name, "Test"):
		return isPointerTo(fn.Type.Params.List[0].Type, "T")
	case prefixed(fn.Name.Name, "Fuzz"):
		return isPointerTo(fn.Type.Params.List[0].Type, "F")
	}
	return false
}

func prefixed(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(r)
}

// isPointerTo accepts *testing.T under any import name, as the go command does.
func isPointerTo(e ast.Expr, name string) bool {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := star.X.(type) {
	case *ast.Ident:
		return x.Name == name
	case *ast.SelectorExpr:
		return x.Sel.Name == name
	}
	return false
}
