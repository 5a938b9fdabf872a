package points

import (
	"fmt"
	"go/ast"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// selectCase puts a point before a select and lets the plan prefer a case:
//
//	select { case v := <-If(n, ch): BODY; default: select {...as it was...} }
//
// The preferred case's body is there twice, the copy under line directives.
func (f *file) selectCase(p path, pl Place) string {
	sel := p.node().(*ast.SelectStmt)
	clause, reason := preferredClause(sel, pl.Case)
	if reason != "" {
		return reason
	}
	if hasLabels(clause) {
		return "the preferred case has labels, which can't be there twice"
	}
	comm, reason := f.conditionalComm(clause.Comm, pl.ID)
	if reason != "" {
		return reason
	}
	if reason := f.at(p, Place{ID: pl.ID, Kind: Select}); reason != "" {
		return reason
	}
	if f.selects == nil {
		f.selects = map[*ast.SelectStmt][]preferred{}
	}
	f.selects[sel] = append(f.selects[sel], preferred{clause, comm})
	return ""
}

// preferred is a case of a select that some step of the plan prefers.
type preferred struct {
	clause *ast.CommClause
	comm   string // its communication on If(n, channel)
}

// wrapSelect nests the select into one for each preferred case.
func (f *file) wrapSelect(sel *ast.SelectStmt, cases []preferred) {
	from, to := f.offset(sel.Pos()), f.offset(sel.End())
	f.add(textedit.Edit{From: from, To: to, Order: orderWrap, Wrap: func(render func(int, int) string) string {
		var before, after string
		for _, c := range cases {
			bodyFrom, bodyTo := f.offset(c.clause.Colon)+1, f.clauseEnd(sel, c.clause)
			before += "select { case " + c.comm + ": " + f.lineDirective(bodyFrom) + render(bodyFrom, bodyTo) + "; default: "
			after += " }"
		}
		return before + f.lineDirective(from) + render(from, to) + after
	}})
}

// preferredClause maps the compiler's number of a case to the clause: sends
// are numbered from 0 in source order, receives from the last number down.
func preferredClause(sel *ast.SelectStmt, number int) (*ast.CommClause, string) {
	var sends, recvs []*ast.CommClause
	for _, s := range sel.Body.List {
		switch c := s.(*ast.CommClause); c.Comm.(type) {
		case nil:
		case *ast.SendStmt:
			sends = append(sends, c)
		default:
			recvs = append(recvs, c)
		}
	}
	last := len(sends) + len(recvs) - 1
	switch {
	case number >= 0 && number < len(sends):
		return sends[number], ""
	case number >= len(sends) && number <= last:
		return recvs[last-number], ""
	}
	return nil, fmt.Sprintf("the select has no case %d", number)
}

// conditionalComm is the clause's communication on If(n, channel).
func (f *file) conditionalComm(comm ast.Stmt, id int) (string, string) {
	ch := channelOf(comm)
	if ch == nil {
		return "", "a case of unknown form"
	}
	if send, ok := comm.(*ast.SendStmt); ok && hasEffects(send.Value) {
		return "", "the preferred case computes what it sends, which must not run twice"
	}
	from, to := f.offset(comm.Pos()), f.offset(comm.End())
	chFrom, chTo := f.offset(ch.Pos()), f.offset(ch.End())
	wrapped := fmt.Sprintf("%s.If(%d, %s)", alias, id, f.src[chFrom:chTo])
	return string(f.src[from:chFrom]) + wrapped + string(f.src[chTo:to]), ""
}

func channelOf(comm ast.Stmt) ast.Expr {
	var x ast.Expr
	switch c := comm.(type) {
	case *ast.SendStmt:
		return c.Chan
	case *ast.ExprStmt:
		x = c.X
	case *ast.AssignStmt:
		x = c.Rhs[0]
	}
	if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok {
		return u.X
	}
	return nil
}

func hasLabels(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		_, ok := n.(*ast.LabeledStmt)
		found = found || ok
		return !found
	})
	return found
}

// clauseEnd is where the text of a clause ends, comments included: at the next
// clause or the closing brace.
func (f *file) clauseEnd(sel *ast.SelectStmt, clause *ast.CommClause) int {
	end := sel.Body.Rbrace
	for _, s := range sel.Body.List {
		if s.Pos() > clause.Pos() && s.Pos() < end {
			end = s.Pos()
		}
	}
	return f.offset(end)
}

func (f *file) lineDirective(offset int) string {
	p := f.fset.Position(f.tok.Pos(offset))
	if p.Column == 0 { // under a line directive of the program's, without columns
		return fmt.Sprintf("/*line %s:%d*/", p.Filename, p.Line)
	}
	return fmt.Sprintf("/*line %s:%d:%d*/", p.Filename, p.Line, p.Column)
}
