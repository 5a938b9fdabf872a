package source

import (
	"go/ast"
	"go/token"
)

// Kind of a control statement.
type Kind string

const (
	If     Kind = "if"
	For    Kind = "for"
	Range  Kind = "range"
	Switch Kind = "switch"
	Select Kind = "select"
	Guard  Kind = "guard" // an earlier if that leaves the block when its condition holds
)

// Span is a range of lines, both ends included.
type Span struct{ From, To int }

// Has reports whether the line is in the span.
func (s Span) Has(line int) bool { return s.From <= line && line <= s.To }

// Control is one statement that decides whether a line runs.
type Control struct {
	Kind  Kind
	Line  int    // of the condition
	Cond  string // its text: "live.get() == 0", "case <-s.quit"
	Taken bool   // the outcome that lets the line run
	Spans []Span // lines whose operations the outcome depends on directly
	exprs []ast.Node
}

// Controls lists what decides whether a line of the function runs, innermost
// first, guards after the statement that they stand before.
func (fn *Func) Controls(line int) []Control {
	if fn == nil {
		return nil
	}
	c := &controls{file: fn.file, line: line}
	c.block(fn.body.List)
	for i, j := 0, len(c.found)-1; i < j; i, j = i+1, j-1 {
		c.found[i], c.found[j] = c.found[j], c.found[i]
	}
	return c.found
}

type controls struct {
	file  *File
	line  int
	found []Control // outermost first
}

func (c *controls) add(k Kind, taken bool, cond ast.Node, exprs ...ast.Node) {
	ctl := Control{Kind: k, Taken: taken, Cond: c.file.text(cond)}
	if cond != nil {
		ctl.Line = c.file.line(cond.Pos())
	}
	for _, e := range exprs {
		if e == nil {
			continue
		}
		ctl.exprs = append(ctl.exprs, e)
		ctl.Spans = append(ctl.Spans, c.file.span(e))
	}
	c.found = append(c.found, ctl)
}

func (f *File) span(n ast.Node) Span { return Span{f.line(n.Pos()), f.line(n.End())} }

func (c *controls) block(list []ast.Stmt) {
	for i, s := range list {
		if !c.file.spans(s, c.line) {
			continue
		}
		for _, before := range list[:i] {
			if g, ok := before.(*ast.IfStmt); ok && leaves(g.Body) {
				c.add(Guard, false, g.Cond, ifExprs(g)...)
			}
		}
		c.stmt(s)
		return
	}
}

func (c *controls) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		c.block(s.List)
	case *ast.LabeledStmt:
		c.stmt(s.Stmt)
	case *ast.IfStmt:
		c.ifStmt(s)
	case *ast.ForStmt:
		if c.inside(s.Body) {
			if s.Cond != nil {
				c.add(For, true, s.Cond, nodes(s.Init, s.Cond, s.Post)...)
			}
			c.block(s.Body.List)
		}
	case *ast.RangeStmt:
		if c.inside(s.Body) {
			c.add(Range, true, s.X, s.X)
			c.block(s.Body.List)
		}
	case *ast.SwitchStmt:
		c.clauses(s.Body, nodes(s.Init, s.Tag))
	case *ast.TypeSwitchStmt:
		c.clauses(s.Body, nodes(s.Init, s.Assign))
	case *ast.SelectStmt:
		c.selectStmt(s)
	}
}

func (c *controls) ifStmt(s *ast.IfStmt) {
	switch {
	case c.inside(s.Body):
		c.add(If, true, s.Cond, ifExprs(s)...)
		c.block(s.Body.List)
	case s.Else != nil && c.file.spans(s.Else, c.line):
		c.add(If, false, s.Cond, ifExprs(s)...)
		c.stmt(s.Else)
	}
}

func (c *controls) clauses(body *ast.BlockStmt, header []ast.Node) {
	exprs := header
	for _, s := range body.List {
		cl, ok := s.(*ast.CaseClause)
		if !ok {
			continue
		}
		for _, e := range cl.List {
			exprs = append(exprs, e)
		}
		if len(cl.Body) > 0 && c.file.spans(cl, c.line) && c.line >= c.file.line(cl.Body[0].Pos()) {
			var cond ast.Node = cl
			if len(cl.List) > 0 {
				cond = cl.List[0]
			}
			c.add(Switch, true, cond, exprs...)
			c.block(cl.Body)
			return
		}
	}
}

func (c *controls) selectStmt(s *ast.SelectStmt) {
	for _, b := range s.Body.List {
		cl, ok := b.(*ast.CommClause)
		if !ok || len(cl.Body) == 0 || !c.file.spans(cl, c.line) || c.line < c.file.line(cl.Body[0].Pos()) {
			continue
		}
		ctl := Control{Kind: Select, Taken: true, Cond: "default", Line: c.file.line(cl.Pos())}
		if cl.Comm != nil {
			ctl.Cond = "case " + c.file.text(cl.Comm)
			ctl.exprs = []ast.Node{cl.Comm}
		}
		at := c.file.line(s.Pos())
		ctl.Spans = append(ctl.Spans, Span{at, at})
		for _, o := range s.Body.List { // non-blocking forms carry the line of the case
			if oc, ok := o.(*ast.CommClause); ok && oc.Comm != nil {
				ctl.Spans = append(ctl.Spans, c.file.span(oc.Comm))
			}
		}
		c.found = append(c.found, ctl)
		c.block(cl.Body)
		return
	}
}

// inside reports whether the line is in the body and not (also) on the line of
// the condition before it.
func (c *controls) inside(b *ast.BlockStmt) bool {
	open := c.file.line(b.Lbrace)
	if len(b.List) > 0 && c.file.line(b.List[0].Pos()) == open {
		return c.line >= open && c.line <= c.file.line(b.Rbrace)
	}
	return c.line > open && c.line <= c.file.line(b.Rbrace)
}

func ifExprs(s *ast.IfStmt) []ast.Node { return nodes(s.Init, s.Cond) }

// nodes drops the nil ones, typed or not.
func nodes(list ...ast.Node) []ast.Node {
	var out []ast.Node
	for _, n := range list {
		switch n := n.(type) {
		case nil:
		case ast.Stmt:
			if n != ast.Stmt(nil) {
				out = append(out, n)
			}
		default:
			out = append(out, n)
		}
	}
	return out
}

// leaves reports whether a block never runs on into what follows it.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch s := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok != token.FALLTHROUGH
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		return ok && noReturn[callee(call)]
	}
	return false
}

var noReturn = map[string]bool{
	"panic": true, "Exit": true, "Goexit": true, "Fatal": true, "Fatalf": true, "Fatalln": true,
	"FailNow": true, "Skip": true, "Skipf": true, "SkipNow": true,
}

// callee is the last part of the called function's name.
func callee(c *ast.CallExpr) string {
	fun := c.Fun
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// SelectCase is the line of the case that a select chose. index counts as the
// compiler does: sends from 0 in source order, receives from n-1 downwards,
// n the number of cases without default; -1 is default. 0 if not found.
func (fn *Func) SelectCase(line, index, n int) (at int, text string) {
	s := fn.selectAt(line)
	if s == nil {
		return 0, ""
	}
	sends, recvs := 0, 0
	for _, b := range s.Body.List {
		cl := b.(*ast.CommClause)
		k := -1
		switch cl.Comm.(type) {
		case nil:
		case *ast.SendStmt:
			k = sends
			sends++
		default:
			recvs++
			k = n - recvs
		}
		if k == index {
			if cl.Comm == nil {
				return fn.file.line(cl.Pos()), "default"
			}
			return fn.file.line(cl.Pos()), fn.file.text(cl.Comm)
		}
	}
	return 0, ""
}

func (fn *Func) selectAt(line int) *ast.SelectStmt {
	if fn == nil {
		return nil
	}
	var found *ast.SelectStmt
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectStmt); ok && fn.file.line(s.Pos()) <= line && line <= fn.file.line(s.End()) {
			found = s // the innermost last
		}
		return true
	})
	if found != nil && fn.file.line(found.Pos()) != line {
		// Only the select's own line or one of its cases' names it.
		for _, b := range found.Body.List {
			if cl := b.(*ast.CommClause); fn.file.line(cl.Pos()) == line {
				return found
			}
		}
		return nil
	}
	return found
}

// End is the line of the function's closing brace.
func (fn *Func) End() int {
	if fn == nil {
		return 0
	}
	return fn.file.line(fn.body.Rbrace)
}

// Returns are the lines of the function's return statements, without those of
// literals in it.
func (fn *Func) Returns() []int {
	if fn == nil {
		return nil
	}
	var out []int
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			out = append(out, fn.file.line(n.Pos()))
		}
		return true
	})
	return out
}

// Closing is a call of close.
type Closing struct {
	Line int
	Text string // "close(c.done)"
}

// Closes are the calls by which the function closes a channel whose variable or field
// has a name, without deferred ones and those of literals in it.
func (fn *Func) Closes(name string) []Closing {
	if fn == nil {
		return nil
	}
	var out []Closing
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.DeferStmt:
			return false
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "close" && len(n.Args) == 1 && lastOf(n.Args[0]) == name {
				out = append(out, Closing{fn.file.line(n.Pos()), fn.file.text(n)})
			}
		}
		return true
	})
	return out
}

// Receives are the statements by which the function only receives from a channel whose
// variable or field has a name, without those of literals in it.
func (fn *Func) Receives(name string) (lines []int) {
	if fn == nil {
		return nil
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.DeferStmt, *ast.CommClause:
			return false
		case *ast.ExprStmt:
			if u, ok := ast.Unparen(n.X).(*ast.UnaryExpr); ok && u.Op == token.ARROW && lastOf(u.X) == name {
				lines = append(lines, fn.file.line(n.Pos()))
			}
		}
		return true
	})
	return lines
}

// Loop is the innermost for or range statement that holds a line.
func (fn *Func) Loop(line int) (Span, bool) {
	var out Span
	if fn == nil {
		return out, false
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt:
			if s := fn.file.span(n); s.Has(line) {
				out = s // the innermost last
			}
		}
		return true
	})
	return out, out.From > 0
}

// Conditions are those of the if and for statements that begin before a line, the
// nearest first.
func (fn *Func) Conditions(line int) []Span {
	var out []Span
	if fn == nil {
		return nil
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		var cond ast.Expr
		switch n := n.(type) {
		case *ast.FuncLit:
			return fn.file.spans(n, line)
		case *ast.IfStmt:
			cond = n.Cond
		case *ast.ForStmt:
			cond = n.Cond
		}
		if cond != nil && fn.file.line(cond.Pos()) < line {
			out = append([]Span{fn.file.span(cond)}, out...)
		}
		return true
	})
	return out
}
