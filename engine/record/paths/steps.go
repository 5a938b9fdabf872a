package paths

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// The condition of a for loop whose operands must all hold becomes statements, with which
// its body begins:
//
//	for i < n && ok {   is   for { if !(i < n) { tell; break }; { hkx := ok; tell; if !hkx { break } };
//
// The compiler jumps from there. Of a function that is called in a condition it keeps the
// result, and asks for that once more.

// steps are the operands of a loop's condition, if it can be written so; nil if not. No
// line may move.
func (t *tracker) steps(s *ast.ForStmt) []link {
	line := func(p token.Pos) int { return t.w.file.Line(p) }
	if s.Cond == nil || line(s.Cond.Pos()) != line(s.Body.Lbrace) {
		return nil
	}
	chain, all := conjunction(s.Cond, true)
	if !all || !slices.ContainsFunc(chain, func(l link) bool { return t.tells(l.node) }) {
		return nil
	}
	return chain
}

// tells reports whether a condition has a bit.
func (t *tracker) tells(condition ast.Node) bool {
	return slices.ContainsFunc(t.points, func(p point) bool { return p.cond == condition && !p.jump })
}

// conjunction are the operands of a condition that comes out as outcome only if each of
// them has one outcome.
func conjunction(e ast.Expr, outcome bool) (chain []link, all bool) {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return conjunction(x.X, !outcome)
		}
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			break
		}
		if outcome != (x.Op == token.LAND) {
			return nil, false
		}
		left, all := conjunction(x.X, outcome)
		right, also := conjunction(x.Y, outcome)
		return append(left, right...), all && also
	}
	return []link{{node: e, goesOn: outcome}}, true
}

// writeSteps moves the condition into the body. waiting is what chains says of its
// operands, and put is the text that tells an outcome.
func (t *tracker) writeSteps(s *ast.ForStmt, chain []link, waiting map[ast.Node]link, put func(outcome, before string) string) {
	w := t.w
	not := map[bool]string{true: "!", false: ""}
	text := ""
	for _, l := range chain {
		from, to := w.file.Offset(l.node.Pos()), w.file.Offset(l.node.End())
		value := "bool(" + string(w.src[from:to]) + ")"
		told := waiting[l.node]
		switch {
		case !t.tells(l.node):
			text += " if " + not[l.goesOn] + value + " { break };"
		case told.waits:
			stops := map[bool]string{true: "false", false: "true"}[l.goesOn]
			text += " if " + not[l.goesOn] + value + " { " + put(stops, told.before()) + "; break };"
		default:
			text += " { " + outcome + " := " + value + "; " + put(outcome, told.before()) + "; if " + not[l.goesOn] + outcome + " { break } };"
		}
	}
	w.edits = append(w.edits, textedit.Edit{From: w.file.Offset(s.Cond.Pos()), To: w.file.Offset(s.Cond.End())})
	w.insert(s.Body.Lbrace+1, text)
}
