package inject

import (
	"go/ast"
	"strings"
)

// stripped is x as Go of its side: t1.v is v. Positions stay those of the
// condition.
func stripped(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case nil:
		return nil
	case *ast.SelectorExpr:
		if sideOf(x.X) > 0 {
			return &ast.Ident{NamePos: x.Pos(), Name: x.Sel.Name}
		}
		return &ast.SelectorExpr{X: stripped(x.X), Sel: x.Sel}
	case *ast.ParenExpr:
		return &ast.ParenExpr{Lparen: x.Lparen, X: stripped(x.X), Rparen: x.Rparen}
	case *ast.StarExpr:
		return &ast.StarExpr{Star: x.Star, X: stripped(x.X)}
	case *ast.UnaryExpr:
		return &ast.UnaryExpr{OpPos: x.OpPos, Op: x.Op, X: stripped(x.X)}
	case *ast.BinaryExpr:
		return &ast.BinaryExpr{X: stripped(x.X), OpPos: x.OpPos, Op: x.Op, Y: stripped(x.Y)}
	case *ast.IndexExpr:
		return &ast.IndexExpr{X: stripped(x.X), Lbrack: x.Lbrack, Index: stripped(x.Index), Rbrack: x.Rbrack}
	case *ast.SliceExpr:
		return &ast.SliceExpr{X: stripped(x.X), Lbrack: x.Lbrack, Low: stripped(x.Low), High: stripped(x.High), Max: stripped(x.Max), Slice3: x.Slice3, Rbrack: x.Rbrack}
	case *ast.TypeAssertExpr:
		return &ast.TypeAssertExpr{X: stripped(x.X), Lparen: x.Lparen, Type: stripped(x.Type), Rparen: x.Rparen}
	case *ast.ArrayType:
		return &ast.ArrayType{Lbrack: x.Lbrack, Len: stripped(x.Len), Elt: stripped(x.Elt)}
	case *ast.MapType:
		return &ast.MapType{Map: x.Map, Key: stripped(x.Key), Value: stripped(x.Value)}
	case *ast.CallExpr:
		args := make([]ast.Expr, len(x.Args))
		for i, a := range x.Args {
			args[i] = stripped(a)
		}
		return &ast.CallExpr{Fun: stripped(x.Fun), Lparen: x.Lparen, Args: args, Rparen: x.Rparen}
	}
	return x
}

// write writes x as Go of its side: the condition's own text without "t1.".
func (c *condition) write(b *strings.Builder, x ast.Expr) {
	from := c.offset(x.Pos())
	ast.Inspect(x, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sideOf(sel.X) > 0 {
			b.WriteString(c.text[from:c.offset(sel.Pos())])
			from = c.offset(sel.Sel.Pos())
			return false
		}
		return true
	})
	b.WriteString(c.text[from:c.offset(x.End())])
}
