package paths

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// literal is a function literal of a source, or a place where one was put in.
type literal struct {
	pos  token.Pos
	body *ast.BlockStmt // nil: it was put in
}

// rename says how the linker's names of literals in a function read without those that
// were put in: it counts literals, main.f.func2 is the second in f, main.f.func2.1 the
// first in that.
func (w *writer) rename(name string, fn ast.Node, names map[string]string) {
	if len(w.inserted) > 0 {
		w.renameIn(name+".func", name+".func", fn, names)
	}
}

func (w *writer) renameIn(written, original string, fn ast.Node, names map[string]string) {
	var all []literal
	for _, pos := range w.inserted {
		if fn.Pos() <= pos && pos < fn.End() {
			all = append(all, literal{pos: pos})
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			all = slices.DeleteFunc(all, func(l literal) bool { return lit.Pos() <= l.pos && l.pos < lit.End() })
			all = append(all, literal{lit.Pos(), lit.Body})
		}
		return !ok
	})
	slices.SortFunc(all, func(a, b literal) int { return cmp.Compare(a.pos, b.pos) })
	n := 0
	for i, l := range all {
		if l.body == nil {
			continue
		}
		n++
		was, is := fmt.Sprint(original, n), fmt.Sprint(written, i+1)
		names[is] = was
		w.renameIn(is+".", was+".", l.body, names)
	}
}
