package reproduce

import (
	"go/ast"
	"go/token"
	"sort"
)

// Anchor is the statement that holds a range of a file's text, and where in it
// the range is: what an [Edit] is made from.
type Anchor struct {
	Line, Col int // where the statement begins; of a select's case, its communication
	From, To  int // tokens, as in Edit
	Node      ast.Node
}

// AnchorOf finds the innermost statement whose own text, not that of its
// blocks, holds [from:to). The range must begin and end with tokens.
func AnchorOf(fset *token.FileSet, syntax *ast.File, text []byte, from, to int) (Anchor, bool) {
	tok := fset.File(syntax.Package)
	var best ast.Node
	ast.Inspect(syntax, func(n ast.Node) bool {
		if n == nil || tok.Offset(n.Pos()) > from || tok.Offset(n.End()) < to {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.LabeledStmt, *ast.CaseClause:
		case *ast.CommClause:
			if n.Comm != nil && tok.Offset(n.Comm.Pos()) <= from && to <= tok.Offset(n.Comm.End()) {
				best = n
				return false
			}
		case ast.Stmt:
			if _, clause := best.(*ast.CommClause); !clause && !headOnly(best, n) {
				best = n
			}
		}
		return true
	})
	if best == nil {
		return Anchor{}, false
	}
	at := best.Pos()
	if c, ok := best.(*ast.CommClause); ok {
		at = c.Comm.Pos()
	}
	p := fset.PositionFor(at, false)
	a := Anchor{Line: p.Line, Col: p.Column, Node: best}
	toks := tokensOf(tok, text, best)
	i := sort.Search(len(toks), func(i int) bool { return toks[i].from >= from })
	j := sort.Search(len(toks), func(i int) bool { return toks[i].to >= to })
	if i == len(toks) || j == len(toks) || toks[i].from != from || toks[j].to != to {
		return Anchor{}, false
	}
	a.From, a.To = i, j
	if j == len(toks)-1 {
		a.To = -1
	}
	return a, true
}

// headOnly reports whether the statement is a part of another one's head, which has no place
// of its own.
func headOnly(outer, n ast.Node) bool {
	switch o := outer.(type) {
	case *ast.IfStmt:
		return o.Init == n
	case *ast.ForStmt:
		return o.Init == n || o.Post == n
	case *ast.SwitchStmt:
		return o.Init == n
	case *ast.TypeSwitchStmt:
		return o.Init == n || o.Assign == n
	}
	return false
}
