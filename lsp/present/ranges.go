package present

import (
	"go/ast"
	"go/parser"
	"go/token"
	"sort"
	"strings"
	"unicode/utf8"
)

// Span is a stretch of one line: columns in bytes from 1, End is the column
// after the last byte. It is never empty.
type Span struct {
	Line, Start, End int
}

// syntax is the syntax tree of a text, whatever of it could be parsed. Declarations are
// parsed when they are asked for: in a long file nearly all are not. Not safe for
// concurrent use.
type syntax struct {
	text   string
	lines  []string
	starts []int         // lines, from 1, where declarations begin, unless they are text in strings and comments
	pieces map[int]*tree // by the line where they start; nil: such a line starts none
	whole  *tree
}

// tree is a part of a text that begins after so many lines.
type tree struct {
	file  *ast.File
	pos   *token.File
	above int
}

func newSyntax(text string, lines []string) *syntax {
	s := &syntax{text: text, lines: lines, pieces: map[int]*tree{}}
	for i, line := range lines {
		for _, word := range []string{"func ", "type ", "var ", "const "} {
			if strings.HasPrefix(line, word) {
				s.starts = append(s.starts, i+1)
			}
		}
	}
	return s
}

// around is the tree of a declaration in which a line is, or that of the whole text.
func (s *syntax) around(line int) *tree {
	i := sort.SearchInts(s.starts, line+1) - 1
	if i < 0 {
		return s.all()
	}
	from, to := s.starts[i], len(s.lines)+1
	if i+1 < len(s.starts) {
		to = s.starts[i+1]
	}
	t, ok := s.pieces[from]
	if !ok {
		const clause = "package p\n"
		var err error
		if t, err = parse(clause + strings.Join(s.lines[from-1:to-1], "\n")); err != nil {
			t = nil
		} else {
			t.above = from - 2 // the clause is a line more
		}
		s.pieces[from] = t
	}
	if t == nil {
		return s.all()
	}
	return t
}

func (s *syntax) all() *tree {
	if s.whole == nil {
		s.whole, _ = parse(s.text)
	}
	return s.whole
}

func parse(text string) (*tree, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if f == nil {
		return &tree{}, err
	}
	return &tree{file: f, pos: fset.File(f.FileStart)}, err
}

// span is the smallest expression or statement of interest that covers the
// column of a line, or starts there; the line without its margins if there is
// none, or if the column is 0. A called function stands for its call.
func (s *syntax) span(line int, text string, col int) Span {
	whole := trimmed(line, text)
	if col < 1 {
		return whole
	}
	t := s.around(line)
	if t.file == nil || t.pos == nil || line-t.above > t.pos.LineCount() {
		return whole
	}
	q := query{start: t.pos.LineStart(line - t.above), whole: whole, best: whole}
	at := q.start + token.Pos(col-1)
	// Declarations stand in order: one of them, or none, covers the column.
	n := sort.Search(len(t.file.Decls), func(i int) bool { return t.file.Decls[i].End() > at })
	if n == len(t.file.Decls) {
		return whole
	}
	var parents []ast.Node
	ast.Inspect(t.file.Decls[n], func(n ast.Node) bool {
		if n == nil {
			parents = parents[:len(parents)-1]
			return true
		}
		if n.Pos() > at || n.End() <= at {
			return false // nothing below can cover the column
		}
		q.consider(n, parents)
		parents = append(parents, n)
		return true
	})
	return q.best
}

// query looks for the best node on a line.
type query struct {
	start token.Pos // of the line
	whole Span
	best  Span
	found bool
}

func (q *query) consider(n ast.Node, parents []ast.Node) {
	if _, ok := n.(*ast.Ident); ok && !q.found {
		q.best = q.on(n) // better than nothing: "return n"
	}
	if !interesting(n) {
		return
	}
	q.best, q.found = q.on(n), true // what comes later is smaller
	if call, ok := caller(parents, n); ok {
		if c := q.on(call); int(call.End()-q.start)+1 <= q.whole.End {
			q.best = c
		}
	}
}

// on is the part of a node that lies on the line, within its margins.
func (q *query) on(n ast.Node) Span {
	at := q.whole
	at.Start = max(at.Start, int(n.Pos()-q.start)+1)
	at.End = min(at.End, int(n.End()-q.start)+1)
	if at.Start >= at.End {
		return q.whole
	}
	return at
}

// interesting nodes are what a step can be: an access or an operation.
func interesting(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr, *ast.CallExpr, *ast.IndexExpr, *ast.AssignStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.StarExpr:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	}
	return false
}

// caller is the call of which the node is the function.
func caller(parents []ast.Node, n ast.Node) (*ast.CallExpr, bool) {
	if len(parents) == 0 {
		return nil, false
	}
	call, ok := parents[len(parents)-1].(*ast.CallExpr)
	return call, ok && call.Fun == n
}

// trimmed is a line without white space at its ends and without a comment that
// ends it; a blank line keeps its first byte, an empty one gets one.
func trimmed(line int, text string) Span {
	start := len(text) - len(strings.TrimLeft(text, " \t"))
	end := len(strings.TrimRight(text, " \t\r"))
	if i := strings.Index(text, " //"); i > start && !strings.ContainsAny(text[:i], "\"`") {
		end = len(strings.TrimRight(text[:i], " \t"))
	}
	if start >= end {
		return Span{Line: line, Start: 1, End: 2}
	}
	return Span{Line: line, Start: start + 1, End: end + 1}
}

// column finds the place of a column of a line as it was in the line as it is,
// where white space may have changed: by counting what is none. It is 0 if the
// column is unknown, or the line too different.
func column(was, is string, col int) int {
	if col < 1 || col > len(was) {
		return 0
	}
	before := strings.Fields(was[:col-1])
	n := 0
	for _, f := range before {
		n += len(f)
	}
	if n >= len(strings.Join(strings.Fields(is), "")) {
		return 0
	}
	for i := 0; i < len(is); i++ {
		if is[i] == ' ' || is[i] == '\t' {
			continue
		}
		if n == 0 {
			if !utf8.RuneStart(is[i]) {
				return 0
			}
			return i + 1
		}
		n--
	}
	return 0
}
