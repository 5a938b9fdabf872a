package points

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// side puts one side of a concurrent breakpoint in front of a statement:
//
//	if Ready(ID, SIDE) { V := V; Side(ID, SIDE, func() (bool, []any) { return PREDICATE, []any{VALUES} }) }; STATEMENT; Did(ID, SIDE)
//
// Line directives follow each insertion, so that columns stay too.
func (f *file) side(pl Place) string {
	s, reason := f.sideSlot(pl)
	if reason != "" {
		return reason
	}
	if name := f.hidden(s, pl.Names); name != "" {
		return fmt.Sprintf("the condition refers to %s, which is declared again where the loop continues; break on a statement inside the loop", name)
	}
	f.sides = append(f.sides, placedSide{s, pl})
	return ""
}

type placedSide struct {
	slot
	pl Place
}

// Anchor is where a side's condition is evaluated.
type Anchor struct {
	Offset int  // in the file: names mean there what they mean in the condition
	Range  bool // the statement is a range loop, in front of which Offset is
	X      int  // of a range loop: the offset of what is ranged over
	Did    bool // the program will report when the statement is done
}

// AnchorOf says where the point of a side would go. src is the file's text,
// syntax its parsed form in fset.
func AnchorOf(fset *token.FileSet, syntax *ast.File, src []byte, line, col int) (Anchor, string) {
	f := &file{src: src, fset: fset, ast: syntax, tok: fset.File(syntax.FileStart)}
	s, reason := f.sideSlot(Place{Kind: Side, Line: line, Col: col})
	if reason != "" {
		return Anchor{}, reason
	}
	a := Anchor{Offset: f.offset(s.node.Pos()), Did: s.tellsDone()}
	if l, ok := s.node.(*ast.LabeledStmt); ok {
		a.Offset = f.offset(l.Stmt.Pos())
	}
	if loop, ok := unlabeled(s.node).(*ast.RangeStmt); ok && s.kind == slotList {
		a.Range, a.X = true, f.offset(loop.X.Pos())
	}
	return a, ""
}

func unlabeled(n ast.Node) ast.Node {
	for {
		l, ok := n.(*ast.LabeledStmt)
		if !ok {
			return n
		}
		n = l.Stmt
	}
}

// sideSlot finds the statement at a place, and where its point goes.
func (f *file) sideSlot(pl Place) (slot, string) {
	p, reason := f.statementAt(pl.Line, pl.Col)
	if reason != "" {
		return slot{}, reason
	}
	switch n := unlabeled(p.node()).(type) {
	case *ast.ForStmt:
		// A loop that is nothing but its condition waits for something to
		// change: each look counts.
		if n.Cond != nil && n.Init == nil && n == p.node() {
			return slot{kind: slotOperand, node: n.Cond}, ""
		}
	case *ast.DeferStmt:
		return slot{kind: slotDeferred, node: n}, ""
	}
	s, reason := findSlot(p, Place{Kind: Side})
	if reason != "" {
		return s, reason
	}
	loop, isRange := unlabeled(s.node).(*ast.RangeStmt)
	if isRange && s.kind == slotList && pl.Each {
		label, _ := s.node.(*ast.LabeledStmt)
		s = slot{kind: slotRange, node: loop, label: label}
	}
	if label, ok := s.node.(*ast.LabeledStmt); ok && f.jumpedTo(p, label) {
		switch label.Stmt.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return s, "a goto jumps to the label of this statement, past any point before it"
		}
		s.node = label.Stmt
	}
	return s, ""
}

// statementAt is the path to what begins at the column, or, without a column,
// to the first statement that begins on the line.
func (f *file) statementAt(line, col int) (path, string) {
	if line < 1 || line > f.tok.LineCount() {
		return nil, "the file has no such line"
	}
	var best path
	found := func(n ast.Node) bool {
		at := f.position(n.Pos())
		if col > 0 {
			return at.Line == line && at.Column <= col
		}
		return at.Line == line && isStmt(n)
	}
	offset := f.offset(f.tok.LineStart(line)) + max(col-1, 0)
	ast.PreorderStack(f.ast, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n.(type) {
		case *ast.BlockStmt, *ast.EmptyStmt:
			return true
		}
		holds := f.offset(n.Pos()) <= offset && offset < f.offset(n.End())
		switch {
		case col == 0 && best == nil && found(n), col > 0 && holds:
			best = append(append(path{}, stack...), n)
		}
		return true
	})
	if best == nil || !slices.ContainsFunc(best, isStmt) {
		return nil, "no statement here"
	}
	return best, ""
}

// jumpedTo says that a goto jumps to the label.
func (f *file) jumpedTo(p path, label *ast.LabeledStmt) bool {
	found := false
	ast.Inspect(p[0], func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO && b.Label != nil && b.Label.Name == label.Label.Name
		return !found
	})
	return found
}

// hidden returns a name that means something else at one of the places to which
// a range loop's point is copied.
func (f *file) hidden(s slot, names []string) string {
	if s.kind != slotRange || len(names) == 0 {
		return ""
	}
	var name string
	declares := func(x ast.Node) {
		if id, ok := x.(*ast.Ident); ok && slices.Contains(names, id.Name) {
			name = id.Name
		}
	}
	loop := s.node.(*ast.RangeStmt)
	if loop.Tok == token.DEFINE {
		declares(loop.Key)
		declares(loop.Value)
	}
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if n.Tok == token.DEFINE {
					declares(x)
				}
			}
		case *ast.ValueSpec:
			for _, x := range n.Names {
				declares(x)
			}
		case *ast.TypeSpec:
			declares(n.Name)
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				declares(n.Key)
				declares(n.Value)
			}
		case *ast.FuncLit:
			return false
		}
		return true
	})
	return name
}

// local is the function that computes what the side's predicate needs. It
// relies on no name but the alias: a program may declare bool, true and nil.
func local(pl Place) string {
	if pl.Predicate == "" && len(pl.Values) == 0 {
		return alias + ".None()"
	}
	values := strings.Join(pl.Values, ", ")
	switch {
	case pl.Predicate == "":
		return fmt.Sprintf("func() (%s.Bool, []interface{}) { return 1 == 1, []interface{}{%s} }", alias, values)
	case values == "":
		return fmt.Sprintf("func() (%s.Bool, []interface{}) { return %[1]s.Bool(%s), []interface{}{} }", alias, pl.Predicate)
	}
	// The predicate guards the values, as in p != nil && p.n == ...
	return fmt.Sprintf("func() (%s.Bool, []interface{}) { if %s { return 1 == 1, []interface{}{%s} }; return 1 == 2, []interface{}{} }", alias, pl.Predicate, values)
}

// copies of the variables that the predicate captures: what a function literal
// captures itself can't stay in registers, even where it is never called.
func copies(pl Place) string {
	if len(pl.Copies) == 0 {
		return ""
	}
	names := strings.Join(pl.Copies, ", ")
	return names + " := " + names + "; "
}

// sides writes a form once for each side that the place is, Side last.
func (pl Place) sides(form string) string {
	var b strings.Builder
	for _, side := range append(slices.Clone(pl.Also), pl.Side) {
		fmt.Fprintf(&b, form, side)
	}
	return b.String()
}

// emitSides makes the edits of all sides.
func (f *file) emitSides() {
	for _, s := range f.sides {
		from, to := f.offset(s.node.Pos()), f.offset(s.node.End())
		before := fmt.Sprintf("%s.Before(%d, %s%s)", alias, s.pl.ID, local(s.pl), s.pl.sides(", %d"))
		visit := before
		if len(s.pl.Also) == 0 {
			visit = fmt.Sprintf("%s.Side(%d, %d, %s)", alias, s.pl.ID, s.pl.Side, local(s.pl))
		}
		ready := s.pl.sides(" || " + alias + fmt.Sprintf(".Ready(%d, ", s.pl.ID) + "%d)")
		at := fmt.Sprintf("if %s { %s%s }", strings.TrimPrefix(ready, " || "), copies(s.pl), visit)
		did := strings.TrimPrefix(s.pl.sides("; "+alias+fmt.Sprintf(".Did(%d, ", s.pl.ID)+"%d)"), "; ")
		switch s.kind {
		case slotList:
			f.before(from, at+"; ")
			if s.tellsDone() {
				f.after(to, from, "; "+did)
			}
		case slotElseIf:
			f.before(from, "{ "+at+"; ")
			f.after(to, from, " }")
		case slotOperand:
			// A comparison has no type of its own, as the operand may have one.
			f.before(from, before+" == 0 && (")
			f.after(to, from, ")")
		case slotPost:
			f.before(from, "func() { "+at+"; ")
			f.after(to, from, "; "+did+" }()")
		case slotDeferred: // last in, first out
			f.before(from, "defer "+strings.ReplaceAll(did, "; ", "; defer ")+"; ")
			f.after(to, from, "; defer func() { "+at+" }()")
		case slotRange:
			f.rangeSide(s, at)
		}
	}
}

// rangeSide puts the side before each receive of a range loop.
func (f *file) rangeSide(s placedSide, at string) {
	loop := s.node.(*ast.RangeStmt)
	start := f.offset(loop.Pos())
	if s.label != nil {
		start = f.offset(s.label.Pos())
	}
	f.before(start, at+"; ")
	f.before(f.offset(loop.Body.Rbrace), "; "+at+" ")
	for _, c := range continues(loop.Body, s.label) {
		from := f.offset(c.Pos())
		f.before(from, "{ "+at+"; ")
		f.after(f.offset(c.End()), from, " }")
	}
}

// before inserts text in front of what is at the offset, which keeps its column.
func (f *file) before(at int, text string) {
	f.add(textedit.Insert(at, orderAt, text+f.columnOf(at)))
}

// after ends what began at offset start.
func (f *file) after(at, start int, text string) {
	f.add(textedit.Close(at, start, text+f.columnOf(at)))
}

// columnOf is a directive that gives what follows on the line its column; ""
// if nothing does.
func (f *file) columnOf(at int) string {
	rest, _, _ := strings.Cut(string(f.src[at:]), "\n")
	if rest = strings.TrimSpace(rest); rest == "" || strings.HasPrefix(rest, "//") {
		return ""
	}
	return f.lineDirective(at)
}

// tellsDone reports whether Did follows the statement.
func (s slot) tellsDone() bool {
	switch s.kind {
	case slotList:
		return completes(unlabeled(s.node))
	case slotPost, slotDeferred:
		return true
	}
	return false
}

// completes reports whether the statement ends soon after its operation, and
// something may follow it: a last panic would no longer end its function.
func completes(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SendStmt, *ast.IncDecStmt, *ast.AssignStmt, *ast.GoStmt:
		return true
	case *ast.DeclStmt:
		d, ok := n.Decl.(*ast.GenDecl)
		return ok && d.Tok == token.VAR
	case *ast.ExprStmt:
		call, ok := ast.Unparen(n.X).(*ast.CallExpr)
		return !ok || calleeName(call) != "panic"
	}
	return false
}
