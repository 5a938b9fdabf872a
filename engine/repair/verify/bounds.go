package verify

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"

	"github.com/hocket-dev/hocket/engine/site"
)

// bounds names a variable of the cause that the edit keeps within bounds where it did not
// before: what sets it wrong still happens, and is hidden.
func (c *check) bounds() string {
	for _, a := range c.Finding.RootCause {
		what := lastName(a.Var)
		if what == "" || !site.InMain(a.File) {
			continue
		}
		was, is := 0, 0
		for file := range c.files {
			was += boundsOf(c.before[file], what)
			is += boundsOf(c.files[file], what)
		}
		if is > was {
			return fmt.Sprintf("it keeps %s within bounds, which hides what sets it wrong if that still happens (%s:%d)", a.Var, filepath.Base(a.File), a.Line)
		}
	}
	return ""
}

// boundsOf counts where a text keeps a variable or field of a name within bounds: a
// minimum or maximum is made of it, or it is set to one, or to a constant if it is greater
// or less than something.
func boundsOf(text []byte, name string) (n int) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return 0
	}
	ast.Inspect(f, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.AssignStmt:
			for i, l := range x.Lhs {
				if names(l) == name && len(x.Lhs) == len(x.Rhs) && bounded(x.Rhs[i]) && !has(x.Rhs[i], name) {
					n++
				}
			}
		case *ast.CallExpr:
			if isBound(x) && has(x, name) {
				n++
			}
		case *ast.IfStmt:
			if compares(x.Cond, name) && setsConstant(x.Body, name) {
				n++
			}
		}
		return true
	})
	return n
}

// bounded is true of a call of min or max, or a conversion of one.
func bounded(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && (isBound(c) || len(c.Args) == 1 && bounded(c.Args[0]))
}

// has is true of an expression in which a variable occurs.
func has(e ast.Expr, name string) (yes bool) {
	ast.Inspect(e, func(x ast.Node) bool {
		if id, ok := x.(*ast.Ident); ok && id.Name == name {
			yes = true
		}
		return !yes
	})
	return yes
}

func isBound(c *ast.CallExpr) bool {
	switch fn := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		return fn.Name == "min" || fn.Name == "max"
	case *ast.SelectorExpr:
		pkg, ok := fn.X.(*ast.Ident)
		return ok && pkg.Name == "math" && (fn.Sel.Name == "Min" || fn.Sel.Name == "Max")
	}
	return false
}

// compares is true of a condition that asks whether a variable is greater or less than
// something.
func compares(cond ast.Expr, name string) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || b.Op != token.LSS && b.Op != token.LEQ && b.Op != token.GTR && b.Op != token.GEQ {
		return false
	}
	return valueOf(b.X) == name || valueOf(b.Y) == name
}

// valueOf is the name of the variable that an expression is, or is the value of.
func valueOf(e ast.Expr) string {
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok {
		if sel, ok := c.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Load" {
			return names(sel.X)
		}
	}
	return names(ast.Unparen(e))
}

// setsConstant is true of a block that does nothing but set a variable to a constant.
func setsConstant(body *ast.BlockStmt, name string) bool {
	if len(body.List) != 1 {
		return false
	}
	switch s := body.List[0].(type) {
	case *ast.AssignStmt:
		return s.Tok == token.ASSIGN && len(s.Lhs) == 1 && names(s.Lhs[0]) == name && constant(s.Rhs[0])
	case *ast.ExprStmt:
		c, ok := s.X.(*ast.CallExpr)
		if !ok || len(c.Args) != 1 || !constant(c.Args[0]) {
			return false
		}
		sel, ok := c.Fun.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Store" && names(sel.X) == name
	}
	return false
}

// constant is true of numbers, and of what may be the name of one.
func constant(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	case *ast.UnaryExpr:
		return constant(e.X)
	}
	return false
}
