package repair

import (
	"go/ast"
	"go/types"
	"strings"
)

// beforeReturn does what makes something known between the call that sets it up, which a
// function returns the results of, and the return: after an error it is not done.
func (s *search) beforeReturn(set *Step, fn function, list []ast.Stmt, i int, ret *ast.ReturnStmt) {
	known := list[i]
	if len(ret.Results) != 1 || !s.Code.alone(known) || !s.Code.alone(ret) || leavesList(known) {
		return
	}
	for _, st := range list[i+1:] {
		if usesDefined(fn.pkg.Info, st, known) || st != ast.Stmt(ret) && leavesList(st) {
			return
		}
	}
	call, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr)
	if !ok {
		return
	}
	names, failed := s.resultNames(fn, ret, call)
	if names == nil {
		return
	}
	all, pad := strings.Join(names, ", "), s.Code.indent(ret.Pos())
	text := all + " := " + s.Code.source(call) + "\n"
	publish := s.Code.linesOf(known)
	returns := pad + "return " + all
	if failed >= 0 {
		text += pad + "if " + names[failed] + " != nil {\n" + pad + "\treturn " + all + "\n" + pad + "}\n"
		names[failed] = "nil"
		returns = pad + "return " + strings.Join(names, ", ")
	}
	if len(names) == 1 && failed == 0 {
		text = "if err := " + s.Code.source(call) + "; err != nil {\n" + pad + "\treturn err\n" + pad + "}\n"
	}
	d := s.draft()
	d.removeLines(known)
	d.Replace(ret, text+publish+returns)
	title := "Do " + s.short(known) + " after line " + itoa(s.Code.line(ret.Pos())) + ", before it returns"
	if failed >= 0 {
		title = "Do " + s.short(known) + " only after line " + itoa(s.Code.line(ret.Pos())) + ", if there is no error"
	}
	s.addSwap(set, fn, known, Repair{Title: title, Kind: Order, Weight: 4}, d)
}

// resultNames are names for the results of a call that is returned, and which of them is
// an error, -1 if none is; nil if the call returns nothing.
func (s *search) resultNames(fn function, ret *ast.ReturnStmt, call *ast.CallExpr) (names []string, failed int) {
	t := fn.pkg.Info.TypeOf(call)
	list, ok := t.(*types.Tuple)
	if !ok {
		list = types.NewTuple(types.NewVar(call.Pos(), nil, "", t))
	}
	failed = -1
	for i := range list.Len() {
		name := fresh(fn, ret.Pos(), i, list.Len())
		if isError(list.At(i).Type()) {
			name, failed = freshName(fn, ret, "err"), i
		}
		names = append(names, name)
	}
	return names, failed
}
