package breakfile

import (
	"go/ast"
	"strings"
)

// Edits of whole functions.

func (e *editor) declaration(t *text) (from, to int, fn *ast.FuncDecl) {
	if len(t.funcs) < 2 {
		return 0, 0, nil
	}
	fn = t.funcs[e.r.IntN(len(t.funcs))]
	return t.fset.Position(fn.Pos()).Offset, t.fset.Position(fn.End()).Offset, fn
}

func (e *editor) moveFunc(t *text) bool {
	from, to, fn := e.declaration(t)
	if fn == nil || fn.Name.Name == "init" {
		return false
	}
	moved := e.cut(from, to)
	e.splice(from, to, "")
	e.src = append(e.src, "\n"+moved+"\n"...)
	return true
}

func (e *editor) deleteFunc(t *text) bool {
	from, to, fn := e.declaration(t)
	if fn == nil || fn.Name.Name == "init" || strings.Contains(e.cut(from, to), marker) && (e.copied || e.r.IntN(2) == 0) {
		return false
	}
	e.splice(from, to, "")
	return true
}

func (e *editor) copyFunc(t *text) bool {
	from, to, fn := e.declaration(t)
	if fn == nil || fn.Name.Name == "init" {
		return false
	}
	twin := strings.Replace(e.cut(from, to), fn.Name.Name+"(", e.name(fn.Name.Name)+"(", 1)
	if strings.Contains(twin, marker) {
		if e.moved {
			return false
		}
		e.copied = true
		twin = strings.ReplaceAll(twin, marker, "")
	}
	e.src = append(e.src, "\n"+twin+"\n"...)
	return true
}
