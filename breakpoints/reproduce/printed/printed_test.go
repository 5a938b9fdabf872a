package printed

import (
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/breakpoints/reproduce"
)

func example(id string) reproduce.Finding {
	return reproduce.Finding{ID: id, Message: "panic: `it`\n broke", Entry: "TestX/a b", Flags: []string{"-tags=x"}, Plan: "step s1 / 1 1\n",
		Statements: []reproduce.Statement{{Place: reproduce.Place{File: "x.go", Line: 3, Text: "s := \"`\""}, Points: []int{1}, Edits: []reproduce.Edit{{To: -1, Text: "A(); "}}}},
		Judge:      reproduce.Judge{Kind: "panic", Message: "panic: it"}}
}

// TestStandalone: files of several findings compile together, beside names of
// the package's that hide imports and predeclared ones, and take only names
// that nobody has.
func TestStandalone(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, id := range []string{"1a2b3c4d", "ffff0000"} {
		text, err := Test{Finding: example(id), Package: "odd", Order: []string{"first", "then"}, Standalone: true}.File()
		if err != nil {
			t.Fatal(err)
		}
		if out, err := format.Source([]byte(text)); err != nil || string(out) != text {
			t.Errorf("not as gofmt has it: %v", err)
		}
		f, err := parser.ParseFile(fset, id+"_test.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		for _, imp := range f.Imports {
			if strings.Contains(imp.Path.Value, ".") {
				t.Errorf("imports %s", imp.Path.Value)
			}
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && !strings.HasPrefix(fn.Name.Name, "hocket"+id+"_") && fn.Name.Name != "TestHocketPanicXAB"+id {
				t.Errorf("declares %s", fn.Name.Name)
			}
		}
	}
	clash, err := parser.ParseFile(fset, "names_test.go", "package odd_test; var fmt, exec, testing, Run, Finding, Place, Edit, points int; type builder struct{}", 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := conf.Check("odd_test", fset, append(files, clash), nil); err != nil {
		t.Error(err)
	}
}

// TestSplit: tests of several findings share one library, beside tests that hold
// theirs, and have little to read.
func TestSplit(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	add := func(name, text string, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	for _, id := range []string{"1a2b3c4d", "ffff0000"} {
		text, err := Test{Finding: example(id), Package: "main", Order: []string{"first"}, Standalone: true, Split: true}.File()
		add(id, text, err)
		if n := strings.Count(text, "\n"); n > 60 {
			t.Errorf("%d lines to read", n)
		}
	}
	text, err := Test{Package: "main"}.Library()
	add(LibraryFile, text, err)
	if !ast.IsGenerated(files[2]) {
		t.Error("the library is not marked as generated")
	}
	text, err = Test{Finding: example("00001111"), Package: "main", Standalone: true}.File()
	add("alone", text, err)
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := conf.Check("main_test", fset, files, nil); err != nil {
		t.Error(err)
	}
}

// TestShort prints little.
func TestShort(t *testing.T) {
	text, err := Test{Finding: example("1a2b3c4d"), Package: "main", Order: []string{"first"}}.File()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"package main_test", `"github.com/hocket-dev/hocket/breakpoints/reproduce"`, "//\t1. first\n", "func TestHocketPanicXAB1a2b3c4d(t *testing.T) {", "reproduce.Run(t, reproduce.Finding{"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "\n"); n > 60 {
		t.Errorf("%d lines", n)
	}
}
