package target

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// testNames lists what "go test" would run of the files: tests, fuzz targets
// (their seed corpus) and examples with a checked output. The files were
// chosen by "go list", so build constraints are respected. Those that hocket
// test has printed are left out.
func testNames(dir string, files []string, read func(path string) ([]byte, error)) ([]string, error) {
	var own []string
	for _, name := range files {
		src, err := read(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if !Generated(src) {
			own = append(own, name)
		}
	}
	return testsIn(dir, own, read)
}

// testsIn is testNames of all the files.
func testsIn(dir string, files []string, read func(path string) ([]byte, error)) ([]string, error) {
	fset := token.NewFileSet()
	var names, examples []string
	for _, name := range files {
		path := filepath.Join(dir, name)
		src, err := read(path)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		tests(f, func(fn *ast.FuncDecl, kind string) {
			if kind == KindExample {
				examples = append(examples, fn.Name.Name)
			} else {
				names = append(names, fn.Name.Name)
			}
		})
	}
	slices.Sort(examples)
	return append(names, examples...), nil
}

// testKind mirrors the go command's rule: TestX(*testing.T), FuzzX(*testing.F);
// "" for others.
func testKind(fn *ast.FuncDecl) string {
	if fn.Recv != nil || fn.Type.TypeParams.NumFields() > 0 || fn.Type.Params.NumFields() != 1 || fn.Type.Results.NumFields() > 0 {
		return ""
	}
	param := fn.Type.Params.List[0].Type
	switch {
	case prefixed(fn.Name.Name, "Test") && isPointerTo(param, "T"):
		return KindTest
	case prefixed(fn.Name.Name, "Fuzz") && isPointerTo(param, "F"):
		return KindFuzz
	}
	return ""
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
