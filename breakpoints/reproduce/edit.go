package reproduce

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// The package of the points, where every package can import it, and its name
// in edited files: one that no program uses.
const (
	pointsPath = "hocketpoints"
	pointsName = "hocketpoints_"
)

// source is a file that gets points.
type source struct {
	name    string // absolute
	text    []byte
	tok     *token.File
	fset    *token.FileSet
	syntax  *ast.File
	changes []change
}

func parseSource(name string, text []byte) (*source, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	return &source{name: name, text: text, fset: fset, tok: fset.File(syntax.Package), syntax: syntax}, nil
}

func (s *source) offset(p token.Pos) int { return s.tok.Offset(p) }

// edited is the file's text with all changes.
func (s *source) edited() string {
	end := s.offset(s.syntax.Name.End())
	return apply(s.text, append(s.changes, change{from: end, to: end, text: fmt.Sprintf("; import %s %q", pointsName, pointsPath)}))
}

// statementAt finds the outermost statement that begins at a line and column,
// and the label before it, nil if there is none.
func statementAt(fset *token.FileSet, syntax *ast.File, line, col int) (found ast.Node, label *ast.LabeledStmt) {
	var last *ast.LabeledStmt
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.BlockStmt:
			return found == nil
		case *ast.LabeledStmt:
			last = n
			return found == nil
		case ast.Stmt:
			at := n.Pos()
			if c, ok := n.(*ast.CommClause); ok && c.Comm != nil {
				at = c.Comm.Pos()
			}
			if p := fset.PositionFor(at, false); found == nil && p.Line == line && p.Column == col {
				found = n
				if last != nil && last.Stmt == n {
					label = last
				}
			}
		}
		return found == nil
	})
	return found, label
}

// span is a token's place in the file.
type span struct{ from, to int }

// tokensOf lists the tokens of a statement, without those inside of its blocks.
func tokensOf(tok *token.File, text []byte, n ast.Node) []span {
	var blocks []span
	ast.Inspect(n, func(x ast.Node) bool {
		if b, ok := x.(*ast.BlockStmt); ok {
			blocks = append(blocks, span{tok.Offset(b.Lbrace) + 1, tok.Offset(b.Rbrace)})
			return false
		}
		return true
	})
	base := tok.Offset(n.Pos())
	part := text[base:tok.Offset(n.End())]
	own := token.NewFileSet().AddFile("", -1, len(part))
	var s scanner.Scanner
	s.Init(own, part, nil, 0)
	var all []span
	for {
		pos, kind, lit := s.Scan()
		if kind == token.EOF {
			return all
		}
		if lit == "" {
			lit = kind.String()
		}
		at := span{base + own.Offset(pos), base + own.Offset(pos) + len(lit)}
		if kind == token.SEMICOLON && lit == "\n" {
			continue
		}
		hidden := false
		for _, b := range blocks {
			hidden = hidden || at.from >= b.from && at.to <= b.to
		}
		if !hidden {
			all = append(all, at)
		}
	}
}

// edit makes the changes of one statement, which is at a line and column. If
// the statement reads differently, only what goes around it is possible.
func (s *source) edit(st Statement, line, col int, changed bool) error {
	n, label := statementAt(s.fset, s.syntax, line, col)
	if n == nil {
		return fmt.Errorf("no statement begins at %d:%d", line, col)
	}
	toks := tokensOf(s.tok, s.text, n)
	var selects []Edit
	for _, e := range st.Edits {
		var err error
		switch e.Form {
		case "loop":
			err = s.loop(n, label, e)
		case "select":
			selects = append(selects, e)
		default:
			err = s.around(n, label, toks, e, changed)
		}
		if err != nil {
			return err
		}
	}
	if len(selects) > 0 {
		return s.prefer(n, selects)
	}
	return nil
}

func (s *source) around(n ast.Node, label *ast.LabeledStmt, toks []span, e Edit, changed bool) error {
	whole := e.From == 0 && e.To == -1 && e.Form == ""
	if e.To == -1 {
		e.To = len(toks) - 1
	}
	if changed && !whole || e.To >= len(toks) || e.From > e.To {
		return fmt.Errorf("it reads differently, so that there is no place for a point inside of it")
	}
	from, to := toks[e.From].from, toks[e.To].to
	if e.Form == "replace" {
		s.changes = append(s.changes, change{from: from, to: to, text: e.Text, order: e.Rank})
		return nil
	}
	if whole && label != nil {
		from = s.offset(label.Pos())
	}
	if e.Text != "" {
		s.changes = append(s.changes, change{from: from, to: from, text: e.Text, order: e.Rank})
	}
	if e.Then != "" {
		s.changes = append(s.changes, closer(to, from, e.Then))
	}
	return nil
}

// loop puts a point before each receive of a range loop: before the loop, at
// the end of its body and before each continue.
func (s *source) loop(n ast.Node, label *ast.LabeledStmt, e Edit) error {
	loop, ok := n.(*ast.RangeStmt)
	if !ok {
		return fmt.Errorf("it is no longer a range loop")
	}
	start := s.offset(loop.Pos())
	if label != nil {
		start = s.offset(label.Pos())
	}
	end := s.offset(loop.Body.Rbrace)
	s.changes = append(s.changes, change{from: start, to: start, text: e.Text + "; ", order: e.Rank},
		change{from: end, to: end, text: "; " + e.Text + " "})
	for _, c := range continuesOf(loop.Body, label) {
		from, to := s.offset(c.Pos()), s.offset(c.End())
		s.changes = append(s.changes, change{from: from, to: from, text: "{ " + e.Text + "; ", order: e.Rank}, closer(to, from, " }"))
	}
	return nil
}

// continuesOf finds the continue statements of the loop with this body.
func continuesOf(body *ast.BlockStmt, label *ast.LabeledStmt) []*ast.BranchStmt {
	var found []*ast.BranchStmt
	var walk func(n ast.Node, depth int)
	walk = func(n ast.Node, depth int) {
		ast.Inspect(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt:
				walk(x.Body, depth+1)
				return false
			case *ast.RangeStmt:
				walk(x.Body, depth+1)
				return false
			case *ast.BranchStmt:
				own := x.Label == nil && depth == 0 || x.Label != nil && label != nil && x.Label.Name == label.Label.Name
				if x.Tok == token.CONTINUE && own {
					found = append(found, x)
				}
			}
			return true
		})
	}
	walk(body, 0)
	return found
}

// prefer lets the plan prefer cases of a select:
//
//	select { case v := <-If(n, ch): BODY; default: select {...as it was...} }
//
// The preferred case's body is there twice, the copy under line directives.
func (s *source) prefer(n ast.Node, edits []Edit) error {
	sel, ok := n.(*ast.SelectStmt)
	if !ok {
		return fmt.Errorf("it is no longer a select")
	}
	var clauses []*ast.CommClause
	for _, e := range edits {
		c := s.clauseOf(sel, e.Case)
		if c == nil {
			return fmt.Errorf("it no longer has a case %s", e.Case)
		}
		clauses = append(clauses, c)
	}
	from, to := s.offset(sel.Pos()), s.offset(sel.End())
	s.changes = append(s.changes, change{from: from, to: to, order: edits[0].Rank, wrap: func(render func(int, int) string) string {
		var before, after string
		for i, c := range clauses {
			ch := channelOf(c.Comm)
			comm := s.between(c.Comm.Pos(), ch.Pos()) + edits[i].Text + s.between(ch.Pos(), ch.End()) + ")" + s.between(ch.End(), c.Comm.End())
			bodyFrom, bodyTo := s.offset(c.Colon)+1, s.offset(clauseEnd(sel, c))
			before += "select { case " + comm + ": " + s.here(bodyFrom) + render(bodyFrom, bodyTo) + "; default: "
			after += " }"
		}
		return before + s.here(from) + render(from, to) + after
	}})
	return nil
}

// clauseOf is the case whose communication reads like this.
func (s *source) clauseOf(sel *ast.SelectStmt, comm string) *ast.CommClause {
	for _, c := range sel.Body.List {
		c := c.(*ast.CommClause)
		if channelOf(c.Comm) != nil && Normalize(s.between(c.Comm.Pos(), c.Comm.End())) == comm {
			return c
		}
	}
	return nil
}

// clauseEnd is where the text of a clause ends, comments included: at the next
// clause or the closing brace.
func clauseEnd(sel *ast.SelectStmt, clause *ast.CommClause) token.Pos {
	for i, c := range sel.Body.List[:len(sel.Body.List)-1] {
		if c == ast.Stmt(clause) {
			return sel.Body.List[i+1].Pos()
		}
	}
	return sel.Body.Rbrace
}

func (s *source) between(from, to token.Pos) string {
	return string(s.text[s.offset(from):s.offset(to)])
}

// Normalize has one space instead of each white space.
func Normalize(text string) string { return strings.Join(strings.Fields(text), " ") }

// here is a line directive for what follows.
func (s *source) here(offset int) string {
	p := s.fset.Position(s.tok.Pos(offset))
	if p.Column == 0 {
		return fmt.Sprintf("/*line %s:%d*/", p.Filename, p.Line)
	}
	return fmt.Sprintf("/*line %s:%d:%d*/", p.Filename, p.Line, p.Column)
}

// channelOf is the channel of a case's communication, nil for default.
func channelOf(comm ast.Stmt) ast.Expr {
	var x ast.Expr
	switch c := comm.(type) {
	case *ast.SendStmt:
		return c.Chan
	case *ast.ExprStmt:
		x = c.X
	case *ast.AssignStmt:
		x = c.Rhs[0]
	}
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.UnaryExpr:
			return y.X
		default:
			return nil
		}
	}
}

// linger holds the end of the function in which the program begins.
func (s *source) linger(fn string) bool {
	for _, d := range s.syntax.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == fn && d.Body != nil {
			at := s.offset(d.Body.Lbrace) + 1
			s.changes = append(s.changes, change{from: at, to: at, text: " defer " + pointsName + ".Linger(); "})
			return true
		}
	}
	return false
}

// Site is a statement's place in a text, and what happens to it.
type Site struct {
	Line, Col int
	Edits     []Edit
}

// Apply makes the edits of a file's statements, which read as they did.
func Apply(name string, text []byte, sites []Site) (string, error) {
	s, err := parseSource(name, text)
	if err != nil {
		return "", err
	}
	for _, site := range sites {
		if err := s.edit(Statement{Edits: site.Edits}, site.Line, site.Col, false); err != nil {
			return "", fmt.Errorf("%d:%d: %w", site.Line, site.Col, err)
		}
	}
	return s.edited(), nil
}
