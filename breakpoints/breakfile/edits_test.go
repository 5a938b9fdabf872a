package breakfile

import (
	"bytes"
	"fmt"
	"go/ast"
	gofmt "go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"
)

// marker stands before the statement that is the truth, and is carried along
// by the edits; a copy of the statement loses it.
const marker = "/*@truth*/"

// editor changes a Go text at random as people do, keeping it readable.
type editor struct {
	r     *rand.Rand
	src   []byte
	fresh int
	did   []string
	near  int // of ten statements, those that are chosen in the function of the truth
	// The marked statement was copied: from now on it stays where it is. It was
	// moved: it is not copied, for a copy could come to where it stood, and
	// nobody could tell the two apart.
	copied, moved bool
}

// An open text: parsed anew for each edit.
type text struct {
	fset  *token.FileSet
	file  *ast.File
	stmts []ast.Stmt // elements of lists
	funcs []*ast.FuncDecl
	ends  []token.Pos // where lists can take one more statement, at their end
}

func (e *editor) open() *text {
	t := &text{fset: token.NewFileSet()}
	var err error
	if t.file, err = parser.ParseFile(t.fset, "", e.src, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		panic(fmt.Sprintf("after %v: %v\n%s", e.did, err, e.src))
	}
	ast.Inspect(t.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				t.funcs = append(t.funcs, n)
			}
		case *ast.BlockStmt:
			switch {
			case len(n.List) == 0:
				t.ends = append(t.ends, n.Rbrace)
			default:
				if _, ok := n.List[0].(*ast.CaseClause); ok {
					return true
				}
				if _, ok := n.List[0].(*ast.CommClause); ok {
					return true
				}
				t.stmts = append(t.stmts, n.List...)
			}
		case *ast.CaseClause:
			t.stmts = append(t.stmts, n.Body...)
		case *ast.CommClause:
			t.stmts = append(t.stmts, n.Body...)
		}
		return true
	})
	t.stmts = slices.DeleteFunc(t.stmts, func(s ast.Stmt) bool {
		switch s := s.(type) {
		case *ast.LabeledStmt, *ast.EmptyStmt:
			return true
		case *ast.BranchStmt:
			return s.Tok == token.FALLTHROUGH
		}
		return false
	})
	return t
}

// span of a statement, with a marker right before it.
func (e *editor) span(t *text, n ast.Node) (from, to int) {
	from, to = t.fset.Position(n.Pos()).Offset, t.fset.Position(n.End()).Offset
	head := bytes.TrimRight(e.src[:from], " \t\n")
	if bytes.HasSuffix(head, []byte(marker)) {
		from = len(head) - len(marker)
	}
	return from, to
}

func (e *editor) splice(from, to int, with string) {
	e.src = slices.Concat(e.src[:from:from], []byte(with), e.src[to:])
}

func (e *editor) cut(from, to int) string { return string(e.src[from:to]) }

func (e *editor) name(start string) string {
	e.fresh++
	return fmt.Sprintf("%s%d", start, e.fresh)
}

// stmt chooses a statement, most often one of the function that has the truth.
func (e *editor) stmt(t *text) ast.Stmt {
	if mark := bytes.Index(e.src, []byte(marker)); mark >= 0 && e.r.IntN(10) < e.near {
		for _, fn := range t.funcs {
			from, to := t.fset.Position(fn.Pos()).Offset, t.fset.Position(fn.End()).Offset
			if mark < from || mark > to {
				continue
			}
			at := slices.DeleteFunc(slices.Clone(t.stmts), func(s ast.Stmt) bool { return s.Pos() < fn.Pos() || s.Pos() > fn.End() })
			if len(at) > 0 {
				return at[e.r.IntN(len(at))]
			}
		}
	}
	return t.stmts[e.r.IntN(len(t.stmts))]
}

// do makes one random edit.
func (e *editor) do() {
	edits := []struct {
		name string
		do   func(*text) bool
	}{
		{"insert", e.insert}, {"delete", e.delete}, {"move", e.move}, {"duplicate", e.duplicate}, {"wrap", e.wrap},
		{"rename variable", e.renameVariable}, {"rename function", e.renameFunc}, {"rename type", e.renameType},
		{"gofmt", e.gofmt}, {"compress", e.compress}, {"change", e.change}, {"move function", e.moveFunc},
		{"delete function", e.deleteFunc}, {"copy function", e.copyFunc},
	}
	for {
		k := edits[e.r.IntN(len(edits))]
		before := *e
		if t := e.open(); len(t.stmts) == 0 || !k.do(t) || !e.sound() {
			*e = before // some edits of some texts are none
			continue
		}
		e.did = append(e.did, k.name)
		return
	}
}

// sound reports whether the text parses, and the marker is still before a statement;
// gofmt may put a comment elsewhere.
func (e *editor) sound() bool {
	s, err := parse(e.src)
	if err != nil {
		return false
	}
	mark := bytes.Index(e.src, []byte(marker))
	if mark < 0 {
		return true
	}
	truth := mark + len(marker) + scanFirst(e.src[mark+len(marker):])
	return slices.ContainsFunc(s.units, func(u *unit) bool { return u.start == truth })
}

func (e *editor) insert(t *text) bool {
	from, _ := e.span(t, e.stmt(t))
	v := e.name("fresh")
	e.splice(from, from, []string{
		v + " := 1\n_ = " + v + "\n", "log(" + v + ")\n", "if " + v + " > 0 {\nreturn\n}\n", "// a remark\n", "\n\n", v + ".Lock()\n", "c." + v + "++\n",
	}[e.r.IntN(7)])
	return true
}

func (e *editor) delete(t *text) bool {
	from, to := e.span(t, e.stmt(t))
	if marked := strings.Contains(e.cut(from, to), marker); marked && (e.copied || e.r.IntN(3) > 0) {
		return false
	}
	e.splice(from, to, "")
	return true
}

func (e *editor) move(t *text) bool {
	from, to := e.span(t, e.stmt(t))
	moved := e.cut(from, to)
	if strings.Contains(moved, marker) {
		if e.copied {
			return false
		}
		e.moved = true
	}
	at, _ := e.span(t, e.stmt(t))
	if e.r.IntN(2) == 0 { // not far
		i := slices.IndexFunc(t.stmts, func(s ast.Stmt) bool { a, _ := e.span(t, s); return a == from })
		j := min(max(0, i+e.r.IntN(7)-3), len(t.stmts)-1)
		at, _ = e.span(t, t.stmts[j])
	}
	switch {
	case from <= at && at <= to:
		return false
	case at < from:
		e.splice(from, to, "")
		e.splice(at, at, moved+"\n")
	default:
		e.splice(at, at, moved+"\n")
		e.splice(from, to, "")
	}
	return true
}

func (e *editor) duplicate(t *text) bool {
	from, to := e.span(t, e.stmt(t))
	twin := e.cut(from, to)
	if strings.Contains(twin, marker) {
		if e.moved {
			return false
		}
		e.copied = true
		twin = strings.ReplaceAll(twin, marker, "")
	}
	at := from
	switch e.r.IntN(3) {
	case 0:
		at, _ = e.span(t, e.stmt(t))
	case 1:
		e.splice(to, to, "\n"+twin)
		return true
	}
	e.splice(at, at, twin+"\n")
	return true
}

func (e *editor) wrap(t *text) bool {
	from, to := e.span(t, e.stmt(t))
	body := "{\n" + e.cut(from, to) + "\n}"
	if strings.Contains(body, ":=") && e.r.IntN(2) == 0 {
		return false // would not compile, though it parses
	}
	e.splice(from, to, []string{body, "if " + e.name("ok") + " " + body, "for range 1 " + body, "func() " + body + "()", "go func() " + body + "()"}[e.r.IntN(5)])
	return true
}

func (e *editor) replaceNames(in ast.Node, t *text, old, name string, selectors bool) {
	var at []int
	sel := map[*ast.Ident]bool{}
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			sel[n.Sel] = true
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				sel[id] = true
			}
		case *ast.Ident:
			if n.Name == old && (selectors || !sel[n]) {
				at = append(at, t.fset.Position(n.Pos()).Offset)
			}
		}
		return true
	})
	slices.Sort(at)
	for _, off := range slices.Backward(at) {
		e.splice(off, off+len(old), name)
	}
}

func (e *editor) renameVariable(t *text) bool {
	if len(t.funcs) == 0 {
		return false
	}
	fn := t.funcs[e.r.IntN(len(t.funcs))]
	var names []string
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, x := range n.Lhs {
					names = append(names, x.(*ast.Ident).Name)
				}
			}
		case *ast.Field:
			for _, id := range n.Names {
				names = append(names, id.Name)
			}
		}
		return true
	})
	names = slices.DeleteFunc(names, func(s string) bool { return s == "_" })
	if len(names) == 0 {
		return false
	}
	old := names[e.r.IntN(len(names))]
	e.replaceNames(fn, t, old, e.name(old), false)
	return true
}

func (e *editor) renameFunc(t *text) bool {
	if len(t.funcs) == 0 {
		return false
	}
	old := t.funcs[e.r.IntN(len(t.funcs))].Name.Name
	if old == "init" {
		return false
	}
	e.replaceNames(t.file, t, old, e.name(old), true)
	return true
}

func (e *editor) renameType(t *text) bool {
	for _, d := range t.file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE && e.r.IntN(2) == 0 {
			old := g.Specs[0].(*ast.TypeSpec).Name.Name
			e.replaceNames(t.file, t, old, e.name(old), true)
			return true
		}
	}
	return false
}

func (e *editor) gofmt(*text) bool {
	out, err := gofmt.Source(e.src)
	if err != nil {
		panic(err)
	}
	e.src = out
	return true
}

// compress writes the tokens with other space between them.
func (e *editor) compress(*text) bool {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", -1, len(e.src)), e.src, nil, scanner.ScanComments)
	var b strings.Builder
	for {
		_, kind, lit := s.Scan()
		if kind == token.EOF {
			break
		}
		switch {
		case kind == token.SEMICOLON && lit == "\n" && e.r.IntN(3) > 0:
			b.WriteString("\n")
			continue
		case kind == token.SEMICOLON:
			lit = ";"
		case lit == "":
			lit = kind.String()
		}
		b.WriteString(lit)
		if strings.HasPrefix(lit, "//") {
			b.WriteString("\n")
			continue
		}
		b.WriteString([]string{" ", "  ", "\t"}[e.r.IntN(3)])
	}
	e.src = []byte(b.String())
	return true
}

// change alters a literal or adds an argument somewhere.
func (e *editor) change(t *text) bool {
	var at []int
	ast.Inspect(t.file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && call.Rparen.IsValid() && !call.Ellipsis.IsValid() && len(call.Args) > 0 {
			at = append(at, t.fset.Position(call.Args[len(call.Args)-1].End()).Offset)
		}
		return true
	})
	if len(at) == 0 {
		return false
	}
	off := at[e.r.IntN(len(at))]
	e.splice(off, off, ", "+e.name("more"))
	return true
}
