package paths

import (
	"go/ast"
	"go/token"
	"go/types"
	"math/bits"
	"strconv"

	"github.com/hocket-dev/hocket/engine/rt"
)

// A loop in which nothing is called that records is the only one of its goroutine that records while
// it runs. So it can do that in the bits of a word that it holds in a register, and
// need not name its branches: which comes next is told by those before, along the loop.

// Loop is how the bits of a loop are read.
type Loop struct {
	begin int // the branch that comes first, -1: none
	next  []bit
}

// bit is a branch that has a bit: by its outcome, what is recorded of it (twice the
// number of the branch, plus the outcome, 0: nothing), and the bit that follows; -1 is
// the end of the loop.
type bit struct {
	says  [2]uint64
	after [2]int
}

// Names in the sources: where a loop's word is in the log, the word, an outcome. They are
// short, since the compiler does not tell calls beyond column 255 of a line apart, and
// leaves some as calls then.
const (
	wordAt  = "hkp"
	word    = "hkw"
	outcome = "hkx"
)

const (
	left     = -1 // where a loop has ended
	mostBits = 40 // between two looks at whether the word is full
)

// point is a place in a loop where its way parts, or that jumps lead to.
type point struct {
	after [2]int
	says  [2]uint64
	cond  ast.Expr       // whose outcome it is
	named bool           // it is converted to bool
	turn  *ast.RangeStmt // which may turn once more
	out   *ast.RangeStmt // which was left by a jump
	jump  bool           // to after[0]; nothing is asked
}

// tracker follows the ways through a loop, backwards from its end.
type tracker struct {
	w      *writer
	points []point
	scopes []scope
	same   [][]int // points that must be one, since nothing tells which is come to
	failed bool
}

// scope is what jumps inside of a statement lead to.
type scope struct {
	label    string
	loop     bool
	brk, con int
}

// loopStmt writes a loop, which records in bits if it can.
func (w *writer) loopStmt(s ast.Stmt, at token.Pos, write func()) room {
	if w.loops == nil || w.jumps || w.shadowed || w.callsIn(s) || w.needsItsPlace(s) {
		write()
		return 0
	}
	label := ""
	if w.label != nil && w.label.Stmt == s {
		label = w.label.Label.Name
	}
	edits, loops, inserted := len(w.edits), len(*w.loops), len(w.inserted)
	write() // which numbers the branches
	t := &tracker{w: w}
	begin := t.stmt(s, left, label)
	if most, ok := t.packs(s); ok {
		w.edits, *w.loops, w.inserted = w.edits[:edits], append((*w.loops)[:loops], t.loop(begin)), w.inserted[:inserted]
		t.write(s, at, most)
	}
	return 0
}

// packs reports whether bits tell all that is recorded in a loop, and how many there can
// be from the start of a turn to the next.
func (t *tracker) packs(s ast.Stmt) (most int, ok bool) {
	if t.failed || !t.reduce() {
		return 0, false
	}
	// Each branch that is recorded must have its bit.
	told := map[uint64]bool{}
	for _, p := range t.points {
		for _, n := range p.says {
			told[n/2] = true
		}
		switch {
		case p.turn != nil:
			most += 2
		case !p.jump:
			most++
		}
	}
	delete(told, 0)
	recorded := 0
	for pos, n := range t.w.numbers {
		if s.Pos() <= pos && pos < s.End() {
			recorded++
			if !told[uint64(n)] {
				return 0, false
			}
		}
	}
	return most, recorded > 0 && most <= mostBits
}

// needsItsPlace reports whether a loop has function literals, or asks for a panic: that
// must be done by the function itself, and conditions that are told in bits go into
// another one.
func (w *writer) needsItsPlace(s ast.Stmt) (needs bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		_, literal := n.(*ast.FuncLit)
		id, ok := n.(*ast.Ident)
		needs = needs || literal || ok && w.info.Uses[id] == types.Universe.Lookup("recover")
		return !needs
	})
	return needs
}

func (t *tracker) add(p point) int {
	t.points = append(t.points, p)
	return len(t.points) - 1
}

// stmts are the ways through statements; each function returns the point that is come
// to first.
func (t *tracker) stmts(list []ast.Stmt, next int) int {
	for i := len(list) - 1; i >= 0; i-- {
		next = t.stmt(list[i], next, "")
	}
	return next
}

func (t *tracker) stmt(s ast.Stmt, next int, label string) int {
	switch s := s.(type) {
	case *ast.AssignStmt, *ast.IncDecStmt, *ast.DeclStmt, *ast.ExprStmt, *ast.EmptyStmt, *ast.SendStmt:
		return next
	case *ast.ReturnStmt:
		return left
	case *ast.BlockStmt:
		return t.stmts(s.List, next)
	case *ast.LabeledStmt:
		return t.stmt(s.Stmt, next, s.Label.Name)
	case *ast.BranchStmt:
		return t.branch(s)
	case *ast.IfStmt:
		no := next
		if s.Else != nil {
			no = t.stmt(s.Else, next, "")
		}
		return t.condition(s.Cond, t.stmt(s.Body, next, ""), no)
	case *ast.ForStmt:
		return t.forLoop(s, next, label)
	case *ast.RangeStmt:
		return t.rangeLoop(s, next, label)
	case *ast.SwitchStmt:
		if s.Tag == nil {
			return t.conditions(s, next, label)
		}
		return t.choice(s.Body, next, label)
	case *ast.TypeSwitchStmt:
		return t.choice(s.Body, next, label)
	}
	t.failed = true
	return left
}

func (t *tracker) branch(s *ast.BranchStmt) int {
	if s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH {
		t.failed = true
		return left
	}
	for i := len(t.scopes) - 1; i >= 0; i-- {
		sc := t.scopes[i]
		if s.Label != nil && s.Label.Name != sc.label || s.Tok == token.CONTINUE && !sc.loop {
			continue
		}
		if s.Tok == token.CONTINUE {
			return sc.con
		}
		return sc.brk
	}
	return left // of the whole loop
}

func (t *tracker) inside(sc scope, f func() int) int {
	t.scopes = append(t.scopes, sc)
	defer func() { t.scopes = t.scopes[:len(t.scopes)-1] }()
	return f()
}

func (t *tracker) forLoop(s *ast.ForStmt, next int, label string) int {
	head := t.add(point{jump: true})
	first := t.inside(scope{label, true, next, head}, func() int { return t.stmts(s.Body.List, head) })
	if s.Cond != nil {
		first = t.condition(s.Cond, first, next)
	}
	t.points[head].after = [2]int{first, first}
	return head
}

// rangeLoop: one bit for each turn, and one where it ends: of the outermost, the end of
// the bits says as much.
func (t *tracker) rangeLoop(s *ast.RangeStmt, next int, label string) int {
	switch t.w.info.TypeOf(s.X).Underlying().(type) {
	case *types.Basic, *types.Slice, *types.Array, *types.Pointer, *types.Map, *types.Chan:
	default:
		t.failed = true // an iterator is called
	}
	turn := t.add(point{turn: s})
	out := left
	if len(t.scopes) > 0 {
		out = t.add(point{out: s, after: [2]int{next, next}})
	}
	first := t.inside(scope{label, true, out, turn}, func() int { return t.stmts(s.Body.List, turn) })
	p := &t.points[turn]
	p.after = [2]int{next, first}
	if n := t.w.numbers[s.Body.Lbrace+1]; n > 0 {
		p.says[1] = uint64(2*n + 1)
	}
	return turn
}

func (t *tracker) condition(e ast.Expr, yes, no int) int {
	named := false
	for _, l := range t.w.leaves(e) {
		named = named || !t.w.isBool(l.e)
	}
	return t.leaf(e, yes, no, named)
}

func (t *tracker) leaf(e ast.Expr, yes, no int, named bool) int {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.BinaryExpr:
		switch x.Op {
		case token.LAND:
			return t.leaf(x.X, t.leaf(x.Y, yes, no, named), no, named)
		case token.LOR:
			return t.leaf(x.X, yes, t.leaf(x.Y, yes, no, named), named)
		}
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return t.leaf(x.X, no, yes, named)
		}
	}
	p := point{cond: e, named: named, after: [2]int{no, yes}}
	if tv := t.w.info.Types[e]; tv.Value != nil { // it is not wrapped: which way is known
		p.jump = true
		if tv.Value.String() == "true" {
			p.after[0] = yes
		}
	} else if n := t.w.numbers[e.Pos()]; n > 0 {
		p.says = [2]uint64{uint64(2 * n), uint64(2*n + 1)}
	}
	return t.add(p)
}

// conditions are the cases of a switch without a tag.
func (t *tracker) conditions(s *ast.SwitchStmt, next int, label string) int {
	return t.inside(scope{label: label, brk: next}, func() int {
		no := next
		for _, c := range s.Body.List {
			if c := c.(*ast.CaseClause); c.List == nil {
				no = t.stmts(c.Body, next)
			}
		}
		for i := len(s.Body.List) - 1; i >= 0; i-- {
			c := s.Body.List[i].(*ast.CaseClause)
			if c.List == nil {
				continue
			}
			body := t.stmts(c.Body, next)
			for j := len(c.List) - 1; j >= 0; j-- {
				no = t.condition(c.List[j], body, no)
			}
		}
		return no
	})
}

// choice is a switch of which no bit tells the case.
func (t *tracker) choice(body *ast.BlockStmt, next int, label string) int {
	return t.inside(scope{label: label, brk: next}, func() int {
		all, whole := []int(nil), false
		for _, c := range body.List {
			c := c.(*ast.CaseClause)
			whole = whole || c.List == nil
			all = append(all, t.stmts(c.Body, next))
		}
		if !whole {
			all = append(all, next)
		}
		t.same = append(t.same, all)
		if len(all) == 0 {
			return next
		}
		return all[0]
	})
}

// resolve is the point at which something is asked next.
func (t *tracker) resolve(p int) int {
	for range t.points {
		if p == left || !t.points[p].jump {
			return p
		}
		p = t.points[p].after[0]
	}
	return left // round and round, and nothing is ever told
}

// reduce takes points away that say nothing and after which all goes on alike, and
// reports whether the bits of the others tell the way.
func (t *tracker) reduce() bool {
	for changed := true; changed; {
		changed = false
		for i := range t.points {
			p := &t.points[i]
			if p.jump || p.says != [2]uint64{} || p.out != nil && !t.gone(p.out) {
				continue
			}
			no, yes := t.resolve(p.after[0]), t.resolve(p.after[1])
			switch {
			case yes == i: // it comes back until it goes the other way
				p.after[0], p.jump = no, true
			case no == i:
				p.after[0], p.jump = yes, true
			case no == yes, no == left: // if bits follow, the loop was not left
				p.after[0], p.jump = yes, true
			case yes == left:
				p.after[0], p.jump = no, true
			}
			changed = changed || p.jump
		}
	}
	for _, all := range t.same {
		for _, p := range all {
			if t.resolve(p) != t.resolve(all[0]) {
				return false
			}
		}
	}
	return true
}

// gone reports whether no bit tells the turns of a loop.
func (t *tracker) gone(s *ast.RangeStmt) bool {
	for _, p := range t.points {
		if p.turn == s {
			return p.jump
		}
	}
	return true
}

// loop is what remains, in which jumps are gone.
func (t *tracker) loop(begin int) Loop {
	at, n := make([]int, len(t.points)), 0
	for i, p := range t.points {
		if !p.jump {
			at[i] = n
			n++
		}
	}
	to := func(p int) int {
		if p = t.resolve(p); p == left {
			return left
		}
		return at[p]
	}
	l := Loop{begin: to(begin)}
	for _, p := range t.points {
		if !p.jump {
			l.next = append(l.next, bit{p.says, [2]int{to(p.after[0]), to(p.after[1])}})
		}
	}
	return l
}

// write puts the bits into the source. At the start of each turn is room for as many as
// come before the next start of one.
func (t *tracker) write(s ast.Stmt, at token.Pos, most int) {
	w := t.w
	w.insert(at, "{ "+wordAt+", "+word+" := "+alias+"."+calls.Loop+"("+number(rt.MaxBranches+1-len(*w.loops))+"); ")
	full := " if " + word + ">>" + strconv.Itoa(rt.PathLoopBits-most) + " != 0 { " + wordAt + ", " + word + " = " + alias + "." + calls.Next + "(" + wordAt + ", " + word + ") };"
	waiting := t.chains(s)
	put := func(x, before string) string {
		return word + " = " + alias + "." + calls.Bit + "(" + wordAt + ", " + word + before + ", " + x + ")"
	}
	moved := map[ast.Node]bool{}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			if chain := t.steps(n); chain != nil {
				t.writeSteps(n, chain, waiting, put)
				for _, l := range chain {
					moved[l.node] = true
				}
			}
			if t.asksIn(n) {
				w.insert(n.Body.Lbrace+1, full)
			}
		case *ast.RangeStmt:
			if t.asksIn(n) {
				w.insert(n.Body.Lbrace+1, full)
			}
			for _, p := range t.points {
				if p.turn == n && !p.jump && !waiting[n].waits {
					w.insert(n.Body.Lbrace+1, " "+put("true", "")+";")
				}
			}
		}
		return true
	})
	for _, p := range t.points {
		switch {
		case p.cond != nil && moved[p.cond]:
		case p.cond != nil && !p.jump:
			switch l := waiting[p.cond]; {
			case l.waits && l.goesOn:
				w.insert(p.cond.Pos(), "func() bool { if bool(")
				w.insert(p.cond.End(), ") { return true }; "+put("false", l.before())+"; return false }()")
			case l.waits:
				w.insert(p.cond.Pos(), "func() bool { if !bool(")
				w.insert(p.cond.End(), ") { return false }; "+put("true", l.before())+"; return true }()")
			default:
				w.insert(p.cond.Pos(), "func() bool { "+outcome+" := bool(")
				w.insert(p.cond.End(), "); "+put(outcome, l.before())+"; return "+outcome+" }()")
			}
			w.inserted = append(w.inserted, p.cond.Pos())
		case p.cond != nil && p.named:
			w.insert(p.cond.Pos(), "bool(")
			w.insert(p.cond.End(), ")")
		case p.out != nil && !p.jump:
			w.insert(p.out.End(), "; "+put("false", ""))
		}
	}
	w.insert(s.End(), " }")
}

// decode tells what the bits of a word say, from a branch on, and which one comes next.
// The highest bit of a word that others follow is set; below it a one stands before the
// bits.
func (l *Loop) decode(w uint64, at int, tell func(uint64)) (next int, more bool) {
	more = w&rt.PathLoopMore != 0
	w &^= rt.PathLoopMore
	for i := bits.Len64(w) - 2; i >= 0 && at != left; i-- {
		b := w >> i & 1
		if says := l.next[at].says[b]; says != 0 {
			tell(says)
		}
		at = l.next[at].after[b]
	}
	return at, more
}
