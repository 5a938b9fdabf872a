// Package source answers questions about a program's text that a trace can't,
// since it has lines only: which function holds a line, which conditions decide
// whether the line runs, where the local variables that a statement uses were
// assigned, at which column an operation is.
//
// Invariants:
//   - Syntax only: no types, no build. It works on code that does not compile
//     any more, as far as the parser gets.
//   - A file that is missing or unreadable is a nil *File, and every method of
//     a nil *File or *Func answers "nothing known". Callers need no checks.
//   - Answers are over-approximations by line: two statements on one line are
//     not told apart.
package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Files parses files once. Safe for concurrent use.
type Files struct {
	mu    sync.Mutex
	files map[string]*File
	read  func(string) ([]byte, error)
}

// NewFiles reads with read, or from disk if it is nil.
func NewFiles(read func(path string) ([]byte, error)) *Files {
	if read == nil {
		read = os.ReadFile
	}
	return &Files{files: map[string]*File{}, read: read}
}

// File is one parsed file.
type File struct {
	fset  *token.FileSet
	ast   *ast.File
	lines []string
	funcs map[funcKey]*Func
}

type funcKey struct {
	name string
	line int
}

// File returns the parsed file, nil if there is none.
func (fs *Files) File(path string) *File {
	if fs == nil || path == "" {
		return nil
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f, ok := fs.files[path]; ok {
		return f
	}
	f := fs.parse(path)
	fs.files[path] = f
	return f
}

func (fs *Files) parse(path string) *File {
	text, err := fs.read(path)
	if err != nil {
		return nil
	}
	f := &File{fset: token.NewFileSet(), lines: strings.Split(string(text), "\n"), funcs: map[funcKey]*Func{}}
	// A syntax error still yields the tree up to it.
	f.ast, _ = parser.ParseFile(f.fset, path, text, parser.ParseComments)
	if f.ast == nil {
		return nil
	}
	return f
}

// Line is the text of a line (from 1), without surrounding space.
func (f *File) Line(n int) string {
	return strings.TrimSpace(f.raw(n))
}

func (f *File) raw(n int) string {
	if f == nil || n < 1 || n > len(f.lines) {
		return ""
	}
	return f.lines[n-1]
}

func (f *File) line(p token.Pos) int { return f.fset.Position(p).Line }

func (f *File) spans(n ast.Node, line int) bool {
	return f.line(n.Pos()) <= line && line <= f.line(n.End())
}

// text is the source of a node on one line, shortened.
func (f *File) text(n ast.Node) string {
	if n == nil {
		return ""
	}
	from, to := f.fset.Position(n.Pos()), f.fset.Position(n.End())
	if from.Line != to.Line {
		return strings.TrimSpace(f.raw(from.Line)[from.Column-1:]) + " ..."
	}
	l := f.raw(from.Line)
	if to.Column-1 > len(l) || from.Column > to.Column {
		return ""
	}
	return l[from.Column-1 : to.Column-1]
}

// Func is a function declaration or literal.
type Func struct {
	file *File
	typ  *ast.FuncType
	recv string // name of the receiver
	body *ast.BlockStmt
	lit  bool
	defs []def // of locals, collected on first use
	done bool
}

// closureName ends the names that the compiler gives to function literals.
var closureName = regexp.MustCompile(`\.(func\d+|\d+|gowrap\d+|deferwrap\d+)(\.\d+)*$`)

// Func finds the function that a frame is in: full name as in a stack trace,
// and a line of it. A literal on one line with its enclosing statement is told
// from the enclosing function by the name.
func (f *File) Func(name string, line int) *Func {
	if f == nil {
		return nil
	}
	key := funcKey{name, line}
	if fn, ok := f.funcs[key]; ok {
		return fn
	}
	fn := f.find(trimType(name), line)
	f.funcs[key] = fn
	return fn
}

// trimType drops the type arguments, "F[...]" and "F[...].func1".
func trimType(name string) string {
	if i := strings.IndexByte(name, '['); i >= 0 {
		if j := strings.LastIndexByte(name, ']'); j > i {
			return name[:i] + name[j+1:]
		}
	}
	return name
}

func (f *File) find(name string, line int) *Func {
	var decl, lit *Func
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if n == nil || !f.spans(n, line) {
			return n == f.ast
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				decl = &Func{file: f, typ: n.Type, recv: receiver(n), body: n.Body}
			}
		case *ast.FuncLit:
			lit = &Func{file: f, typ: n.Type, body: n.Body, lit: true}
		}
		return true
	})
	closure := closureName.MatchString(name)
	if closure && decl != nil {
		if n := f.literal(decl.body, name, line); n != nil {
			return &Func{file: f, typ: n.Type, body: n.Body, lit: true}
		}
	}
	if closure && lit != nil || decl == nil {
		return lit
	}
	// A frame of a declared function is never inside a literal of it, except
	// by sharing a line.
	return decl
}

// literalPath are the numbers in the name of a literal: of "f.func2.1" it is the first
// of the second of f.
var literalPath = regexp.MustCompile(`\.func(\d+(?:\.\d+)*)(?:\.(?:gowrap|deferwrap)\d+)*$`)

// literal is the literal of a function that a name tells, if it is on the line.
func (f *File) literal(in ast.Node, name string, line int) *ast.FuncLit {
	m := literalPath.FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	var found *ast.FuncLit
	for _, num := range strings.Split(m[1], ".") {
		left, _ := strconv.Atoi(num)
		found = nil
		ast.Inspect(in, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if !ok || n == in {
				return true
			}
			if left--; left == 0 {
				found = lit
			}
			return false
		})
		if found == nil {
			return nil
		}
		in = found
	}
	if !f.spans(found, line) {
		return nil
	}
	return found
}

func receiver(n *ast.FuncDecl) string {
	if n.Recv == nil || len(n.Recv.List) == 0 || len(n.Recv.List[0].Names) == 0 {
		return ""
	}
	return n.Recv.List[0].Names[0].Name
}

// Accessor reports whether a function does one thing besides locking: a getter
// or setter, which says less than its caller. It has no branch of its own,
// save a select that only looks.
func (fn *Func) Accessor() bool {
	if fn == nil || fn.lit {
		return false
	}
	n := 0
	for _, s := range fn.body.List {
		switch s := s.(type) {
		case *ast.DeferStmt:
			continue
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok && locking[callee(call)] {
				continue
			}
		case *ast.SelectStmt:
			if !looks(s) {
				return false
			}
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.BlockStmt, *ast.GoStmt:
			return false
		}
		n++
	}
	return n <= 1
}

// Statements is the number of statements of the function's body.
func (fn *Func) Statements() int {
	if fn == nil {
		return 0
	}
	return len(fn.body.List)
}

// looks reports whether a select has a default.
func looks(s *ast.SelectStmt) bool {
	return slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool { cl, ok := c.(*ast.CommClause); return ok && cl.Comm == nil })
}

var locking = map[string]bool{"Lock": true, "Unlock": true, "RLock": true, "RUnlock": true}
