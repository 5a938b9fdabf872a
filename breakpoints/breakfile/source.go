package breakfile

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// A unit is what a place can name: a statement, the head of one that has a
// body, or the communication of a case.
type unit struct {
	node       ast.Node
	start, end int  // offsets; the end is behind it
	top        *top // the declaration that holds it
	fn         string
	toks       []tok
	key        string
	text       string
	tell       []string
	exact, alf hash // of key and shape
	dead       string
}

// top is a declaration of the file with code in it, and its units in the order
// of the source, those of function literals included: they are numbered anew
// when another is put before them, so they don't divide it.
type top struct {
	name  string
	units []*unit
}

// source is a parsed file.
type source struct {
	src    []byte
	tok    *token.File
	ast    *ast.File
	tops   []*top
	units  []*unit
	consts map[string]bool // constants of the file that are false
}

// parse reads a file.
func parse(src []byte) (*source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	s := &source{src: src, tok: fset.File(file.FileStart), ast: file, consts: map[string]bool{}}
	s.constants()
	inits := 0
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body == nil {
				continue
			}
			name := funcName(d)
			if name == "init" {
				name = fmt.Sprintf("init.%d", inits)
				inits++
			}
			s.top(name).walk(s, name, d.Body)
		case *ast.GenDecl:
			s.variables(d)
		}
	}
	for _, t := range s.tops {
		s.units = append(s.units, t.units...)
	}
	s.unreachable()
	return s, nil
}

func (s *source) top(name string) *top {
	t := &top{name: name}
	s.tops = append(s.tops, t)
	return t
}

// variables takes the function literals of package-level variables.
func (s *source) variables(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, x := range v.Values {
			name := v.Names[min(i, len(v.Names)-1)].Name
			t := &top{name: name}
			t.literals(s, &naming{name: name, outer: true}, x)
			if len(t.units) > 0 {
				s.tops = append(s.tops, t)
			}
		}
	}
}

func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t, star := d.Recv.List[0].Type, false
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t, star = x.X, true
			continue
		case *ast.ParenExpr:
			t = x.X
			continue
		case *ast.IndexExpr:
			t = x.X
			continue
		case *ast.IndexListExpr:
			t = x.X
			continue
		case *ast.Ident:
			if star {
				return "(*" + x.Name + ")." + d.Name.Name
			}
			return x.Name + "." + d.Name.Name
		}
		return d.Name.Name
	}
}

// naming numbers the literals of a function as the compiler does.
type naming struct {
	name  string
	outer bool // of a declaration: "f.func1", else "f.func1.1"
	n     int
}

func (n *naming) next() *naming {
	n.n++
	if n.outer {
		return &naming{name: n.name + ".func" + strconv.Itoa(n.n)}
	}
	return &naming{name: n.name + "." + strconv.Itoa(n.n)}
}

func (t *top) walk(s *source, name string, body *ast.BlockStmt) {
	t.block(s, &naming{name: name, outer: true}, body)
}

// block takes the units below a node.
func (t *top) block(s *source, fn *naming, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			t.block(s, fn.next(), n.Body)
			return false
		case *ast.CommClause:
			if n.Comm != nil {
				t.add(s, fn, n, s.offset(n.Case), s.offset(n.Colon))
				t.literals(s, fn, n.Comm)
			}
			for _, st := range n.Body {
				t.block(s, fn, st)
			}
			return false
		case ast.Stmt:
			return t.stmt(s, fn, n)
		}
		return true
	})
}

// literals takes what function literals in an expression hold.
func (t *top) literals(s *source, fn *naming, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			t.block(s, fn.next(), lit.Body)
			return false
		}
		return true
	})
}

// stmt takes one statement, and says whether to look for more inside it.
func (t *top) stmt(s *source, fn *naming, n ast.Stmt) bool {
	switch n := n.(type) {
	case *ast.BlockStmt, *ast.LabeledStmt, *ast.CaseClause:
		return true
	case *ast.EmptyStmt, *ast.BadStmt:
		return false
	case *ast.DeclStmt:
		if d, ok := n.Decl.(*ast.GenDecl); !ok || d.Tok != token.VAR {
			return false
		}
	}
	end := s.offset(n.End())
	body := bodyOf(n)
	if body != nil {
		end = s.offset(body.Lbrace)
	}
	if _, ok := n.(*ast.SelectStmt); ok {
		end = s.offset(n.Pos()) + len("select")
	}
	t.add(s, fn, n, s.offset(n.Pos()), end)
	if body == nil {
		return true // for the literals
	}
	// The simple statements of a head are part of it: only literals count.
	for _, h := range headOf(n) {
		t.literals(s, fn, h)
	}
	t.block(s, fn, body)
	if i, ok := n.(*ast.IfStmt); ok && i.Else != nil {
		t.block(s, fn, i.Else)
	}
	return false
}

// bodyOf is the body of a statement that has a head, nil for others.
func bodyOf(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.IfStmt:
		return n.Body
	case *ast.ForStmt:
		return n.Body
	case *ast.RangeStmt:
		return n.Body
	case *ast.SwitchStmt:
		return n.Body
	case *ast.TypeSwitchStmt:
		return n.Body
	case *ast.SelectStmt:
		return n.Body
	}
	return nil
}

func headOf(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.IfStmt:
		return some(n.Init, n.Cond)
	case *ast.ForStmt:
		return some(n.Init, n.Cond, n.Post)
	case *ast.RangeStmt:
		return some(n.Key, n.Value, n.X)
	case *ast.SwitchStmt:
		return some(n.Init, n.Tag)
	case *ast.TypeSwitchStmt:
		return some(n.Init, n.Assign)
	}
	return nil
}

func some(nodes ...ast.Node) []ast.Node {
	var out []ast.Node
	for _, n := range nodes {
		if n != nil {
			out = append(out, n)
		}
	}
	return out
}

func (t *top) add(s *source, fn *naming, n ast.Node, start, end int) {
	for end > start && (s.src[end-1] == ' ' || s.src[end-1] == '\t') {
		end--
	}
	u := &unit{node: n, start: start, end: end, top: t, fn: fn.name}
	if sel, ok := n.(*ast.SelectStmt); ok {
		u.toks = s.selectTokens(sel)
	} else {
		u.toks = s.tokens(n, start, end)
	}
	u.text, u.key, u.tell = render(u.toks), key(u.toks), telling(u.toks)
	u.exact, u.alf = hashOf(u.key), hashOf(shape(u.toks))
	t.units = append(t.units, u)
}

// tokens of a part of the text, the bodies of the function literals of n left
// out.
func (s *source) tokens(n ast.Node, start, end int) []tok {
	holes := s.bodies(n)
	var cut []byte
	at := start
	for _, h := range holes {
		if h[0] > end {
			break // in what the head heads
		}
		cut = append(append(cut, s.src[at:h[0]]...), elided...)
		at = h[1]
	}
	return scan(append(cut, s.src[at:end]...))
}

// bodies are the insides of the outermost function literals of a node.
func (s *source) bodies(n ast.Node) [][2]int {
	var out [][2]int
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			out = append(out, [2]int{s.offset(lit.Body.Lbrace) + 1, s.offset(lit.Body.Rbrace)})
		}
		return !ok
	})
	return out
}

// holes are those of a unit.
func (s *source) holes(u *unit) [][2]int { return s.bodies(u.node) }

// selectTokens: a select without its bodies, so that one is told from another.
func (s *source) selectTokens(sel *ast.SelectStmt) []tok {
	text := []byte("select {")
	for _, c := range sel.Body.List {
		c := c.(*ast.CommClause)
		if c.Comm == nil {
			text = append(text, " default:"...)
			continue
		}
		text = append(append(append(text, ' '), render(s.tokens(c.Comm, s.offset(c.Case), s.offset(c.Colon)))...), ':')
	}
	return scan(append(text, " }"...))
}

func (s *source) offset(p token.Pos) int { return s.tok.Offset(p) }

// position of an offset: line directives play no part.
func (s *source) position(off int) (line, col int) {
	p := s.tok.PositionFor(s.tok.Pos(off), false)
	return p.Line, p.Column
}

func (s *source) location(u *unit) Location {
	l := Location{Func: u.fn, Text: u.text}
	l.Line, l.Column = s.position(u.start)
	l.EndLine, l.EndColumn = s.position(u.end)
	return l
}
