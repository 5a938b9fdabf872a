package points

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// rewrite makes the edits for one place, or returns the reason why it can't.
func (f *file) rewrite(pl Place) (reason string) {
	if pl.Kind == Linger {
		return f.linger(pl)
	}
	if pl.Kind == Side {
		return f.side(pl)
	}
	p := f.locate(pl)
	if p == nil && pl.Kind == Split { // x = f(x) and the like
		pl.Kind = At
		p = f.locate(pl)
	}
	if p == nil {
		return "no such operation on the line"
	}
	switch pl.Kind {
	case At:
		return f.at(p, pl)
	case Spawn:
		return f.spawns(f.locateAll(pl), pl)
	case Start:
		return f.start(f.locateAll(pl), pl)
	case Select:
		return f.selectCase(p, pl)
	case Split:
		return f.split(p, pl)
	case CondWake:
		return f.condWake(p, pl)
	}
	return "unknown kind " + string(pl.Kind)
}

func call(fn string, id int) string { return fmt.Sprintf("%s.%s(%d)", alias, fn, id) }

// at puts a point before the operation. Points that go to one place become one
// visit to all of them (see emit): otherwise a goroutine's next step would seem
// to arrive in the visit of the step before.
func (f *file) at(p path, pl Place) string {
	s, reason := findSlot(p, pl)
	if reason != "" {
		return reason
	}
	key := slotKey{s.kind, f.offset(s.node.Pos()), f.offset(s.node.End())}
	if f.slots == nil {
		f.slots = map[slotKey]*slotPoints{}
	}
	if f.slots[key] == nil {
		f.slots[key] = &slotPoints{slot: s}
	}
	sp := f.slots[key]
	sp.ids = append(sp.ids, strconv.Itoa(pl.ID))
	return ""
}

// slotKey tells places for points apart, by offsets.
type slotKey struct {
	kind     slotKind
	from, to int
}

type slotPoints struct {
	slot
	ids []string
}

// shared lists the points of each place that has several.
func (f *file) shared() [][]int {
	var all [][]int
	for _, sp := range f.slots {
		if len(sp.ids) < 2 {
			continue
		}
		var group []int
		for _, id := range sp.ids {
			n, _ := strconv.Atoi(id) // made by Itoa
			group = append(group, n)
		}
		all = append(all, group)
	}
	return all
}

// emit makes the edits of all points.
func (f *file) emit() {
	keys := slices.SortedFunc(maps.Keys(f.slots), func(a, b slotKey) int {
		return cmp.Or(a.from-b.from, b.to-a.to, int(a.kind-b.kind))
	})
	for _, key := range keys { // in order, for equal builds
		sp := f.slots[key]
		from, to := key.from, key.to
		ids := strings.Join(sp.ids, ", ")
		at := fmt.Sprintf("%s.At(%s)", alias, ids)
		switch sp.kind {
		case slotList:
			f.add(textedit.Insert(from, orderAt, at+"; "))
		case slotElseIf:
			f.add(textedit.Insert(from, orderAt, "{ "+at+"; "), textedit.Close(to, from, " }"))
		case slotOperand:
			f.add(textedit.Insert(from, orderAt, operand(ids)), textedit.Close(to, from, ")"))
		case slotPost:
			f.add(textedit.Insert(from, orderAt, "func() { "+at+"; "), textedit.Close(to, from, " }()"))
		case slotDeferred:
			// Deferred calls run last in, first out.
			f.add(textedit.Close(to, from, "; defer "+at))
		case slotValue:
			f.add(textedit.Insert(from, orderWrap, alias+".Then("), textedit.Close(to, from, ", "+ids+")"))
		case slotRange:
			f.rangeLoop(sp.slot, at)
		}
	}
	f.emitSides()
	for sel, cases := range f.selects {
		f.wrapSelect(sel, cases)
	}
}

// operand begins an operand with points in front. What compares has no type of
// its own, so that it fits beside an operand of any boolean type; and a program
// may have another meaning for true.
func operand(ids string) string { return fmt.Sprintf("%s.True(%s) == (1 == 1) && (", alias, ids) }

// rangeLoop puts a point before each receive: before the loop, at the end of
// its body and before each continue.
func (f *file) rangeLoop(s slot, at string) {
	loop := s.node.(*ast.RangeStmt)
	start := f.offset(loop.Pos())
	if s.label != nil {
		start = f.offset(s.label.Pos())
	}
	f.add(textedit.Insert(start, orderAt, at+"; "))
	f.add(textedit.Insert(f.offset(loop.Body.Rbrace), orderBody, "; "+at+" "))
	for _, c := range continues(loop.Body, s.label) {
		from := f.offset(c.Pos())
		f.add(textedit.Insert(from, orderAt, "{ "+at+"; "), textedit.Close(f.offset(c.End()), from, " }"))
	}
}

// continues finds the continue statements of the loop with this body.
func continues(body ast.Node, label *ast.LabeledStmt) []*ast.BranchStmt {
	var found []*ast.BranchStmt
	depth := 0
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		ast.Inspect(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt:
				if x != n {
					depth++
					walk(x)
					depth--
					return false
				}
			case *ast.BranchStmt:
				own := x.Label == nil && depth == 0 || x.Label != nil && label != nil && x.Label.Name == label.Label.Name
				if x.Tok == token.CONTINUE && own {
					found = append(found, x)
				}
			}
			return true
		})
	}
	walk(body)
	return found
}

// spawns marks all statements of the line that start goroutines in the same manner.
func (f *file) spawns(all []path, pl Place) string {
	marked := map[ast.Node]bool{}
	for _, p := range all {
		s, reason := findSlot(p, pl)
		if reason == "" && s.kind == slotList && marked[s.node] {
			continue
		}
		if reason == "" {
			marked[s.node] = true
			reason = f.spawn(p, pl)
		}
		if reason != "" {
			return reason
		}
	}
	return ""
}

// spawn brackets the statement that starts a goroutine.
func (f *file) spawn(p path, pl Place) string {
	s, reason := findSlot(p, pl)
	if reason != "" {
		return reason
	}
	from, to := f.offset(s.node.Pos()), f.offset(s.node.End())
	before, after := call("Spawn", pl.ID)+"; ", alias+".Back()"
	if s.kind != slotList {
		return f.spawnWithin(p, pl)
	}
	switch s.node.(type) {
	case *ast.GoStmt, *ast.ExprStmt, *ast.AssignStmt, *ast.DeclStmt:
		f.add(textedit.Insert(from, orderSpawn, before), textedit.Close(to, from, "; "+after))
	case *ast.ReturnStmt:
		f.add(textedit.Insert(from, orderSpawn, "{ "+before+"defer "+after+"; "), textedit.Close(to, from, " }"))
	default:
		return f.spawnWithin(p, pl)
	}
	return ""
}

// start puts a point before the function that runs in a new goroutine, where the function
// has no place for one: go cancel(), wg.Go(cancel).
func (f *file) start(all []path, pl Place) string {
	var fns []ast.Expr
	for _, p := range all {
		switch n := p.node().(type) {
		case *ast.GoStmt:
			if id, ok := n.Call.Fun.(*ast.Ident); ok && id.Name == "close" && len(n.Call.Args) == 1 {
				f.add(textedit.Edit{From: f.offset(n.Call.Pos()), To: f.offset(n.Call.End()), Order: orderWrap,
					Text: fmt.Sprintf("%s.Closing(%s, %d)", alias, f.text(n.Call.Args[0]), pl.ID)})
				continue
			}
			fns = append(fns, n.Call.Fun)
		case *ast.CallExpr:
			if len(n.Args) == 0 {
				return "the goroutine's function is no operand of the call"
			}
			fns = append(fns, n.Args[len(n.Args)-1])
		}
	}
	for _, fn := range fns {
		if _, ok := fn.(*ast.FuncLit); ok {
			return "the goroutine's function has places of its own"
		}
		from, to := f.offset(fn.Pos()), f.offset(fn.End())
		f.add(textedit.Insert(from, orderWrap, alias+".Func("), textedit.Close(to, from, fmt.Sprintf(", %d)", pl.ID)))
	}
	return ""
}

// spawnWithin marks a call that starts a goroutine inside a larger statement.
func (f *file) spawnWithin(p path, pl Place) string {
	if _, ok := p.node().(*ast.CallExpr); !ok || len(p) < 2 || !oneValue(p[len(p)-2]) {
		return "a goroutine is started inside a larger statement"
	}
	from := f.offset(p.node().Pos())
	f.add(textedit.Insert(from, orderWrap, fmt.Sprintf("%s.With(%[1]s.Spawned(%d), ", alias, pl.ID)),
		textedit.Close(f.offset(p.node().End()), from, ")"))
	return ""
}

// oneValue reports whether a call must have one value where its parent uses it.
func oneValue(parent ast.Node) bool {
	switch n := parent.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.StarExpr, *ast.SelectorExpr, *ast.IndexExpr, *ast.IfStmt, *ast.ForStmt,
		*ast.SwitchStmt, *ast.RangeStmt, *ast.SendStmt, *ast.KeyValueExpr, *ast.CompositeLit, *ast.TypeAssertExpr:
		return true
	case *ast.AssignStmt:
		return len(n.Lhs) == len(n.Rhs)
	case *ast.CallExpr:
		return len(n.Args) > 1
	}
	return false
}

// split separates the read of x++ and x op= y from the write.
func (f *file) split(p path, pl Place) string {
	s, reason := findSlot(p, pl)
	if reason != "" {
		return reason
	}
	if s.kind != slotList || s.node != p.node() {
		return "an assignment that is not a statement of its own"
	}
	if f.divided[p.node()] {
		return "an assignment that has a point between read and write already"
	}
	node := p.node()
	from, to := f.offset(node.Pos()), f.offset(node.End())
	var x ast.Expr
	var op, end string
	switch n := node.(type) {
	case *ast.IncDecStmt:
		x, op, end = n.X, n.Tok.String()[:1], " 1 }"
	case *ast.AssignStmt: // its right side stays, for it may hold points
		x, op, end = n.Lhs[0], strings.TrimSuffix(n.Tok.String(), "="), " ("
		to = f.offset(n.TokPos) + len(n.Tok.String())
	}
	if hasEffects(x) {
		return "the assigned operand has calls or receives, which must not run twice"
	}
	f.divided[node] = true
	f.add(textedit.Edit{From: from, To: to, Order: orderWrap,
		Text: fmt.Sprintf("{ hocketv := %s; %s; %[1]s = hocketv %[3]s%s", f.text(x), call("At", pl.ID), op, end)})
	if end := f.offset(node.End()); end > to {
		f.add(textedit.Close(end, from, ") }"))
	}
	return ""
}

// hasEffects reports whether evaluating x twice may differ from evaluating it
// once.
func hasEffects(x ast.Node) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.FuncLit:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// condWake replaces Cond.Wait: X.Wait() becomes CondWait(n, X.Wait).
func (f *file) condWake(p path, pl Place) string {
	c := p.node().(*ast.CallExpr)
	if _, ok := p[len(p)-2].(*ast.ExprStmt); !ok || len(c.Args) > 0 {
		return "not a Wait statement"
	}
	from := f.offset(c.Pos())
	f.add(textedit.Insert(from, orderWrap, fmt.Sprintf("%s.CondWait(%d, ", alias, pl.ID)),
		textedit.Edit{From: f.offset(c.Lparen), To: f.offset(c.End()), Text: ")"})
	return ""
}

// linger holds the end of a function.
func (f *file) linger(pl Place) string {
	for _, d := range f.ast.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == pl.Func && fn.Body != nil {
			f.add(textedit.Insert(f.offset(fn.Body.Lbrace)+1, orderBody, " defer "+alias+".Linger(); "))
			return ""
		}
	}
	return "no function " + pl.Func + " in the file"
}
