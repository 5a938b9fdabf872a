package source

import (
	"go/ast"
	"go/token"
)

// Reaches reports whether a call that stands at line from can still come to line to:
// that is after it, deferred, or in a loop around both. It is false where the statements
// around from leave the function or the loop before that. Without a source, later lines
// are those that come.
func (fn *Func) Reaches(from, to int) bool {
	if fn == nil {
		return from <= to
	}
	if from == to || to == fn.End() {
		return true
	}
	if to < from && fn.defers(to) {
		return true
	}
	around := fn.around(from)
	for i := len(around) - 1; i >= 0; i-- { // the innermost first
		switch n := around[i].(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if fn.file.spans(n, to) {
				return true
			}
		default:
			list := statements(n)
			here, there := fn.file.indexAt(list, from), fn.file.indexAt(list, to)
			if there > here && here >= 0 {
				return true
			}
			if here >= 0 && there != here && goesAway(list[len(list)-1]) {
				return false
			}
		}
	}
	return false
}

// around are the nodes of the function that hold a line, the outermost first, without
// those of literals in it.
func (fn *Func) around(line int) (out []ast.Node) {
	ast.Inspect(fn.body, func(n ast.Node) bool {
		if _, lit := n.(*ast.FuncLit); n == nil || lit || !fn.file.spans(n, line) {
			return false
		}
		out = append(out, n)
		return true
	})
	return out
}

func (fn *Func) defers(line int) bool {
	for _, n := range fn.around(line) {
		if _, ok := n.(*ast.DeferStmt); ok {
			return true
		}
	}
	return false
}

// statements are what a node runs one after the other.
func statements(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		if len(n.List) > 0 && !isClause(n.List[0]) {
			return n.List
		}
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

func isClause(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// indexAt is the first of some statements that holds a line, -1 if none does.
func (f *File) indexAt(list []ast.Stmt, line int) int {
	for i, s := range list {
		if f.spans(s, line) {
			return i
		}
	}
	return -1
}

// goesAway reports whether a statement leaves what it is in other than for the next
// round of a loop.
func goesAway(s ast.Stmt) bool {
	if b, ok := s.(*ast.BranchStmt); ok && (b.Tok == token.CONTINUE || b.Tok == token.FALLTHROUGH) {
		return false
	}
	return leaves(&ast.BlockStmt{List: []ast.Stmt{s}})
}
