package verify

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/internal/words"
)

// guard is a call that reports a failure, and the condition of the innermost if or case
// around it.
type guard struct{ cond, call string }

// guards are those of the edited files, as they are written but for what a repair may
// change: variants of functions for callers that hold a lock have the names of those that
// take it, and a variable that is set once is what it is set to, so that a value may be
// read earlier, under a lock.
type guards struct {
	count map[guard]int
	whole map[guard][]ast.Expr // for each, what is called in its condition
	shown map[guard]string     // for each, its condition as it is written
}

// changesGuards says whether an edit changes a condition under which the program, or a
// test, reports a failure: with a weaker one it fails no more, and is as wrong as before.
func changesGuards(before, after map[string][]byte) string {
	was, is := newGuards(), newGuards()
	for name := range after {
		was.read(before[name])
		is.read(after[name])
	}
	for _, g := range slices.SortedFunc(maps.Keys(was.count), func(a, b guard) int { return strings.Compare(a.cond+a.call, b.cond+b.call) }) {
		if is.count[g] < was.count[g] && !is.atOnce(was, g) {
			return "it changes what is checked: if " + words.OneLine(was.shown[g])
		}
	}
	return ""
}

func newGuards() guards { return guards{map[guard]int{}, map[guard][]ast.Expr{}, map[guard]string{}} }

// atOnce is true if a condition that loads a value is replaced by one that also sets it,
// in one step: nobody can come in between.
func (is guards) atOnce(was guards, g guard) bool {
	loads := map[string]bool{}
	for _, x := range was.whole[g] {
		if on, method := methodOf(x); method == "Load" {
			loads[on] = true
		}
	}
	for other, calls := range is.whole {
		if other.call != g.call || was.count[other] >= is.count[other] {
			continue
		}
		for _, x := range calls {
			if on, method := methodOf(x); loads[on] && (method == "CompareAndSwap" || method == "Swap" || method == "Add") {
				return true
			}
		}
	}
	return false
}

func methodOf(x ast.Expr) (on, method string) {
	if c, ok := x.(*ast.CallExpr); ok {
		if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
			return types.ExprString(sel.X), sel.Sel.Name
		}
	}
	return "", ""
}

// read adds the guards of a text. What does not parse has none.
func (gs guards) read(text []byte) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	in := &surroundings{imports: map[string]string{}, tests: map[string]bool{}}
	in.read(f)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		r := guardReader{guards: gs, in: in, program: f.Name.Name == "main", once: setOnce(fn.Body)}
		r.block(fn.Body, nil)
	}
}

// guardReader reads one function.
type guardReader struct {
	guards
	in      *surroundings
	program bool // package main, whose functions return errors to those who end it
	once    map[string]ast.Expr
}

// block adds what a statement has, under the condition of the innermost if or case
// around it, nil if there is none.
func (r *guardReader) block(n ast.Node, cond ast.Expr) {
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.IfStmt:
			if x.Init != nil {
				r.block(x.Init, cond)
			}
			r.block(x.Body, x.Cond)
			if x.Else != nil {
				r.block(x.Else, &ast.UnaryExpr{Op: token.NOT, X: &ast.ParenExpr{X: x.Cond}})
			}
			return false
		case *ast.SwitchStmt:
			for _, s := range x.Body.List {
				c := s.(*ast.CaseClause)
				under := caseOf(x.Tag, c.List)
				for _, s := range c.Body {
					r.block(s, under)
				}
			}
			return false
		case *ast.CallExpr:
			if cond != nil && r.fails(x) {
				r.add(cond, x)
			}
		case *ast.ReturnStmt:
			for _, e := range x.Results {
				if c, ok := e.(*ast.CallExpr); ok && cond != nil && r.program && r.makesError(c) {
					r.add(cond, c)
				}
			}
		}
		return true
	})
}

// caseOf is when a case of a switch is taken, those before it set aside; nil of the
// default.
func caseOf(tag ast.Expr, list []ast.Expr) (cond ast.Expr) {
	for _, e := range list {
		if tag != nil {
			e = &ast.BinaryExpr{X: tag, Op: token.EQL, Y: e}
		}
		if cond == nil {
			cond = e
		} else {
			cond = &ast.BinaryExpr{X: cond, Op: token.LOR, Y: e}
		}
	}
	return cond
}

func (r *guardReader) add(cond ast.Expr, call *ast.CallExpr) {
	w := &guardWriter{once: r.once}
	g := guard{w.text(cond, 0), types.ExprString(call.Fun)}
	r.count[g]++
	r.shown[g] = types.ExprString(cond)
	r.whole[g] = append(r.whole[g], w.calls...)
}

// fails reports whether a call reports a failure or ends the program with one.
func (r *guardReader) fails(c *ast.CallExpr) bool {
	a := newAmount(r.in)
	a.call(c)
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	return a.fails > 0 && !(ok && sel.Sel.Name == "Error" && len(c.Args) == 0) // the text of an error
}

func (r *guardReader) makesError(c *ast.CallExpr) bool {
	a := newAmount(r.in)
	a.call(c)
	return a.names["errors.New"]+a.names["fmt.Errorf"] > 0
}

// setOnce are the variables of a function that are declared with a value and never set
// again.
func setOnce(body ast.Node) map[string]ast.Expr {
	sets, value := map[string]int{}, map[string]ast.Expr{}
	ast.Inspect(body, func(n ast.Node) bool {
		var set []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			set = n.Lhs
			if id, ok := n.Lhs[0].(*ast.Ident); ok && n.Tok == token.DEFINE && len(n.Lhs) == 1 && len(n.Rhs) == 1 {
				value[id.Name] = n.Rhs[0]
			}
		case *ast.IncDecStmt:
			set = []ast.Expr{n.X}
		case *ast.RangeStmt:
			set = []ast.Expr{n.Key, n.Value}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				set = []ast.Expr{n.X, n.X}
			}
		}
		for _, e := range set {
			if id, ok := e.(*ast.Ident); ok {
				sets[id.Name]++
			}
		}
		return true
	})
	maps.DeleteFunc(value, func(name string, _ ast.Expr) bool { return sets[name] != 1 })
	return value
}

// guardWriter writes a condition, and collects the calls in it.
type guardWriter struct {
	once  map[string]ast.Expr
	calls []ast.Expr
}

// deepest bounds how many variables are replaced by what they are set to, one within
// another.
const deepest = 4

func (w *guardWriter) text(e ast.Expr, depth int) string {
	switch e := e.(type) {
	case nil:
		return ""
	case *ast.Ident:
		if v := w.once[e.Name]; v != nil && depth < deepest {
			return w.text(v, depth+1)
		}
		return strings.TrimSuffix(e.Name, "Locked")
	case *ast.ParenExpr:
		return w.text(e.X, depth)
	case *ast.UnaryExpr:
		return e.Op.String() + "(" + w.text(e.X, depth) + ")"
	case *ast.StarExpr:
		return "*" + w.text(e.X, depth)
	case *ast.BinaryExpr:
		return fmt.Sprintf("(%s %s %s)", w.text(e.X, depth), e.Op, w.text(e.Y, depth))
	case *ast.SelectorExpr:
		return w.text(e.X, depth) + "." + strings.TrimSuffix(e.Sel.Name, "Locked")
	case *ast.IndexExpr:
		return w.text(e.X, depth) + "[" + w.text(e.Index, depth) + "]"
	case *ast.CallExpr:
		w.calls = append(w.calls, e)
		var args []string
		for _, a := range e.Args {
			args = append(args, w.text(a, depth))
		}
		return w.text(e.Fun, depth) + "(" + strings.Join(args, ", ") + ")"
	}
	return types.ExprString(e)
}
