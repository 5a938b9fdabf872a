package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one change of one file: some statements are gone.
type mutant struct {
	file string // relative to the module
	line int    // of the first
	what string // "mu.Lock/Unlock", "wg.Wait"
	cuts []cut
}

// cut is a stretch of bytes that becomes blank, so that lines stay lines.
type cut struct{ from, to int }

func (m mutant) String() string { return fmt.Sprintf("%s:%d %s", m.file, m.line, m.what) }

// apply returns the source without the statements.
func (m mutant) apply(src []byte) []byte {
	out := slices.Clone(src)
	for _, c := range m.cuts {
		for i := c.from; i < c.to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	return out
}

// mutants finds what can be removed in the module at dir, tests left out.
func mutants(dir string) ([]mutant, error) {
	var all []mutant
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		more, err := inFile(rel, src)
		all = append(all, more...)
		return err
	})
	return all, err
}

func inFile(name string, src []byte) ([]mutant, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []mutant
	ast.Inspect(f, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body = n.Body
		}
		if body != nil {
			for _, m := range inFunc(body) {
				all = append(all, m.mutant(fset, name))
			}
		}
		return true
	})
	return all, nil
}

// call is a statement x.M() or defer x.M().
type call struct {
	stmt    ast.Stmt
	on, its string
}

// removal is statements that go together.
type removal struct {
	what  string
	calls []call
}

func (r removal) mutant(fset *token.FileSet, file string) mutant {
	m := mutant{file: file, line: fset.Position(r.calls[0].stmt.Pos()).Line, what: r.what}
	for _, c := range r.calls {
		m.cuts = append(m.cuts, cut{fset.Position(c.stmt.Pos()).Offset, fset.Position(c.stmt.End()).Offset})
	}
	return m
}

// inFunc finds each Wait, and each lock with the unlocks up to the next lock
// of the same thing.
func inFunc(body *ast.BlockStmt) []removal {
	var out []removal
	calls := callsIn(body)
	unlock := map[string]string{"Lock": "Unlock", "RLock": "RUnlock"}
	for i, c := range calls {
		if c.its == "Wait" {
			out = append(out, removal{c.on + ".Wait", []call{c}})
			continue
		}
		end, ok := unlock[c.its]
		if !ok {
			continue
		}
		r := removal{c.on + "." + c.its + "/" + end, []call{c}}
		for _, later := range calls[i+1:] {
			if later.on == c.on && later.its == c.its {
				break
			}
			if later.on == c.on && later.its == end {
				r.calls = append(r.calls, later)
			}
		}
		if len(r.calls) > 1 {
			out = append(out, r)
		}
	}
	return out
}

// callsIn lists the calls without arguments that are statements of the
// function itself, in the order of the source.
func callsIn(body *ast.BlockStmt) []call {
	var calls []call
	ast.Inspect(body, func(n ast.Node) bool {
		var e ast.Expr
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ExprStmt:
			e = n.X
		case *ast.DeferStmt:
			e = n.Call
		default:
			return true
		}
		c, ok := e.(*ast.CallExpr)
		if !ok || len(c.Args) > 0 {
			return true
		}
		if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
			calls = append(calls, call{n.(ast.Stmt), types.ExprString(sel.X), sel.Sel.Name})
		}
		return true
	})
	return calls
}
