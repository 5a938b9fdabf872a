package repair

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
)

// region is a range of statements of one list that is to be made atomic.
type region struct {
	fn       function
	list     []ast.Stmt
	from, to int // indexes in list, both included
	tail     bool
	loop     bool // list lies in a loop of the function
}

func (r *region) first() ast.Stmt { return r.list[r.from] }
func (r *region) last() ast.Stmt  { return r.list[r.to] }

func (r *region) has(p token.Pos) bool { return r.first().Pos() <= p && p <= r.last().End() }

// regionOf is the smallest range of statements of one list that holds the nodes, all
// of one function. Nil if there is none.
func regionOf(fn function, nodes ...ast.Node) *region {
	from, to := nodes[0].Pos(), nodes[0].End()
	for _, n := range nodes[1:] {
		from, to = min(from, n.Pos()), max(to, n.End())
	}
	path, _ := astutil.PathEnclosingInterval(fn.file, from, to)
	r := &region{fn: fn}
	for _, n := range path {
		if n == fn.node {
			break
		}
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			r.loop = r.loop || r.list != nil
		}
		if r.list != nil {
			continue
		}
		list := listOf(n)
		i, j := indexAt(list, from), indexAt(list, to-1)
		if i >= 0 && j >= 0 {
			r.list, r.from, r.to = list, i, j
		}
	}
	if r.list == nil {
		return nil
	}
	r.tail = len(r.list) > 0 && slices.Equal(r.list, body(fn.node).List) && r.to == len(r.list)-1
	return r
}

// listOf is the list of statements that a node holds; nil for the clauses of a switch or
// select, which are no statements of a list.
func listOf(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		if len(n.List) > 0 {
			switch n.List[0].(type) {
			case *ast.CaseClause, *ast.CommClause:
				return nil
			}
		}
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

func indexAt(list []ast.Stmt, p token.Pos) int {
	return slices.IndexFunc(list, func(st ast.Stmt) bool { return st.Pos() <= p && p < st.End() })
}

// lockAt is a lock as it is written at some place.
type lockAt struct {
	obj  *types.Var
	text string // "s.mu"
	read bool   // RLock is enough
}

func (l lockAt) take() string {
	if l.read {
		return l.text + ".RLock()"
	}
	return l.text + ".Lock()"
}

func (l lockAt) release() string { return strings.Replace(l.take(), "Lock()", "Unlock()", 1) }

// enclose makes a region one critical section of a lock, and returns the lines that
// it takes in. Sections of the same lock that begin or end in it become part of it,
// and functions that take the lock are called in a variant that does not. It is an
// error if the lock would be held while the goroutine waits.
func (s *search) enclose(d *Draft, r *region, l lockAt) (Region, error) {
	r, own, err := s.grown(r, l)
	if err != nil {
		return Region{}, err
	}
	if err := s.calm(d, r, l, own); err != nil {
		return Region{}, err
	}
	// What it takes in may write what the steps don't show.
	l.read = l.read && !slices.ContainsFunc(own, func(sec *section) bool { return !sec.read }) && !s.writesBelow(r, l)
	if !l.read {
		s.tellReaders(d, own)
		if slices.ContainsFunc(own, func(sec *section) bool { return sec.read != own[0].read }) {
			d.weight += 4 // those who find what they look for need not exclude each other
		}
	}
	r = s.withReturn(r)
	if len(own) == 1 && s.upgrade(d, own[0], r, l) {
		return Region{File: s.Code.name(own[0].take.Pos()), From: s.Code.line(own[0].take.Pos()), To: s.Code.line(own[0].to), With: l.text}, nil
	}
	r = trimmed(r, own)
	code := s.Code
	lines := Region{File: code.name(r.first().Pos()), From: code.line(r.first().Pos()), To: code.line(r.last().End()), With: l.text}
	if err := s.unlockCalls(d, r, l, own); err != nil {
		return Region{}, err
	}
	exits := exitsOf(r)
	// With defer the lock is held to the end of the function: where the region is all
	// that is left of it, or what follows only returns, or it was held so before.
	toEnd := !r.loop && slices.Equal(r.list, body(r.fn.node).List) &&
		slices.ContainsFunc(own, func(sec *section) bool { return sec.deferred != nil && slices.Equal(sec.list, r.list) })
	if toEnd || s.deferrable(r, exits) {
		for _, sec := range own {
			s.dissolve(d, sec)
		}
		d.Before(r.first(), l.take(), "defer "+l.release())
		lines.To = code.line(body(r.fn.node).End())
		return lines, nil
	}
	for _, sec := range own {
		if sec.deferred != nil {
			return Region{}, fmt.Errorf("%s is held to the end of the function from line %d on", l.text, code.line(sec.take.Pos()))
		}
		s.dissolve(d, sec)
	}
	for _, e := range exits {
		if s.wasReleased(r, e, exits, own) {
			d.Before(e.list[0], l.release())
			continue
		}
		if err := s.releaseAt(d, r, e, l, own); err != nil {
			return Region{}, err
		}
	}
	d.Before(r.first(), l.take())
	if !ends(r.last()) {
		d.After(r.last(), l.release())
	}
	return lines, nil
}

// withReturn is a region with the return that ends its function right after it, if that
// reads what others may change and calls nothing: it is about the same.
func (s *search) withReturn(r *region) *region {
	if r.to != len(r.list)-2 || !slices.Equal(r.list, body(r.fn.node).List) {
		return r
	}
	ret, ok := r.list[r.to+1].(*ast.ReturnStmt)
	if !ok || slices.ContainsFunc(ret.Results, callsAny) || slices.ContainsFunc(ret.Results, hasReceive) ||
		!slices.ContainsFunc(ret.Results, func(e ast.Expr) bool { return s.looksAt(r.fn, e) }) {
		return r
	}
	with := *r
	with.to, with.tail = r.to+1, true
	return &with
}

// tellReaders tells that sections which only read are held for writing now.
func (s *search) tellReaders(d *Draft, sections []*section) {
	for _, sec := range sections {
		if sec.read {
			d.Tell("readers at line %d exclude each other now", s.Code.line(sec.take.Pos()))
		}
	}
}

// trimmed is a region without the releases at its end, which go away.
func trimmed(r *region, own []*section) *region {
	t := *r
	for t.to > t.from && slices.ContainsFunc(own, func(sec *section) bool { return slices.Contains(sec.releases, t.last()) }) {
		t.to--
	}
	return &t
}

// wasReleased reports whether the branch that an exit ends ran without the lock before,
// and does nothing of the root cause: then the lock is released where the branch begins,
// so that what it calls does not come to hold it.
func (s *search) wasReleased(r *region, e exit, exits []exit, own []*section) bool {
	if e.list == nil || slices.Equal(e.list, r.list) {
		return false
	}
	from, to := e.list[0].Pos(), e.list[len(e.list)-1].End()
	in := func(p token.Pos) bool { return from <= p && p < to }
	for _, o := range exits {
		if o.stmt != e.stmt && in(o.stmt.Pos()) {
			return false
		}
	}
	for _, st := range s.steps {
		if st != nil && in(st.At()) {
			return false
		}
	}
	released := false
	for _, sec := range own {
		if in(sec.take.Pos()) || slices.ContainsFunc(sec.releases, func(st ast.Stmt) bool { return in(st.Pos()) }) {
			return false
		}
		if slices.Equal(sec.list, r.list) && sec.take.Pos() < from {
			released = sec.deferred == nil && sec.to < from
		}
	}
	return released
}

// upgrade makes a section that is held for reading to the end of its function, and that a
// region lies in, one for writing.
func (s *search) upgrade(d *Draft, sec *section, r *region, l lockAt) bool {
	if !sec.read || l.read || sec.deferred == nil || !sec.holds(r.last().End()-1) {
		return false
	}
	release, _, name := lockCall(r.fn.pkg.Info, sec.deferred.Call)
	if release == nil || name != "RUnlock" {
		return false // in a function literal
	}
	d.writing = true
	d.Replace(sec.take.X, l.take())
	d.Replace(sec.deferred.Call, l.release())
	return true
}

// grown is the region with the critical sections of the lock that begin or end in it,
// as far as they lie in the same list, and those sections.
func (s *search) grown(r *region, l lockAt) (*region, []*section, error) {
	grown := *r
	var own []*section
	for changed := true; changed; {
		changed = false
		for _, sec := range s.locksOf(r.fn) {
			if sec.obj != l.obj || slices.Contains(own, sec) || s.Code.source(sec.lock) != l.text {
				continue
			}
			in := grown.has(sec.take.Pos())
			ends := sec.holds(grown.first().Pos())
			if !in && !ends {
				continue
			}
			own = append(own, sec)
			changed = true
			if slices.Equal(sec.list, grown.list) {
				grown.from = min(grown.from, sec.at)
				if i := indexAt(grown.list, sec.to); i >= 0 && sec.deferred == nil {
					grown.to = max(grown.to, i)
				}
				continue
			}
			if !in {
				return nil, nil, fmt.Errorf("%s is held already", l.text)
			}
		}
	}
	grown.tail = grown.to == len(grown.list)-1 && slices.Equal(grown.list, body(r.fn.node).List)
	return &grown, own, nil
}

// dissolve takes the calls away that take and release a lock.
func (s *search) dissolve(d *Draft, sec *section) {
	d.Remove(sec.take)
	switch {
	case sec.among != nil:
		d.Remove(sec.among)
	case sec.deferred != nil:
		d.Remove(sec.deferred)
	}
	for _, rel := range sec.releases {
		d.Remove(rel)
	}
}

// exit is a statement that leaves a region.
type exit struct {
	stmt ast.Stmt
	list []ast.Stmt
	at   int
	// before are the statements of the region that ran before it: those of its own list
	// and of the lists around that.
	before []ast.Stmt
}

// exitsOf are the statements of a region that leave it.
func exitsOf(r *region) (all []exit) {
	for i, st := range r.list[r.from : r.to+1] {
		exitsIn(st, exit{list: r.list, at: r.from + i, before: r.list[r.from : r.from+i]}, 0, 0, &all)
	}
	return all
}

// exitsIn looks at one statement, which stands where here says.
func exitsIn(n ast.Stmt, here exit, loops, switches int, all *[]exit) {
	block := func(b []ast.Stmt, loops, switches int) {
		for i, st := range b {
			exitsIn(st, exit{list: b, at: i, before: slices.Concat(here.before, b[:i])}, loops, switches, all)
		}
	}
	leaves := func() {
		here.stmt = n
		*all = append(*all, here)
	}
	switch n := n.(type) {
	case *ast.ReturnStmt:
		leaves()
	case *ast.BranchStmt:
		switch {
		case n.Tok == token.FALLTHROUGH:
		case n.Label != nil, n.Tok == token.GOTO,
			n.Tok == token.CONTINUE && loops == 0,
			n.Tok == token.BREAK && loops == 0 && switches == 0:
			leaves()
		}
	case *ast.BlockStmt:
		block(n.List, loops, switches)
	case *ast.LabeledStmt:
		var in []exit
		exitsIn(n.Stmt, here, loops, switches, &in)
		*all = append(*all, slices.DeleteFunc(in, func(e exit) bool { // what names this label stays
			b, ok := e.stmt.(*ast.BranchStmt)
			return ok && b.Label != nil && b.Label.Name == n.Label.Name
		})...)
	case *ast.IfStmt:
		block(n.Body.List, loops, switches)
		if n.Else != nil {
			exitsIn(n.Else, exit{at: -1, before: here.before}, loops, switches, all)
		}
	case *ast.ForStmt:
		block(n.Body.List, loops+1, switches)
	case *ast.RangeStmt:
		block(n.Body.List, loops+1, switches)
	case *ast.SwitchStmt:
		block(n.Body.List, loops, switches+1)
	case *ast.TypeSwitchStmt:
		block(n.Body.List, loops, switches+1)
	case *ast.SelectStmt:
		block(n.Body.List, loops, switches+1)
	case *ast.CaseClause:
		block(n.Body, loops, switches)
	case *ast.CommClause:
		block(n.Body, loops, switches)
	}
}

// ends reports whether nothing runs after a statement.
func ends(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return st.Tok != token.FALLTHROUGH
	}
	return false
}

// deferrable reports whether the region is the rest of its function, or all of it but
// plain returns, so that the lock can be released by defer.
func (s *search) deferrable(r *region, exits []exit) bool {
	if r.loop || !slices.Equal(r.list, body(r.fn.node).List) {
		return false
	}
	for _, st := range r.list[r.to+1:] {
		ret, ok := st.(*ast.ReturnStmt)
		if !ok || slices.ContainsFunc(ret.Results, func(e ast.Expr) bool { return !plain(e) }) {
			return false
		}
	}
	return len(exits) > 0 || r.tail || ends(r.last())
}

// plain reports whether an expression only names things.
func plain(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.CallExpr, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.UnaryExpr:
			ok = false
		}
		return ok
	})
	return ok
}

// looksAt reports whether an expression reads what others may change: fields, elements,
// what pointers point to, and whatever functions of the packages read.
func (s *search) looksAt(fn function, e ast.Expr) (yes bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			v, ok := fn.pkg.Info.Uses[n.Sel].(*types.Var)
			yes = yes || ok && v.IsField()
		case *ast.IndexExpr, *ast.StarExpr:
			yes = true
		case *ast.CallExpr:
			callee := s.callee(fn.pkg.Info, n)
			if callee == nil {
				tv := fn.pkg.Info.Types[n.Fun]
				yes = yes || !tv.IsType() && !tv.IsBuiltin()
			} else if _, ours := s.bodyOf(callee); ours {
				yes = true
			}
		}
		return !yes
	})
	return yes
}

// releaseAt releases the lock before an exit. What a return returns is computed first
// if it is more than names.
func (s *search) releaseAt(d *Draft, r *region, e exit, l lockAt, own []*section) error {
	if e.list == nil {
		return fmt.Errorf("line %d leaves in a way that is not understood", s.Code.line(e.stmt.Pos()))
	}
	ret, ok := e.stmt.(*ast.ReturnStmt)
	if !ok || !slices.ContainsFunc(ret.Results, func(x ast.Expr) bool { return s.looksAt(r.fn, x) }) {
		d.Before(e.stmt, l.release())
		return nil
	}
	names := make([]string, len(ret.Results))
	values := make([]string, len(ret.Results))
	for i, x := range ret.Results {
		names[i], values[i] = fresh(r.fn, ret.Pos(), i, len(ret.Results)), d.take(x)
	}
	if len(ret.Results) == 1 {
		if t, ok := r.fn.pkg.Info.TypeOf(ret.Results[0]).(*types.Tuple); ok { // return f()
			names = names[:0]
			for i := range t.Len() {
				names = append(names, fresh(r.fn, ret.Pos(), i, t.Len()))
			}
		}
		if tv, ok := r.fn.pkg.Info.Types[ret.Results[0]]; ok && tv.IsNil() {
			d.Before(e.stmt, l.release())
			return nil
		}
	}
	if slices.ContainsFunc(ret.Results, func(x ast.Expr) bool { tv := r.fn.pkg.Info.Types[x]; return tv.IsNil() || tv.Value != nil }) {
		return s.returnMixed(d, r, ret, l)
	}
	d.Replace(ret, strings.Join(names, ", ")+" := "+strings.Join(values, ", ")+"\n"+
		s.Code.indent(ret.Pos())+l.release()+"\n"+s.Code.indent(ret.Pos())+"return "+strings.Join(names, ", "))
	return nil
}

// returnMixed is for returns of constants and nil beside values: only the values are
// computed first, since constants have no type of their own.
func (s *search) returnMixed(d *Draft, r *region, ret *ast.ReturnStmt, l lockAt) error {
	var names, values, results []string
	for i, x := range ret.Results {
		if tv := r.fn.pkg.Info.Types[x]; tv.IsNil() || tv.Value != nil || plain(x) {
			results = append(results, s.Code.source(x))
			continue
		}
		n := fresh(r.fn, ret.Pos(), i, len(ret.Results))
		names, values, results = append(names, n), append(values, d.take(x)), append(results, n)
	}
	pad := s.Code.indent(ret.Pos())
	d.Replace(ret, strings.Join(names, ", ")+" := "+strings.Join(values, ", ")+"\n"+pad+l.release()+"\n"+pad+"return "+strings.Join(results, ", "))
	return nil
}

// fresh is a name that nothing has at a place.
func fresh(fn function, at token.Pos, i, n int) string {
	scope := fn.pkg.Types.Scope().Innermost(at)
	for _, name := range []string{"result", "value", "out"} {
		if n > 1 {
			name = fmt.Sprintf("%s%d", name, i+1)
		}
		if scope == nil {
			return name
		}
		if _, o := scope.LookupParent(name, at); o == nil {
			return name
		}
	}
	return fmt.Sprintf("result_%d", i)
}
