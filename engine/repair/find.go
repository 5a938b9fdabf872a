package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/analysis/program"
)

// found is a node that an operation at a line can be.
type found struct {
	node ast.Node
	root ast.Expr // names the variable
	obj  types.Object
	rank int // the better it fits, the higher
}

// calls are the methods and functions that an operation is a call of.
var calls = map[string][]string{
	"lock": {"Lock"}, "unlock": {"Unlock"}, "trylock": {"TryLock"},
	"rlock": {"RLock"}, "runlock": {"RUnlock"}, "tryrlock": {"TryRLock"},
	"signal": {"Signal"}, "broadcast": {"Broadcast"}, "wait": {"Wait"}, "done": {"Done", "Add"}, "add": {"Add", "Go", "Or", "And", "Swap"},
	"load": {"Load"}, "store": {"Store"}, "cas": {"CompareAndSwap"}, "once": {"Do"}, "get": {"Get"}, "put": {"Put"},
	"close": {"close"},
}

// find returns what an operation at a line is done by: the node that fits best, the
// line's first of equal ones. It is the statement's if nothing fits, and nil if the
// line holds none.
func (s *search) find(pkg *program.Package, f *ast.File, line int, op, name string) *found {
	fd := finder{code: s.Code, info: pkg.Info, line: line, op: op, last: lastName(name)}
	ast.Inspect(f, fd.visit)
	if len(fd.all) == 0 {
		return nil
	}
	return slices.MaxFunc(fd.all, func(a, b *found) int { // the first of equal ones
		return a.rank - b.rank
	})
}

// lastName is the last name of an expression as explanations write it: "n" of
// "f.n", "slots" of "b.slots[3]".
func lastName(s string) string {
	if i := strings.IndexByte(s, '['); i > 0 {
		s = s[:i]
	}
	if i := strings.IndexByte(s, ' '); i > 0 {
		s = s[:i]
	}
	return strings.TrimSuffix(s[strings.LastIndexByte(s, '.')+1:], "()")
}

type finder struct {
	code *Code
	info *types.Info
	line int
	op   string
	last string
	all  []*found
}

func (fd *finder) visit(n ast.Node) bool {
	if n == nil {
		return false
	}
	if fd.code.line(n.Pos()) > fd.line || fd.code.line(n.End()) < fd.line {
		return n.Pos() == token.NoPos
	}
	if _, doc := n.(*ast.CommentGroup); doc {
		return false
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		fd.call(n)
	case *ast.SendStmt:
		if fd.at(n.Arrow) || fd.at(n.Pos()) {
			fd.channel(n, n.Chan, "send")
		}
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && fd.at(n.Pos()) {
			fd.channel(n, n.X, "receive")
		}
	case *ast.RangeStmt:
		if fd.at(n.Pos()) {
			if _, ok := typeOf[*types.Chan](fd.info, n.X); ok {
				fd.channel(n, n.X, "receive")
			}
		}
	case *ast.SelectStmt:
		if fd.at(n.Pos()) && fd.op == "select" {
			root := fd.caseOn(n)
			fd.add(n, root, fd.object(root), 1)
		}
	case *ast.SelectorExpr:
		if fd.at(n.Sel.Pos()) {
			fd.variable(n, n.Sel)
		}
	case *ast.Ident:
		if fd.at(n.Pos()) {
			fd.variable(n, n)
		}
	case *ast.FuncDecl, *ast.FuncLit, *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt:
	case ast.Stmt:
		if fd.at(n.Pos()) {
			fd.add(n, nil, nil, 0)
		}
	}
	return true
}

func (fd *finder) at(p token.Pos) bool { return fd.code.line(p) == fd.line }

func (fd *finder) add(n ast.Node, root ast.Expr, obj types.Object, rank int) {
	fd.all = append(fd.all, &found{n, root, obj, rank})
}

// call is for operations that are calls: of a method on what is accessed, of the
// builtin close, of a function of package atomic, or of any function ("call").
func (fd *finder) call(c *ast.CallExpr) {
	sel, _ := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	name, at := "", c.Lparen
	switch {
	case sel != nil:
		name, at = sel.Sel.Name, sel.Sel.Pos()
	default:
		if id, ok := ast.Unparen(c.Fun).(*ast.Ident); ok {
			name, at = id.Name, id.Pos()
		}
	}
	if !fd.at(at) {
		return
	}
	if fd.op == "call" {
		if name == fd.last {
			fd.add(c, nil, fd.info.Uses[identOf(c.Fun)], 4)
		} else {
			fd.add(c, nil, nil, 1)
		}
		return
	}
	if !slices.Contains(calls[fd.op], name) && !fd.atomicFunc(c) {
		return
	}
	var root ast.Expr
	switch {
	case name == "close" && len(c.Args) == 1:
		root = c.Args[0]
	case fd.atomicFunc(c) && len(c.Args) > 0:
		root = ast.Unparen(c.Args[0])
		if u, ok := root.(*ast.UnaryExpr); ok && u.Op == token.AND {
			root = u.X
		}
	case sel != nil:
		root = sel.X
	default:
		return
	}
	fd.add(c, root, fd.object(root), 2+fd.names(root))
}

// atomicFunc reports whether a call is one of package sync/atomic's functions.
func (fd *finder) atomicFunc(c *ast.CallExpr) bool {
	fn, ok := fd.info.Uses[identOf(c.Fun)].(*types.Func)
	return ok && fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" && fn.Signature().Recv() == nil &&
		slices.Contains([]string{"load", "store", "add", "cas", "swap"}, fd.op)
}

func (fd *finder) channel(n ast.Node, ch ast.Expr, op string) {
	if fd.op == op || fd.op == "select" {
		fd.add(n, ch, fd.object(ch), 2+fd.names(ch))
	}
}

// caseOn is the channel of a select's cases that has the name that is looked for.
func (fd *finder) caseOn(sel *ast.SelectStmt) (ch ast.Expr) {
	for _, c := range sel.Body.List {
		comm := c.(*ast.CommClause).Comm
		if comm == nil {
			continue
		}
		ast.Inspect(comm, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SendStmt:
				if fd.names(n.Chan) > 0 {
					ch = n.Chan
				}
			case *ast.UnaryExpr:
				if n.Op == token.ARROW && fd.names(n.X) > 0 {
					ch = n.X
				}
			}
			return ch == nil
		})
	}
	return ch
}

// variable is for plain reads and writes, and for operations whose object is only
// named at the line.
func (fd *finder) variable(e ast.Expr, id *ast.Ident) {
	if fd.last == "" || id.Name != fd.last {
		return
	}
	v, ok := fd.info.ObjectOf(id).(*types.Var)
	if !ok {
		return
	}
	rank := 1
	if fd.op == "read" || fd.op == "write" {
		rank = 3
		if _, sel := e.(*ast.SelectorExpr); sel {
			rank = 4 // rather than the identifier in it
		}
	}
	fd.add(e, e, v, rank)
}

// names is 2 if an expression ends with the name that is looked for.
func (fd *finder) names(e ast.Expr) int {
	if id := identOf(e); id != nil && id.Name == fd.last {
		return 2
	}
	return 0
}

func (fd *finder) object(e ast.Expr) types.Object {
	if e == nil {
		return nil
	}
	if id := identOf(e); id != nil {
		return fd.info.ObjectOf(id)
	}
	return nil
}

// identOf is the last identifier of a name: mu of s.mu, slots of b.slots[i], f of f[int].
func identOf(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return identOf(e.X)
	case *ast.IndexListExpr:
		return identOf(e.X)
	case *ast.SliceExpr:
		return identOf(e.X)
	case *ast.StarExpr:
		return identOf(e.X)
	case *ast.UnaryExpr:
		return identOf(e.X)
	}
	return nil
}

// typeOf is the underlying type of an expression, if it is a T.
func typeOf[T types.Type](info *types.Info, e ast.Expr) (t T, ok bool) {
	typ := info.TypeOf(e)
	if typ == nil {
		return t, false
	}
	t, ok = typ.Underlying().(T)
	return t, ok
}
