package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// sourceEdit rewrites one source file of the Go distribution. Places are
// found in the syntax tree; each edit must apply exactly once, so that another
// Go version either gets the same control or a clear error.
type sourceEdit struct {
	name string
	src  string
	fset *token.FileSet
	file *ast.File
	subs []textedit.Edit
	err  error
}

func newSourceEdit(name string, src []byte) (*sourceEdit, error) {
	e := &sourceEdit{name: name, src: string(src), fset: token.NewFileSet()}
	f, err := parser.ParseFile(e.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	e.file = f
	return e, nil
}

func (e *sourceEdit) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf("%s: %s", e.name, fmt.Sprintf(format, args...))
	}
}

func (e *sourceEdit) offset(p token.Pos) int { return e.fset.Position(p).Offset }

// sub replaces the bytes [from, to) by text.
func (e *sourceEdit) sub(from, to int, text string) {
	e.subs = append(e.subs, textedit.Edit{From: from, To: to, Text: text})
}

// fn finds the one function "name" or method "recv.name".
func (e *sourceEdit) fn(name string) *ast.FuncDecl {
	var found *ast.FuncDecl
	for _, d := range e.file.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || funcName(fd) != name {
			continue
		}
		if found != nil {
			e.fail("function %s is declared twice", name)
		}
		found = fd
	}
	if found == nil {
		e.fail("no function %s", name)
	}
	return found
}

func funcName(fd *ast.FuncDecl) string {
	if fd.Recv == nil || len(fd.Recv.List) == 0 {
		return fd.Name.Name
	}
	t := fd.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + fd.Name.Name
	}
	return fd.Name.Name
}

// rename gives a function the name hkOrig<name>; a file of Hocket's declares
// the wrapper under the old name.
func (e *sourceEdit) rename(names ...string) {
	for _, name := range names {
		if fd := e.fn(name); fd != nil {
			from := e.offset(fd.Name.Pos())
			e.sub(from, from, "hkOrig")
		}
	}
}

// start inserts code as the first statement of a function.
func (e *sourceEdit) start(name, code string) {
	if fd := e.fn(name); fd != nil && fd.Body != nil {
		at := e.offset(fd.Body.Lbrace) + 1
		e.sub(at, at, " "+code+";")
	}
}

// end inserts code before the closing brace of a function.
func (e *sourceEdit) end(name, code string) {
	if fd := e.fn(name); fd != nil && fd.Body != nil {
		at := e.offset(fd.Body.Rbrace)
		e.sub(at, at, "; "+code+"\n")
	}
}

// replace substitutes new for old, which occurs exactly once in a function.
func (e *sourceEdit) replace(name, old, new string) {
	fd := e.fn(name)
	if fd == nil {
		return
	}
	from, to := e.offset(fd.Pos()), e.offset(fd.End())
	region := e.src[from:to]
	if n := strings.Count(region, old); n != 1 {
		e.fail("%q occurs %d times in %s, not once", old, n, name)
		return
	}
	at := from + strings.Index(region, old)
	e.sub(at, at+len(old), new)
}

// text substitutes new for old, which occurs exactly once in the file.
func (e *sourceEdit) text(old, new string) {
	if n := strings.Count(e.src, old); n != 1 {
		e.fail("%q occurs %d times, not once", old, n)
		return
	}
	at := strings.Index(e.src, old)
	e.sub(at, at+len(old), new)
}

// contains reports whether a text occurs in a function, for edits that only
// some versions need.
func (e *sourceEdit) contains(name, text string) bool {
	fd := e.fn(name)
	return fd != nil && strings.Contains(e.src[e.offset(fd.Pos()):e.offset(fd.End())], text)
}

// field appends fields to a struct type.
func (e *sourceEdit) field(typ, fields string) {
	n := 0
	for _, d := range e.file.Decls {
		gd, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range gd.Specs {
			ts, ok := s.(*ast.TypeSpec)
			if !ok || ts.Name.Name != typ {
				continue
			}
			if st, ok := ts.Type.(*ast.StructType); ok {
				n++
				at := e.offset(st.Fields.Closing)
				e.sub(at, at, "\n\t"+fields+"\n")
			}
		}
	}
	if n != 1 {
		e.fail("struct type %s found %d times", typ, n)
	}
}

// bytes applies the edits.
func (e *sourceEdit) bytes() ([]byte, error) {
	if e.err != nil {
		return nil, e.err
	}
	out, err := textedit.Apply([]byte(e.src), e.subs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	return out, nil
}
