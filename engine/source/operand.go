package source

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Want says what a trace knows of the variable that an operation is about.
type Want struct {
	Methods []string // the operation is a call of one of these methods on it: "Lock"
	Chan    bool     // the operation is one on channels
	Name    string   // its last name: "n" of a field or variable n; "" if unknown
	Element bool     // it is an element of a slice, array or map
	Write   bool     // the operation assigns to it
	Read    bool     // it reads it
	// Of several such operations at the line, it is the one of this number, from 1, of
	// so many; 0 if that is not known.
	Nth, Of int
}

// Operand is an expression that an operation is about, as the source has it.
type Operand struct {
	Text   string // "n.ch", "slots[i]"
	Root   string // the identifier that it begins with
	Method string // that is called on it, if the operation is a call

	expr ast.Expr
}

// Operand finds what the operation at a line is about. The answer is zero if the
// line has nothing of the kind, or several that differ.
func (fn *Func) Operand(line int, w Want) Operand {
	if fn == nil || fn.body == nil {
		return Operand{}
	}
	o := &operands{file: fn.file, line: line, want: w}
	o.walk(fn.body)
	if len(o.found) == 0 && w.Element && w.Name != "" {
		o.want.Name = ""
		o.walk(fn.body)
	}
	if len(o.found) == 0 && !w.Chan && len(w.Methods) == 0 && w.Name == "" {
		o.assigned(fn.body)
	}
	o.keep(usesOf(fn.body))
	return o.only()
}

// uses tells the expressions of a function that a statement assigns to, those of them
// that it does not read as well, and those that are values in a composite literal.
type uses struct {
	assigned, unread, values map[ast.Expr]bool
}

func usesOf(body ast.Node) uses {
	u := uses{map[ast.Expr]bool{}, map[ast.Expr]bool{}, map[ast.Expr]bool{}}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				u.assigned[ast.Unparen(e)] = true
				u.unread[ast.Unparen(e)] = n.Tok == token.ASSIGN || n.Tok == token.DEFINE
			}
		case *ast.IncDecStmt:
			u.assigned[ast.Unparen(n.X)] = true
		case *ast.CompositeLit:
			for _, elt := range n.Elts {
				ast.Inspect(elt, func(v ast.Node) bool {
					if e, ok := v.(ast.Expr); ok {
						u.values[e] = true
					}
					return true
				})
			}
		}
		return true
	})
	return u
}

// keep leaves what a write can be of, or a read: `&conn{addr: c.addr}` writes the field
// of another object than the one that it names.
func (o *operands) keep(u uses) {
	var drop func(Operand) bool
	switch {
	case o.want.Write:
		drop = func(f Operand) bool { return !u.assigned[f.expr] }
	case o.want.Read:
		drop = func(f Operand) bool { return u.unread[f.expr] }
	default:
		return
	}
	if left := slices.DeleteFunc(slices.Clone(o.found), drop); len(left) > 0 {
		o.found = left
	} else if o.want.Write && !o.want.Chan && len(o.want.Methods) == 0 {
		o.found = slices.DeleteFunc(o.found, func(f Operand) bool { return u.values[f.expr] })
	}
}

// operands gathers the expressions at a line that fit.
type operands struct {
	file  *File
	line  int
	want  Want
	found []Operand
}

func (o *operands) at(ps ...token.Pos) bool {
	return slices.ContainsFunc(ps, func(p token.Pos) bool { return p.IsValid() && o.file.line(p) == o.line })
}

func (o *operands) add(e ast.Expr, method string) {
	if op, ok := o.file.operand(e); ok {
		op.Method, op.expr = method, ast.Unparen(e)
		o.found = append(o.found, op)
	}
}

// walk leaves out the bodies of literals: those are functions of their own.
func (o *operands) walk(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil || !o.file.spans(n, o.line) {
			return n == body
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.KeyValueExpr: // the name of a field is no variable
			if _, ok := n.Key.(*ast.Ident); ok {
				ast.Walk(visitor(o.visit), n.Value)
				return false
			}
		}
		return o.visit(n)
	})
}

type visitor func(ast.Node) bool

func (v visitor) Visit(n ast.Node) ast.Visitor {
	if n != nil && v(n) {
		return v
	}
	return nil
}

// visit looks at one node, and says whether to look into it.
func (o *operands) visit(n ast.Node) bool {
	switch {
	case o.want.Chan:
		o.channel(n)
	case len(o.want.Methods) > 0:
		o.call(n)
	default:
		return o.variable(n)
	}
	_, lit := n.(*ast.FuncLit)
	return !lit
}

func (o *operands) channel(n ast.Node) {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && o.at(n.OpPos, n.X.Pos()) {
			o.add(n.X, "")
		}
	case *ast.SendStmt:
		if o.at(n.Arrow, n.Pos()) {
			o.add(n.Chan, "")
		}
	case *ast.RangeStmt:
		if o.at(n.For, n.X.Pos()) {
			o.add(n.X, "")
		}
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "close" || id.Name == "len") && len(n.Args) == 1 && o.at(n.Pos()) {
			o.add(n.Args[0], "")
		}
	}
}

// call finds the receiver of a method, and the variable that a function of package
// atomic is given.
func (o *operands) call(n ast.Node) {
	c, ok := n.(*ast.CallExpr)
	if !ok {
		return
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || !o.at(c.Pos(), sel.Sel.Pos(), c.Lparen) {
		return
	}
	for _, m := range o.want.Methods {
		if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "atomic" && pkg.Obj == nil && len(c.Args) > 0 {
			if strings.HasPrefix(sel.Sel.Name, m) {
				o.add(c.Args[0], m)
				return
			}
		} else if sel.Sel.Name == m {
			o.add(sel.X, m)
			return
		}
	}
}

// variable finds variables by their last name, and elements.
func (o *operands) variable(n ast.Node) bool {
	w := o.want
	switch n := n.(type) {
	case *ast.FuncLit:
		return false
	case *ast.SelectorExpr:
		if !w.Element && n.Sel.Name == w.Name && o.at(n.Sel.Pos(), n.Pos()) {
			o.add(n, "")
			return false
		}
		ast.Walk(visitor(o.visit), n.X) // the name behind the dot is no variable
		return false
	case *ast.IndexExpr:
		if w.Element && (w.Name == "" || lastOf(n.X) == w.Name) && o.at(n.Lbrack, n.Pos()) {
			o.add(n, "")
		}
	case *ast.Ident:
		if !w.Element && n.Name == w.Name && o.at(n.Pos()) {
			o.add(n, "")
		}
	}
	return true
}

// assigned is the one variable that the statement at the line assigns to, of a
// write to memory of which nothing is known.
func (o *operands) assigned(body ast.Node) {
	if !o.want.Write {
		return
	}
	var left []ast.Expr
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil || !o.file.spans(n, o.line) {
			return n == body
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE && o.at(n.Pos()) {
				left = append(left, n.Lhs...)
			}
		case *ast.IncDecStmt:
			left = append(left, n.X)
		}
		return true
	})
	if len(left) == 1 {
		o.add(left[0], "")
	}
}

// operand describes an expression without calls, which names something.
func (f *File) operand(e ast.Expr) (Operand, bool) {
	op := Operand{}
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
			continue
		case *ast.UnaryExpr:
			if x.Op == token.AND {
				e = x.X
				continue
			}
		case *ast.CallExpr: // a conversion of a pointer
			if p, ok := x.Fun.(*ast.ParenExpr); ok && len(x.Args) == 1 {
				if _, ok := p.X.(*ast.StarExpr); ok {
					e = x.Args[0]
					continue
				}
			}
		}
		break
	}
	root, ok := rootOf(e)
	if !ok {
		return op, false
	}
	op.Text, op.Root = f.text(e), root.Name
	return op, op.Text != "" && !strings.HasSuffix(op.Text, "...") && root.Name != "_"
}

// rootOf is the identifier that a selector, index or pointer expression begins with.
func rootOf(e ast.Expr) (*ast.Ident, bool) {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x, true
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil, false
		}
	}
}

func lastOf(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.ParenExpr:
		return lastOf(x.X)
	}
	return ""
}

// Map finds the map that an operation at a line is about: m of m[k], range m,
// delete(m, k), len(m), clear(m). name is its last name, "" if unknown.
func (fn *Func) Map(line int, name string) Operand {
	if fn == nil || fn.body == nil {
		return Operand{}
	}
	o := &operands{file: fn.file, line: line}
	add := func(e ast.Expr) {
		if name == "" || lastOf(e) == name {
			o.add(e, "")
		}
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if n == nil || !o.file.spans(n, line) {
			return n == fn.body
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IndexExpr:
			if o.at(n.Lbrack, n.Pos()) {
				add(n.X)
			}
		case *ast.RangeStmt:
			if o.at(n.For) {
				add(n.X)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && mapCalls[id.Name] && len(n.Args) > 0 && o.at(n.Pos()) {
				add(n.Args[0])
			}
		}
		return true
	})
	return o.only()
}

var mapCalls = map[string]bool{"delete": true, "len": true, "clear": true}

// only is what was found, if that is one expression.
func (o *operands) only() Operand {
	if n := o.want.Nth; n > 0 && n <= o.want.Of && o.want.Of == len(o.found) {
		return o.found[n-1]
	}
	if len(o.found) == 0 || slices.ContainsFunc(o.found, func(f Operand) bool { return f.Text != o.found[0].Text }) {
		return Operand{}
	}
	return o.found[0]
}
