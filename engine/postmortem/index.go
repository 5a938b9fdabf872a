package postmortem

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"

	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/rounds"
)

// Index is the execution index of a failure point (§3.2), outermost call first.
type Index []Call

// Call is a call of the failing goroutine with the predicates on which its line depends.
type Call struct {
	dump.Frame
	Predicates []Predicate // outermost first
	// Open is how many predicates lie between that can't be told, since the line depends
	// on several that are no one condition: their closest common ancestor stands for them.
	Open int
}

// Predicate is a condition and the way that was taken, as lines of the call's file.
type Predicate struct {
	Kind     string // "if", "for", "case", "select"
	Line, To int    // of the condition
	Taken    bool   // whether the line is in what the condition guards
	From, At int    // lines of what is guarded
	Counter  string // the variable of a loop that counts its rounds ("" if it has none)
	Rounds   string // the same, put there by a build that counts the rounds of loops
}

// Nodes is the length of the index: calls and predicates.
func (x Index) Nodes() (n int) {
	for _, c := range x {
		n += 1 + len(c.Predicates)
	}
	return n
}

func (p Predicate) String() string {
	way := "T"
	if !p.Taken {
		way = "F"
	}
	return fmt.Sprintf("%s:%d%s", p.Kind, p.Line, way)
}

// IndexOf is the index of a goroutine's calls, innermost first, by the sources that they
// name, of which may says which are opened. A source that can't be read gives no
// predicates.
func IndexOf(frames []dump.Frame, may func(dump.Frame) bool) Index {
	files := map[string]*source{}
	var x Index
	for i := len(frames) - 1; i >= 0; i-- {
		c := Call{Frame: frames[i]}
		src := files[c.File]
		if src == nil && c.File != "" && may(c.Frame) {
			src = readSource(c.File)
			files[c.File] = src
		}
		if src != nil && c.Line > 0 {
			c.Predicates, c.Open = src.dependences(c.Line)
		}
		x = append(x, c)
	}
	return x
}

// source is a parsed file.
type source struct {
	fset   *token.FileSet
	file   *ast.File
	rounds map[ast.Stmt]string
}

func readSource(name string) *source {
	s := &source{fset: token.NewFileSet()}
	if filepath.Ext(name) != ".go" {
		return s
	}
	if s.file, _ = parser.ParseFile(s.fset, name, nil, parser.SkipObjectResolution|parser.ParseComments); s.file != nil {
		s.rounds = rounds.Of(s.file)
	}
	return s
}

func (s *source) line(p token.Pos) int { return s.fset.Position(p).Line }

func (s *source) holds(n ast.Node, line int) bool {
	return n != nil && s.line(n.Pos()) <= line && line <= s.line(n.End()-1)
}

// dependences are the control dependences of a line within its function.
func (s *source) dependences(line int) (out []Predicate, open int) {
	if s.file == nil {
		return nil, 0
	}
	body := s.body(line)
	for body != nil {
		before, at := split(s, body, line)
		for _, st := range before {
			p, known := s.exit(st)
			if p != nil {
				out = append(out, *p)
			} else if !known {
				open++
			}
		}
		if at == nil {
			return out, open
		}
		var p *Predicate
		p, body = s.inside(at, line)
		if p != nil {
			out = append(out, *p)
		}
	}
	return out, open
}

// body is that of the innermost function around a line.
func (s *source) body(line int) (list []ast.Stmt) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n == nil || !s.holds(n, line) {
			return n == s.file
		}
		switch f := n.(type) {
		case *ast.FuncDecl:
			if f.Body != nil {
				list = f.Body.List
			}
		case *ast.FuncLit:
			if s.line(f.Pos()) < line || s.line(f.End()-1) == s.line(f.Pos()) {
				list = f.Body.List
			}
		}
		return true
	})
	return list
}

// split is a list of statements before the one with a line, and that one.
func split(s *source, list []ast.Stmt, line int) ([]ast.Stmt, ast.Stmt) {
	for i, st := range list {
		if s.holds(st, line) {
			return list[:i], st
		}
	}
	return list, nil
}

// exit is what a statement that may leave the block makes of those after it: they depend
// on its condition, if that alone decides; known is false if it is not alone.
func (s *source) exit(st ast.Stmt) (p *Predicate, known bool) {
	if !leaves(st) {
		return nil, true
	}
	f, ok := st.(*ast.IfStmt)
	if !ok || f.Else != nil || len(f.Body.List) == 0 || !endsBlock(f.Body.List[len(f.Body.List)-1]) {
		return nil, false
	}
	return &Predicate{Kind: "if", Line: s.line(f.Pos()), To: s.line(f.Cond.End()), Taken: false, From: s.line(f.Body.Pos()), At: s.line(f.Body.End())}, true
}

// leaves reports whether a statement may leave its block otherwise than at its end. What
// a break or continue without a label leaves is the loop, switch or select around it,
// which may be within the statement.
func leaves(st ast.Stmt) bool {
	found := false
	var within []ast.Node // the nodes around
	ast.Inspect(st, func(n ast.Node) bool {
		if n == nil {
			within = within[:len(within)-1]
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = true
		case *ast.BranchStmt:
			found = found || n.Label != nil || !isCaught(n.Tok, within)
		case *ast.ExprStmt:
			found = found || isPanic(n)
		}
		if found {
			return false
		}
		within = append(within, n)
		return true
	})
	return found
}

// isCaught reports whether one of the nodes around a break or continue is what it leaves.
func isCaught(tok token.Token, within []ast.Node) bool {
	for _, n := range within {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if tok == token.BREAK {
				return true
			}
		}
	}
	return tok == token.FALLTHROUGH
}

func endsBlock(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		return isPanic(st)
	}
	return false
}

func isPanic(st *ast.ExprStmt) bool {
	call, ok := st.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

// inside goes into a statement: the predicate that guards the line there, if any, and
// the statements among which it is; none if the line is of the statement itself.
func (s *source) inside(st ast.Stmt, line int) (*Predicate, []ast.Stmt) {
	guard := func(kind string, cond ast.Node, body ast.Node, taken bool) *Predicate {
		p := &Predicate{Kind: kind, Line: s.line(st.Pos()), To: s.line(st.Pos()), Taken: taken, From: s.line(body.Pos()), At: s.line(body.End() - 1)}
		if cond != nil {
			p.To = s.line(cond.End() - 1)
		}
		return p
	}
	within := func(list []ast.Stmt) bool {
		_, at := split(s, list, line)
		return at != nil
	}
	switch st := st.(type) {
	case *ast.LabeledStmt:
		return s.inside(st.Stmt, line)
	case *ast.BlockStmt:
		return nil, st.List
	case *ast.IfStmt:
		if within(st.Body.List) {
			return guard("if", st.Cond, st.Body, true), st.Body.List
		}
		if st.Else != nil && s.holds(st.Else, line) {
			p := guard("if", st.Cond, st.Body, false)
			if block, ok := st.Else.(*ast.BlockStmt); ok {
				return p, block.List
			}
			return p, []ast.Stmt{st.Else}
		}
	case *ast.ForStmt:
		if within(st.Body.List) {
			var cond ast.Node
			if st.Cond != nil {
				cond = st.Cond
			}
			p := guard("for", cond, st.Body, true)
			p.Counter, p.Rounds = counter(st), s.rounds[st]
			return p, st.Body.List
		}
	case *ast.RangeStmt:
		if within(st.Body.List) {
			p := guard("for", st.X, st.Body, true)
			p.Counter, p.Rounds = name(st.Key), s.rounds[st]
			return p, st.Body.List
		}
	case *ast.SwitchStmt:
		return s.clause("case", st, st.Body, line)
	case *ast.TypeSwitchStmt:
		return s.clause("case", st, st.Body, line)
	case *ast.SelectStmt:
		return s.clause("select", st, st.Body, line)
	}
	return nil, nil
}

// clause is the case of a switch or select in which a line is.
func (s *source) clause(kind string, st ast.Stmt, body *ast.BlockStmt, line int) (*Predicate, []ast.Stmt) {
	for _, c := range body.List {
		var list []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			list = c.Body
		case *ast.CommClause:
			list = c.Body
		}
		if _, at := split(s, list, line); at != nil {
			return &Predicate{Kind: kind, Line: s.line(st.Pos()), To: s.line(c.Pos()), Taken: true, From: s.line(c.Pos()), At: s.line(c.End() - 1)}, list
		}
	}
	return nil, nil
}

// counter is the variable that a loop begins with and counts up.
func counter(st *ast.ForStmt) string {
	init, ok := st.Init.(*ast.AssignStmt)
	post, up := st.Post.(*ast.IncDecStmt)
	if !ok || !up || post.Tok != token.INC || len(init.Lhs) != 1 || name(init.Lhs[0]) != name(post.X) {
		return ""
	}
	return name(post.X)
}

func name(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
		return id.Name
	}
	return ""
}
