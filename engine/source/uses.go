package source

import (
	"go/ast"
	"strings"
)

// Uses says where the local values that some code uses come from.
type Uses struct {
	Spans  []Span // statements that assign the used locals, transitively
	Params []int  // parameters that are used, by position
}

// def is one assignment to a local variable.
type def struct {
	obj  *ast.Object
	span Span
	from []ast.Node // the expressions that the value comes from
}

// maxDefs bounds the chain of assignments that is followed.
const maxDefs = 24

// StmtUses follows the locals that the simple statement at a line reads.
func (fn *Func) StmtUses(line int) Uses {
	if fn == nil {
		return Uses{}
	}
	if s := fn.stmtAt(line); s != nil {
		return fn.uses([]ast.Node{s})
	}
	return Uses{}
}

// CondUses follows the locals of a condition.
func (fn *Func) CondUses(c Control) Uses {
	if fn == nil {
		return Uses{}
	}
	return fn.uses(c.exprs)
}

// ArgUses follows the locals in argument number i of the call of callee (a
// full function name) at a line.
func (fn *Func) ArgUses(line int, name string, i int) Uses {
	if fn == nil {
		return Uses{}
	}
	base := baseName(name)
	var arg ast.Node
	ast.Inspect(fn.body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && arg == nil && fn.file.spans(call, line) && callee(call) == base && i < len(call.Args) {
			arg = call.Args[i]
		}
		return true
	})
	if arg == nil {
		return Uses{}
	}
	return fn.uses([]ast.Node{arg})
}

// baseName of "m.(*T).Name[...]" is "Name".
func baseName(name string) string {
	name = trimType(name)
	return name[strings.LastIndexByte(name, '.')+1:]
}

func (fn *Func) uses(from []ast.Node) Uses {
	fn.collect()
	var u Uses
	seen := map[*ast.Object]bool{}
	todo := from
	for len(todo) > 0 && len(u.Spans) < maxDefs {
		n := todo[0]
		todo = todo[1:]
		for _, obj := range fn.idents(n) {
			if seen[obj] {
				continue
			}
			seen[obj] = true
			if i := fn.param(obj); i >= 0 {
				u.Params = append(u.Params, i)
			}
			for _, d := range fn.defs {
				if d.obj == obj {
					u.Spans = append(u.Spans, d.span)
					todo = append(todo, d.from...)
				}
			}
		}
	}
	return u
}

// idents are the variables named in a node, literals' bodies left out.
func (fn *Func) idents(n ast.Node) []*ast.Object {
	var out []*ast.Object
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			if n.Obj != nil && n.Obj.Kind == ast.Var {
				out = append(out, n.Obj)
			}
		}
		return true
	})
	return out
}

func (fn *Func) param(obj *ast.Object) int {
	i := 0
	if fn.typ == nil || fn.typ.Params == nil {
		return -1
	}
	for _, f := range fn.typ.Params.List {
		for _, name := range f.Names {
			if name.Obj == obj {
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

func (fn *Func) collect() {
	if fn.done {
		return
	}
	fn.done = true
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			fn.assign(n)
		case *ast.IncDecStmt:
			fn.define(n.X, fn.file.span(n), n.X)
		case *ast.RangeStmt:
			at := fn.file.line(n.Pos())
			fn.define(n.Key, Span{at, at}, n.X)
			fn.define(n.Value, Span{at, at}, n.X)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				if len(n.Values) > 0 {
					fn.define(name, fn.file.span(n), exprNodes(n.Values)...)
				}
			}
		}
		return true
	})
}

func (fn *Func) assign(n *ast.AssignStmt) {
	for i, l := range n.Lhs {
		from := exprNodes(n.Rhs)
		if len(n.Lhs) == len(n.Rhs) {
			from = []ast.Node{n.Rhs[i]}
		}
		fn.define(l, fn.file.span(n), from...)
	}
}

func (fn *Func) define(l ast.Expr, at Span, from ...ast.Node) {
	id, ok := l.(*ast.Ident)
	if !ok || id.Obj == nil {
		return
	}
	fn.defs = append(fn.defs, def{obj: id.Obj, span: at, from: from})
}

func exprNodes(list []ast.Expr) []ast.Node {
	out := make([]ast.Node, len(list))
	for i, e := range list {
		out[i] = e
	}
	return out
}

// stmtAt is the innermost statement without a body that holds the line.
func (fn *Func) stmtAt(line int) ast.Node {
	var found ast.Node
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if n == nil || !fn.file.spans(n, line) {
			return n == fn.body
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt, *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.ReturnStmt, *ast.DeclStmt, *ast.GoStmt, *ast.DeferStmt:
			found = n
		case *ast.IfStmt:
			if fn.file.span(n.Cond).Has(line) {
				found = n.Cond
			}
		}
		return true
	})
	return found
}
