package source

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// Call is a call of a named function, as the source has it.
type Call struct {
	Fun  string  // "pw.Write"
	Recv Operand // what stands before the method's name, zero without
}

// Call finds the call of a function, by its full name, that begins at a line.
func (fn *Func) Call(line int, name string) Call {
	c := fn.callOf(line, name)
	if c == nil {
		return Call{}
	}
	out := Call{Fun: fn.file.text(c.Fun)}
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok && !fn.file.isPackage(sel.X) {
		out.Recv, _ = fn.file.operand(sel.X)
	}
	return out
}

// isPackage reports whether an expression is the name of an imported package.
func (f *File) isPackage(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok || id.Obj != nil {
		return false
	}
	for _, im := range f.ast.Imports {
		if im.Name != nil && im.Name.Name == id.Name {
			return true
		}
		if p, err := strconv.Unquote(im.Path.Value); err == nil && im.Name == nil && slices.Contains(strings.Split(p, "/"), id.Name) {
			return true // the last part, or the one before "/v2"
		}
	}
	return false
}

// OnlyCall is the call at a line if there is one: that of a function value, whose name
// no trace knows. Conversions and calls in arguments count as calls too.
func (fn *Func) OnlyCall(line int) string {
	if fn == nil || fn.body == nil {
		return ""
	}
	var found []*ast.CallExpr
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if n == nil || !fn.file.spans(n, line) {
			return n == fn.body
		}
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if c, ok := n.(*ast.CallExpr); ok && fn.file.line(c.Lparen) == line {
			found = append(found, c)
		}
		return true
	})
	if len(found) != 1 {
		return ""
	}
	return fn.file.text(found[0].Fun)
}

func (fn *Func) callOf(line int, name string) *ast.CallExpr {
	if fn == nil || fn.body == nil {
		return nil
	}
	var found *ast.CallExpr
	base := baseName(name)
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if n == nil || found != nil || !fn.file.spans(n, line) {
			return n == fn.body
		}
		if c, ok := n.(*ast.CallExpr); ok && callee(c) == base {
			found = c
		}
		return found == nil
	})
	return found
}

// Passed is the expression that the caller gives for the receiver, or for a
// parameter, of a function that is called at a line: zero if it is no variable.
// root is the receiver's or parameter's name in the function.
func (caller *Func) Passed(line int, name string, fn *Func, root string) Operand {
	if fn == nil {
		return Operand{}
	}
	c := caller.callOf(line, name)
	if c == nil {
		return Operand{}
	}
	if fn.recv == root && root != "" {
		sel, ok := c.Fun.(*ast.SelectorExpr)
		if !ok {
			return Operand{}
		}
		op, _ := caller.file.operand(sel.X)
		return op
	}
	if i := fn.paramNamed(root); i >= 0 && i < len(c.Args) {
		op, _ := caller.file.operand(c.Args[i])
		return op
	}
	return Operand{}
}

// paramNamed is the position of a parameter, -1 if there is none of that name.
func (fn *Func) paramNamed(name string) int {
	i := 0
	if fn.typ == nil || fn.typ.Params == nil {
		return -1
	}
	for _, f := range fn.typ.Params.List {
		for _, n := range f.Names {
			if n.Name == name {
				return i
			}
			i++
		}
		if len(f.Names) == 0 {
			i++
		}
	}
	return -1
}

// Result is the variable that result i of the call of a function, by its full name,
// is assigned to at a line, "" if to none.
func (fn *Func) Result(line int, name string, i int) string {
	if fn == nil || fn.body == nil {
		return ""
	}
	base, out := baseName(name), ""
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if n == nil || !fn.file.spans(n, line) {
			return n == fn.body
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			out = fn.result(n.Lhs, n.Rhs, base, i, out)
		case *ast.ValueSpec:
			left := make([]ast.Expr, len(n.Names))
			for k, id := range n.Names {
				left[k] = id
			}
			out = fn.result(left, n.Values, base, i, out)
		}
		return true
	})
	return out
}

func (fn *Func) result(left, right []ast.Expr, base string, i int, known string) string {
	for k, e := range right {
		c, ok := e.(*ast.CallExpr)
		if !ok || callee(c) != base {
			continue
		}
		at := k
		if len(right) == 1 {
			at = i
		}
		if at < len(left) {
			if op, ok := fn.file.operand(left[at]); ok && !strings.HasPrefix(op.Text, "*") {
				return op.Text
			}
		}
	}
	return known
}
