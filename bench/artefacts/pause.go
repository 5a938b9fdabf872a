package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Pauses make rare states less rare: plain runs of the small programs show nothing but
// their usual end. A copy calls pause before each statement, on the statement's own
// line, so that what it prints names the lines of the original.

const pauseSource = `package %s

import (
	hocketrand "math/rand/v2"
	hockettime "time"
)

func hocketPause() {
	switch hocketrand.IntN(12) {
	case 0:
		hockettime.Sleep(hockettime.Duration(hocketrand.IntN(3000)) * hockettime.Microsecond)
	case 1:
		hockettime.Sleep(hockettime.Duration(hocketrand.IntN(300)) * hockettime.Microsecond)
	}
}
`

// pausing rewrites the Go files below dir.
func pausing(dir string) error {
	packages := map[string]string{} // name by folder and name
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out, name, err := withPauses(src)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		file := "hocket_pause.go"
		if strings.HasSuffix(path, "_test.go") {
			file = "hocket_pause_test.go"
		}
		packages[filepath.Join(filepath.Dir(path), file)] = name
		return os.WriteFile(path, out, 0o644)
	})
	if err != nil {
		return err
	}
	for file, name := range packages {
		if strings.HasSuffix(file, "_test.go") && packages[strings.TrimSuffix(file, "_test.go")+".go"] == name {
			continue // the package has it
		}
		if err := os.WriteFile(file, []byte(fmt.Sprintf(pauseSource, name)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func withPauses(src []byte) ([]byte, string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", err
	}
	var at []int
	put := func(list []ast.Stmt) {
		for _, s := range list {
			switch s.(type) {
			case *ast.LabeledStmt, *ast.EmptyStmt:
			default:
				at = append(at, fset.Position(s.Pos()).Offset)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			if len(n.List) > 0 {
				if _, clause := n.List[0].(*ast.CaseClause); clause {
					return true
				}
				if _, clause := n.List[0].(*ast.CommClause); clause {
					return true
				}
			}
			put(n.List)
		case *ast.CaseClause:
			put(n.Body)
		case *ast.CommClause:
			put(n.Body)
		}
		return true
	})
	slices.Sort(at)
	var out bytes.Buffer
	from := 0
	for _, p := range slices.Compact(at) {
		out.Write(src[from:p])
		out.WriteString("hocketPause(); ")
		from = p
	}
	out.Write(src[from:])
	return out.Bytes(), f.Name.Name, nil
}
