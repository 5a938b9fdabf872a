package paths

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/hocket-dev/hocket/analysis/program"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/internal/textedit"
)

// Branch is a place where a goroutine's way parts.
type Branch struct {
	Func  string // of the declaration that it is in: "example.com/m.(*T).run"
	Index int    // in that, from 0; branches that are not recorded count too
	Pos   token.Pos
}

// writer puts calls into the functions of one file.
type writer struct {
	src      []byte
	file     *token.File
	pkg      *program.Package
	info     *types.Info
	open     func(fn ast.Node, e ast.Expr, memory bool) bool // whether others decide about e
	mute     func(*types.Func) bool                          // whether nothing is recorded in a function
	branches *[]Branch                                       // recorded ones; a branch's number is its index and 1
	edits    []textedit.Edit
	loops    *[]Loop // that record in bits; nil: none does
	shadowed bool    // the package has a bool, true or false of its own

	// Of the declaration that is being written:
	name  string
	index int
	fn    ast.Node // the function: the declaration or a literal in it
	later []*ast.FuncLit
	jumps bool             // it has goto
	label *ast.LabeledStmt // the innermost
	// numbers of recorded branches by place, and where literals were put in.
	numbers  map[token.Pos]int
	inserted []token.Pos
	// least is how many records have room for sure where jumps of the innermost
	// loop, switch or select go to.
	least *int
}

// room is how many records can be written without asking: there is no call and no
// turn of a loop since that was made sure. It counts down on the longest way.
type room = int

const allRoom = rt.PathSlackCount

// decl writes a function declaration, and the literals in it.
func (w *writer) decl(name string, n ast.Node, body *ast.BlockStmt) {
	w.begin(name)
	w.function(n, body)
}

func (w *writer) begin(name string) {
	w.name, w.index, w.numbers, w.inserted = name, 0, map[token.Pos]int{}, nil
}

func (w *writer) function(n ast.Node, body *ast.BlockStmt) {
	w.fn, w.later = n, nil
	w.jumps = false
	ast.Inspect(body, func(x ast.Node) bool {
		if b, ok := x.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			w.jumps = true
		}
		_, lit := x.(*ast.FuncLit)
		return !lit
	})
	w.block(body.List, 0)
	w.literals()
}

// literals writes the function literals that were met on the way, each by itself.
func (w *writer) literals() {
	fn, later, jumps, least := w.fn, w.later, w.jumps, w.least
	for _, lit := range later {
		w.least = nil
		w.function(lit, lit.Body)
	}
	w.fn, w.later, w.jumps, w.least = fn, nil, jumps, least
}

// value writes a package variable's value: its literals, and its short circuits.
func (w *writer) value(name string, e ast.Expr) {
	w.begin(name)
	w.fn, w.later = e, nil
	w.shorts(e, true)
	w.literals()
}

func (w *writer) insert(at token.Pos, text string) {
	off := w.file.Offset(at)
	w.edits = append(w.edits, textedit.Edit{From: off, To: off, Text: text})
}

// check makes room before a statement.
func (w *writer) check(at token.Pos) {
	w.insert(at, "if "+alias+"."+calls.Full+"() { "+alias+"."+calls.More+"() }; ")
}

// number gives the next branch of the declaration its number, 0 if it is not
// recorded.
func (w *writer) number(at token.Pos, recorded bool) int {
	index := w.index
	w.index++
	if !recorded {
		return 0
	}
	*w.branches = append(*w.branches, Branch{w.name, index, at})
	w.numbers[at] = len(*w.branches)
	return len(*w.branches)
}

// leaf is a condition without && and ||. One that is constant is no branch.
type leaf struct {
	e        ast.Expr
	recorded bool
	constant bool
}

// leaves of a condition.
func (w *writer) leaves(e ast.Expr) []leaf {
	switch x := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return append(w.leaves(x.X), w.leaves(x.Y)...)
		}
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return w.leaves(x.X)
		}
	}
	e = ast.Unparen(e)
	if tv, ok := w.info.Types[e]; ok && tv.Value != nil {
		return []leaf{{e, false, true}}
	}
	return []leaf{{e, w.open(w.fn, e, false), false}}
}

func recorded(ls []leaf) (n int) {
	for _, l := range ls {
		if l.recorded {
			n++
		}
	}
	return n
}

// wrap records the leaves of a condition of a statement. Where the type is not bool,
// all are converted, so that they still fit each other.
func (w *writer) wrap(ls []leaf, checked bool) {
	named := false
	for _, l := range ls {
		named = named || !w.isBool(l.e)
	}
	for _, l := range ls {
		n := 0
		if !l.constant {
			n = w.number(l.e.Pos(), l.recorded)
		}
		before, after := "", ""
		if named {
			before, after = "bool(", ")"
		}
		if n > 0 {
			before, after = w.call(checked)+before, after+", "+number(n)+")"
		}
		if before != "" {
			w.insert(l.e.Pos(), before)
			w.insert(l.e.End(), after)
		}
	}
}

func (w *writer) call(checked bool) string {
	if checked {
		return alias + "." + calls.Checked + "("
	}
	return alias + "." + calls.Branch + "("
}

// mark records that a place was reached.
func (w *writer) mark(at token.Pos, recorded, checked bool) {
	if n := w.number(at, recorded); n > 0 {
		w.insert(at, " "+w.call(checked)+"true, "+number(n)+");")
	}
}

func (w *writer) isBool(e ast.Expr) bool {
	tv, ok := w.info.Types[e]
	if !ok {
		return true
	}
	b, ok := types.Unalias(tv.Type).(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// shorts records the short circuits of an expression that is no condition: which
// operand decided. It returns how many records that may be, and collects literals.
func (w *writer) shorts(n ast.Node, checked bool) (records int) {
	if isNil(n) {
		return 0
	}
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			w.later = append(w.later, x)
			return false
		case *ast.BinaryExpr:
			if x.Op != token.LAND && x.Op != token.LOR {
				return true
			}
			// The last operand is the value.
			for _, l := range w.leaves(x.X) {
				records += w.operand(l, checked)
			}
			records += w.insides(x.X, checked)
			if y, ok := ast.Unparen(x.Y).(*ast.BinaryExpr); !ok || y.Op != token.LAND && y.Op != token.LOR {
				records += w.shorts(x.Y, checked)
				return false
			}
			records += w.shorts(ast.Unparen(x.Y), checked)
			return false
		}
		return true
	})
	return records
}

// operand records a leaf whose value is used, unless its type has a name of its own:
// that could not be kept.
func (w *writer) operand(l leaf, checked bool) int {
	if l.constant {
		return 0
	}
	if !w.isBool(l.e) {
		w.number(l.e.Pos(), false)
		return 0
	}
	w.wrap([]leaf{l}, checked)
	if l.recorded {
		return 1
	}
	return 0
}

// insides is shorts for what the leaves of a condition are made of.
func (w *writer) insides(cond ast.Expr, checked bool) (records int) {
	for _, l := range w.leaves(cond) {
		ast.Inspect(l.e, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.FuncLit:
				w.later = append(w.later, x)
				return false
			case *ast.BinaryExpr:
				if x.Op == token.LAND || x.Op == token.LOR {
					records += w.shorts(x, checked)
					return false
				}
			}
			return true
		})
	}
	return records
}

// callsIn reports whether evaluating a node may call a function that may record.
func (w *writer) callsIn(ns ...ast.Node) bool {
	found := false
	for _, n := range ns {
		if isNil(n) {
			continue
		}
		ast.Inspect(n, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				tv, ok := w.info.Types[x.Fun]
				if !ok || !tv.IsType() && !tv.IsBuiltin() {
					f := typeutil.StaticCallee(w.info, x)
					found = found || f == nil || !w.mute(f)
				}
			}
			return !found
		})
	}
	return found
}

func isNil(n ast.Node) bool {
	switch n := n.(type) {
	case nil:
		return true
	case ast.Expr:
		return n == nil
	case *ast.BlockStmt:
		return n == nil
	}
	return false
}
