package target

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/scanner"
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
	o := &outliner{test: strings.HasSuffix(base, "_test.go"), seen: map[string]bool{}}
	fset := token.NewFileSet()
	if !o.test {
		if f, _ := parser.ParseFile(fset, base, src, parser.PackageClauseOnly); f == nil || f.Name == nil || f.Name.Name != "main" {
			return nil // spares what a long file would take
		}
	}
	// AllErrors: otherwise ten errors lose the whole file.
	f, err := parser.ParseFile(fset, base, src, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	if f == nil {
		return nil
	}
	o.file(fset, f, 0)
	if err != nil {
		o.pieces(src)
	}
	for i, fn := range o.out {
		if fn.EndLine >= endless { // it does not begin in the first column
			o.out[i].EndLine = fn.Line
		}
	}
	slices.SortStableFunc(o.out, func(a, b Func) int { return cmp.Compare(a.Line, b.Line) })
	return o.out
}

// endless is the line at which a function ends that has no closing brace, until
// it is known where the next one begins.
const endless = 1 << 30

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
		if fn.Body != nil && !fn.Body.Rbrace.IsValid() {
			end.Line = endless
		}
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
		text := src[at:starts[i+1]]
		// The package clause has a line of its own, so that columns hold.
		piece := append([]byte("package p\n"), text...)
		fset := token.NewFileSet()
		if f, _ := parser.ParseFile(fset, "", piece, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors); f != nil {
			o.file(fset, f, line-1)
		}
		o.boundEnd(line+1, line+1+bytes.Count(bytes.TrimSpace(text), []byte("\n")))
	}
}

// boundEnd ends the function that begins at a line no later than its text does.
func (o *outliner) boundEnd(line, end int) {
	for i, f := range o.out {
		if f.Line == line {
			o.out[i].EndLine = min(f.EndLine, end)
		}
	}
}

// firstColumnFuncs returns the offsets of the keyword func at the beginning of
// lines; the scanner tells it from text in comments and strings. A raw string
// or comment that does not end is one being typed: it goes to the end of its line.
func firstColumnFuncs(src []byte) []int {
	const most = 8 // restarts: each costs the rest of the file
	var out []int
	for from, tries := 0, 0; from >= 0 && tries < most; tries++ {
		rest := src[from:]
		found, open := funcsUntil(rest)
		for _, at := range found {
			if from+at == 0 || src[from+at-1] == '\n' {
				out = append(out, from+at)
			}
		}
		if open < 0 {
			break
		}
		next := bytes.IndexByte(rest[open:], '\n')
		if next < 0 {
			break
		}
		from += open + next + 1
	}
	return out
}

// funcsUntil returns where the keyword func is, and where something begins
// that does not end, or -1.
func funcsUntil(src []byte) (found []int, open int) {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	open = -1
	var s scanner.Scanner
	s.Init(file, src, func(pos token.Position, msg string) {
		if strings.HasSuffix(msg, "not terminated") && (strings.HasPrefix(msg, "raw string") || strings.HasPrefix(msg, "comment")) {
			open = pos.Offset
		}
	}, 0)
	for {
		pos, tok, _ := s.Scan()
		if tok == token.EOF {
			return found, open
		}
		if tok == token.FUNC {
			found = append(found, file.Offset(pos))
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
