package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// moveOut moves what a goroutine does with a lock held, and waits at, behind the release:
// a send, a callback, a call that takes another lock. What it uses of the guarded data is
// read before.
func (s *search) moveOut(st *Step) {
	for f := st; f != nil; f = f.Caller {
		fn := function{f.Pkg, f.File, f.Fn}
		sec := s.sectionAt(fn, f.At())
		if sec != nil && f.Stmt() != ast.Stmt(sec.take) {
			s.proposeMove(fn, sec, f.At())
			if i := indexAt(sec.list, f.At()); i > sec.at {
				s.moveAhead(fn, sec, sec.list[i])
			}
			return
		}
	}
	if st.Op != "lock" && st.Op != "rlock" {
		return
	}
	// It holds the lock: functions of others that it calls then may need it.
	fn := function{st.Pkg, st.File, st.Fn}
	for _, sec := range s.locksOf(fn) {
		if s.Code.line(sec.take.Pos()) != st.Line {
			continue
		}
		for _, below := range sec.list[sec.at+1:] {
			if !sec.holds(below.Pos()) {
				continue
			}
			if at := callsBack(fn, below); at.IsValid() {
				s.proposeMove(fn, sec, at)
				s.moveAhead(fn, sec, below)
			} else if s.comesToLater(fn, st, below) {
				s.proposeMove(fn, sec, below.Pos())
				s.moveAhead(fn, sec, below)
			}
		}
	}
}

// comesToLater reports whether a statement leads to where the goroutine of a step waits or
// takes another lock later.
func (s *search) comesToLater(fn function, st *Step, below ast.Stmt) bool {
	for _, later := range slices.Concat(s.steps, s.blocked) {
		if later != nil && later != st && later.Goroutine == st.Goroutine && later.Fn != st.Fn && s.leadsTo(fn, below, later.Fn) {
			return true
		}
	}
	return false
}

// moveAhead does what needs no guarded data before the lock is taken.
func (s *search) moveAhead(fn function, sec *section, below ast.Stmt) {
	i := indexAt(sec.list, below.Pos())
	from := sec.at + 1
	if sec.deferred != nil && from < len(sec.list) && sec.list[from] == ast.Stmt(sec.deferred) {
		from++
	}
	if i < from || !s.movable(fn, sec.list, i, sec.at) || s.readsGuarded(fn, below) > 0 {
		return
	}
	if _, isReturn := below.(*ast.ReturnStmt); isReturn || slices.ContainsFunc(sec.list[from:i], func(st ast.Stmt) bool { return s.acts(fn, st) }) {
		return // it would come before what it tells others of, or what makes them end
	}
	d := s.draft()
	d.moveBefore(below, sec.take)
	s.add(Repair{Title: "Do " + s.short(below) + " before " + s.Code.source(sec.lock) + " is locked", Kind: Order, Weight: 6}, d)
}

// acts reports whether a statement does more than look at something and keep it in new
// variables: it sets what others may see, sends, starts or calls.
func (s *search) acts(fn function, st ast.Stmt) (yes bool) {
	yes = writesShared(st)
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SendStmt, *ast.GoStmt:
			yes = true
		case *ast.UnaryExpr:
			yes = yes || n.Op == token.ARROW
		case *ast.CallExpr:
			yes = yes || !fn.pkg.Info.Types[n.Fun].IsType() && !isBuiltin(fn, n, "len", "cap", "make", "new", "append", "min", "max")
		}
		return !yes
	})
	return yes
}

// callsBack is where a statement calls a function value first.
func callsBack(fn function, st ast.Stmt) (at token.Pos) {
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
			return false
		case *ast.CallExpr:
			if _, ok := fn.pkg.Info.Uses[identOf(n.Fun)].(*types.Var); ok {
				at = n.Pos()
			}
		}
		return !at.IsValid()
	})
	return at
}

// proposeMove moves the statement of a section's list that holds a position.
func (s *search) proposeMove(fn function, sec *section, pos token.Pos) {
	i := indexAt(sec.list, pos)
	if i <= sec.at {
		return
	}
	s.releaseInTail(fn, sec, pos)
	moved := sec.list[i]
	switch moved.(type) {
	case *ast.ExprStmt, *ast.SendStmt, *ast.RangeStmt, *ast.SelectStmt, *ast.ForStmt, *ast.IfStmt:
	default:
		return
	}
	if es, ok := moved.(*ast.ExprStmt); ok {
		if _, obj, _ := lockCall(fn.pkg.Info, es.X); obj != nil {
			return
		}
	}
	if !s.Code.alone(moved) {
		return
	}
	text := s.Code.source(sec.lock)
	l := lockAt{sec.obj, text, sec.read}
	title := "Do " + s.short(moved) + " after " + text + " is released"
	d := s.draft()
	before := s.capture(d, fn, moved)
	if before == nil {
		return
	}
	ok := false
	if sec.deferred != nil {
		ok = s.releaseBefore(d, fn, sec, i, l, before)
	} else {
		ok = s.moveBehind(d, fn, sec, i, before)
	}
	if ok {
		s.tellMoved(d, fn, sec, moved, before)
		s.add(Repair{Title: title, Kind: Order, Weight: 5}, d)
	} else {
		s.releaseAround(fn, sec, i, l)
	}
}

// releaseAround releases a lock while a statement waits for others, and takes it again,
// where what follows needs it: nothing before the wait decided what the section does
// after it, and no variable that is set before it is used after it.
func (s *search) releaseAround(fn function, sec *section, i int, l lockAt) {
	st := sec.list[i]
	es, ok := st.(*ast.ExprStmt)
	if !ok || sec.deferred == nil {
		return
	}
	group, _ := methodOn(fn.pkg.Info, es, "WaitGroup", "Wait")
	if group == nil && !receives(es) {
		return
	}
	for _, before := range sec.list[sec.at+1 : i] {
		if decides(before) || slices.ContainsFunc(sec.list[i+1:], func(after ast.Stmt) bool { return usesDefined(fn.pkg.Info, after, before) }) {
			return
		}
	}
	d := s.draft()
	lines := s.capture(d, fn, st)
	if lines == nil {
		return
	}
	d.Before(st, append(lines, l.release())...)
	d.After(st, l.take())
	d.Tell("others may change what %s guards while line %d waits", l.text, s.Code.line(st.Pos()))
	s.add(Repair{Title: "Release " + l.text + " while line " + itoa(s.Code.line(st.Pos())) + " waits", Kind: Order, Weight: 8}, d)
}

// decides reports whether what comes after a statement may rest on what was so at it: only
// what is called, put off, started, sent, or kept in new variables or fields does not decide.
func decides(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt, *ast.IncDecStmt:
		return false
	case *ast.AssignStmt:
		return st.Tok != token.DEFINE && slices.ContainsFunc(st.Lhs, func(l ast.Expr) bool {
			id, ok := ast.Unparen(l).(*ast.Ident)
			return ok && id.Name != "_"
		})
	}
	return true
}

// tellMoved tells what a statement that is no longer done with the lock held gives up: the
// order in which others are told of what changed, and that nothing changes meanwhile.
// What keeps the order comes first.
func (s *search) tellMoved(d *Draft, fn function, sec *section, moved ast.Stmt, copied []string) {
	lock := s.Code.source(sec.lock)
	if !sec.read && s.delivers(fn, moved, len(copied) > 0) {
		d.Tell("two goroutines may do this at once, and in another order than they held %s", lock)
		d.weight += 3
	}
	if d.clones {
		d.Tell("it is done with a copy of what %s guards: what is added or removed meanwhile makes no difference to it", lock)
	}
}

// delivers reports whether a statement tells others something: it sends, calls a function
// value or a method of an interface, or calls a function in a loop or with what was copied
// for it.
func (s *search) delivers(fn function, st ast.Stmt, copied bool) (yes bool) {
	many := copied
	switch st.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		many = true
	}
	ast.Inspect(st, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SendStmt:
			yes = true
		case *ast.CallExpr:
			tv := fn.pkg.Info.Types[n.Fun]
			callee := s.callee(fn.pkg.Info, n)
			sync := callee != nil && callee.Pkg() != nil && callee.Pkg().Path() == "sync"
			_, declared := s.bodyOfCall(fn, n)
			yes = yes || !tv.IsType() && !tv.IsBuiltin() && !sync && (many || !declared)
		}
		return !yes
	})
	return yes
}

// bodyOfCall is the declaration of the function that a call runs, false if it is not in
// the packages or not known.
func (s *search) bodyOfCall(fn function, call *ast.CallExpr) (function, bool) {
	callee := s.callee(fn.pkg.Info, call)
	if callee == nil {
		return function{}, false
	}
	return s.bodyOf(callee)
}

// releaseBefore replaces a deferred release by one before a statement that is the last
// that the function does, but for returns of what is known. Constants that are set after
// it are set before it.
func (s *search) releaseBefore(d *Draft, fn function, sec *section, i int, l lockAt, before []string) bool {
	var up []ast.Stmt
	for k, st := range sec.list[i+1:] {
		if setsConstant(fn, st) && s.movable(fn, sec.list, i+1+k, i) {
			up = append(up, st)
			continue
		}
		if ret, ok := st.(*ast.ReturnStmt); !ok || slices.ContainsFunc(ret.Results, func(e ast.Expr) bool { return !plain(e) && !isConst(fn, e) }) {
			return false
		}
	}
	if !slices.Equal(sec.list, body(fn.node).List) {
		return false
	}
	if len(before) > 0 {
		d.Before(sec.list[i], before...)
	}
	for _, st := range up {
		d.moveBefore(st, sec.list[i])
	}
	d.Remove(sec.deferred)
	r := &region{fn: fn, list: sec.list, from: sec.at + 1, to: i - 1}
	if r.from <= r.to {
		for _, e := range exitsOf(r) {
			if s.releaseAt(d, r, e, l, nil) != nil {
				return false
			}
		}
	}
	d.Before(sec.list[i], l.release())
	return true
}

// setsConstant reports whether a statement only assigns constants or nil.
func setsConstant(fn function, st ast.Stmt) bool {
	as, ok := st.(*ast.AssignStmt)
	return ok && as.Tok == token.ASSIGN && !slices.ContainsFunc(as.Rhs, func(e ast.Expr) bool { return !isConst(fn, e) })
}

// moveBehind moves a statement behind the release of the lock in the same list.
func (s *search) moveBehind(d *Draft, fn function, sec *section, i int, before []string) bool {
	moved := sec.list[i]
	j := indexAt(sec.list, sec.to)
	if j <= i || !slices.Contains(sec.releases, sec.list[j]) || leavesList(moved) {
		return false
	}
	for _, st := range sec.list[i+1 : j] {
		if usesDefined(fn.pkg.Info, st, moved) || leavesList(st) {
			return false
		}
	}
	text := s.Code.linesOf(moved)
	if inner := d.take(moved); inner != s.Code.source(moved) {
		text = strings.Replace(text, s.Code.source(moved), inner, 1)
	}
	if len(before) > 0 {
		d.insertBeforeLine(moved, block(s.Code.indent(moved.Pos()), before))
	}
	d.removeLines(moved)
	d.insertAfterLine(sec.list[j], text)
	return true
}

func isConst(fn function, e ast.Expr) bool {
	tv, ok := fn.pkg.Info.Types[e]
	return ok && (tv.Value != nil || tv.IsNil())
}

// short is the first line of a statement, for titles.
func (s *search) short(st ast.Stmt) string {
	if guarded, ok := st.(*ast.IfStmt); ok && callsOnly(guarded) {
		st = guarded.Body.List[0] // "if f != nil { f() }"
	}
	text, _, more := strings.Cut(s.Code.source(st), "\n")
	if more {
		text = strings.TrimSuffix(strings.TrimSpace(text), "{")
		text = strings.TrimSpace(text)
	}
	if len(text) > 50 {
		text = text[:47] + "..."
	}
	return text
}
