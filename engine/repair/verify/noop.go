package verify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"sort"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// noop is a statement that changes nothing, but is a switch point of a search: an
// operation on something that nobody else knows.
const noop = "func() { c := make(chan struct{}, 1); c <- struct{}{} }(); "

// withNoops are the texts before an edit with a no-op before the first statement that
// each of its hunks touches.
func withNoops(before, after map[string][]byte) (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, text := range after {
		edits, err := noops(before[name], hunks(before[name], text))
		if err != nil {
			return nil, err
		}
		if out[name], err = textedit.Apply(before[name], edits); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func noops(text []byte, hs []hunk) (edits []textedit.Edit, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var starts []token.Pos // of statements in lists
	ast.Inspect(f, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for _, st := range list {
			switch st.(type) {
			case *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt:
			default:
				starts = append(starts, st.Pos())
			}
		}
		return true
	})
	sort.Slice(starts, func(i, j int) bool { return starts[i] < starts[j] })
	used := map[token.Pos]bool{}
	for _, h := range hs {
		for _, p := range starts {
			if fset.Position(p).Line >= h.From {
				if fset.Position(p).Line <= h.To+1 && !used[p] {
					used[p] = true
					edits = append(edits, textedit.Insert(fset.Position(p).Offset, 0, noop))
				}
				break
			}
		}
	}
	return edits, nil
}
