package target

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
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
	out, whole := outline(base, src)
	if !whole {
		// A statement that is being typed can swallow what follows it.
		for _, c := range chunks(src) {
			some, _ := outline(base, c)
			for _, f := range some {
				if !slices.ContainsFunc(out, func(g Func) bool { return g.Name == f.Name }) {
					out = append(out, f)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Func) int { return a.Line - b.Line })
	return out
}

// outline is not whole if the text does not parse.
func outline(base string, src []byte) (out []Func, whole bool) {
	o := &outliner{test: strings.HasSuffix(base, "_test.go"), seen: map[string]bool{}}
	// AllErrors: otherwise ten errors lose the whole file.
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, base, src, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	if f == nil || !o.test && (f.Name == nil || f.Name.Name != "main") {
		return nil
	}
	o.file(fset, f, 0)
	if err != nil {
		o.pieces(src)
	}
	slices.SortStableFunc(o.out, func(a, b Func) int { return cmp.Compare(a.Line, b.Line) })
	return o.out
}

type outliner struct {
	test bool // the file may hold tests
	seen map[string]bool
	out  []Func
}

// file enters what a parsed file holds and isn't known yet; its first line is
// that many lines further down.
func (o *outliner) file(fset *token.FileSet, f *ast.File, down int) {
	enter := func(fn *ast.FuncDecl, kind string) {
		if o.seen[fn.Name.Name] {
			return
		}
		o.seen[fn.Name.Name] = true
		at, end := fset.PositionFor(fn.Pos(), false), fset.PositionFor(fn.End(), false)
		o.out = append(o.out, Func{Name: fn.Name.Name, Kind: kind,
			Line: at.Line + down, Column: at.Column, EndLine: max(at.Line, end.Line) + down})
	}
	if o.test {
		tests(f, enter)
		return
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && isMain(fn) {
			enter(fn, KindMain)
		}
	}
}

// pieces parses a broken file function by function: a brace that is missing in
// one hides all that follow. Formatted code has "func" of functions, and no
// other, in the first column.
func (o *outliner) pieces(src []byte) {
	starts := append(firstColumnFuncs(src), len(src))
	line, done := 0, 0
	for i, at := range starts[:len(starts)-1] {
		line += bytes.Count(src[done:at], []byte("\n"))
		done = at
		// The package clause has a line of its own, so that columns hold.
		piece := append([]byte("package p\n"), src[at:starts[i+1]]...)
		fset := token.NewFileSet()
		if f, _ := parser.ParseFile(fset, "", piece, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors); f != nil {
			o.file(fset, f, line-1)
		}
	}
}

// firstColumnFuncs returns the offsets of the keyword func at the beginning of
// lines; the scanner tells it from text in comments and strings.
func firstColumnFuncs(src []byte) []int {
	var out []int
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		pos, tok, _ := s.Scan()
		if tok == token.EOF {
			return out
		}
		if at := file.Offset(pos); tok == token.FUNC && (at == 0 || src[at-1] == '\n') {
			out = append(out, at)
		}
	}
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
