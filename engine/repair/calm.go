package repair

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/analysis/program"
)

// waits are functions and methods of the standard library that wait for others, by
// package and name.
var waits = map[string][]string{
	"sync":     {"Wait"},
	"time":     {"Sleep"},
	"net/http": {"Do", "Get", "Post", "PostForm", "Head", "ListenAndServe", "Serve", "Shutdown"},
	"net":      {"Dial", "DialTimeout", "Accept", "Read", "Write"},
	"os/exec":  {"Run", "Wait", "Output", "CombinedOutput"},
}

// maxDepth is how many calls deep blocking operations are looked for.
const maxDepth = 4

// calm is nil if nothing in a region waits for other goroutines, other than for locks.
// A send on a channel that others close must be done with the lock that the close
// holds: that is allowed, and told. What is done with the lock held today, in the sections
// that the region takes in, stays as it is.
func (s *search) calm(d *Draft, r *region, l lockAt, own []*section) error {
	for _, st := range r.list[r.from : r.to+1] {
		if slices.ContainsFunc(own, func(sec *section) bool { return sec.holds(st.Pos()) && sec.holds(st.End()-1) }) {
			s.tellSlow(d, r.fn, st, l.text, true)
			continue
		}
		for _, n := range s.underLock(r, st, own) {
			at, what := s.waits(r.fn, n, 0, map[*types.Func]bool{})
			switch {
			case what == "":
			case what == toSend && strings.Contains(s.Finding.Message, "send on closed channel"):
				if p := s.receiverTakes(r.fn, at, l.obj); p.IsValid() {
					return fmt.Errorf("%s would be held while line %d waits to send, and whoever receives takes it at line %d", l.text, s.Code.line(at), s.Code.line(p))
				}
				d.Tell("%s is held while line %d waits to send: whoever receives must not need it", l.text, s.Code.line(at))
			default:
				return fmt.Errorf("%s would be held while line %d waits %s", l.text, s.Code.line(at), what)
			}
			if at := s.waitsWithOther(r.fn, n, l.obj); at.IsValid() {
				return fmt.Errorf("%s would be held while line %d waits for a sync.Cond, which releases another lock", l.text, s.Code.line(at))
			}
			s.tellCallbacks(d, r.fn, n, l)
			s.tellSlow(d, r.fn, n, l.text, false)
		}
	}
	return nil
}

// waitsWithOther is where a node waits for a Cond while it holds another lock than a given
// one, which that Wait does not release; no position if it does not.
func (s *search) waitsWithOther(fn function, n ast.Node, lock *types.Var) (at token.Pos) {
	ast.Inspect(n, func(n ast.Node) bool {
		if _, call := methodOn(fn.pkg.Info, n, "Cond", "Wait"); call != nil && !s.held(fn, call.Pos(), lock) && s.sectionAt(fn, call.Pos()) != nil {
			at = call.Pos()
		}
		return !at.IsValid()
	})
	return at
}

// receiverTakes is where a function that receives what is sent at a position takes a
// lock; no position if none is seen.
func (s *search) receiverTakes(fn function, send token.Pos, lock *types.Var) (at token.Pos) {
	var ch *types.Var
	inspectOwn(fn.node, func(n ast.Node) {
		if st, ok := n.(*ast.SendStmt); ok && st.Pos() == send {
			ch, _ = fn.pkg.Info.ObjectOf(identOf(st.Chan)).(*types.Var)
		}
	})
	if ch == nil {
		return token.NoPos
	}
	for _, f := range s.functions() {
		from := func(e ast.Expr) bool {
			v, ok := f.pkg.Info.ObjectOf(identOf(e)).(*types.Var)
			return ok && v.Origin() == ch.Origin()
		}
		receives := false
		inspectOwn(f.node, func(n ast.Node) {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				receives = receives || n.Op == token.ARROW && from(n.X)
			case *ast.RangeStmt:
				receives = receives || from(n.X)
			}
		})
		if receives && !at.IsValid() {
			at = s.takenIn(f, lock, 0)
		}
	}
	return at
}

// takenIn is where a function, or one that it calls, takes a lock.
func (s *search) takenIn(f function, lock *types.Var, depth int) (at token.Pos) {
	for _, sec := range s.locksOf(f) {
		if sec.obj == lock {
			return sec.take.Pos()
		}
	}
	inspectOwn(f.node, func(n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok && !at.IsValid() && depth < maxDepth {
			if callee, ok := s.bodyOfCall(f, call); ok {
				at = s.takenIn(callee, lock, depth+1)
			}
		}
	})
	return at
}

// underLock is what of a statement runs with the lock held: all of it, but for a branch
// at whose beginning the lock is released.
func (s *search) underLock(r *region, st ast.Stmt, own []*section) []ast.Node {
	r = trimmed(r, own)
	exits := exitsOf(r)
	cond, ok := st.(*ast.IfStmt)
	if !ok || len(cond.Body.List) == 0 || s.deferrable(r, exits) {
		return []ast.Node{st}
	}
	for _, e := range exits {
		if e.list != nil && e.list[0] == cond.Body.List[0] && s.wasReleased(r, e, exits, own) {
			nodes := []ast.Node{cond.Cond}
			if cond.Init != nil {
				nodes = append(nodes, cond.Init)
			}
			if cond.Else != nil {
				nodes = append(nodes, cond.Else)
			}
			return nodes
		}
	}
	return []ast.Node{st}
}

// tellCallbacks tells which functions of others are called with the lock held: function
// values, and methods of interfaces of the module.
func (s *search) tellCallbacks(d *Draft, fn function, n ast.Node, l lockAt) {
	s.callbacks(fn, n, 0, map[string]bool{}, func(name string) {
		d.Tell("%s is called with %s held: it must not need it", name, l.text)
		d.weight += 6
	})
}

func (s *search) callbacks(fn function, n ast.Node, depth int, seen map[string]bool, tell func(name string)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.CallExpr:
			name := ""
			switch o := fn.pkg.Info.Uses[identOf(n.Fun)].(type) {
			case *types.Var:
				name = o.Name()
			case *types.Func:
				if b, ok := s.bodyOf(o); ok {
					if depth < maxDepth && !seen[o.FullName()] {
						seen[o.FullName()] = true
						s.callbacks(b, body(b.node), depth+1, seen, tell)
					}
				} else if recv := o.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) && s.ours(o.Pkg()) {
					name = s.Code.source(n.Fun)
				}
			}
			if name != "" && !seen[name] {
				seen[name] = true
				tell(name)
			}
		}
		return true
	})
}

// ours reports whether a package is one of those that are looked at.
func (s *search) ours(pkg *types.Package) bool {
	return pkg != nil && slices.ContainsFunc(s.Code.Packages, func(p *program.Package) bool { return p.Types == pkg })
}

const toSend = "to send"

// waits finds an operation in a node at which the goroutine may wait for another one.
// What go statements start is not part of it.
func (s *search) waits(fn function, n ast.Node, depth int, seen map[*types.Func]bool) (at token.Pos, what string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if what != "" {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.SelectStmt:
			if !slices.ContainsFunc(n.Body.List, func(c ast.Stmt) bool { return c.(*ast.CommClause).Comm == nil }) {
				at, what = n.Pos(), "in a select"
			}
			for _, c := range n.Body.List { // what the cases do
				for _, st := range c.(*ast.CommClause).Body {
					if p, w := s.waits(fn, st, depth, seen); what == "" {
						at, what = p, w
					}
				}
			}
			return false
		case *ast.SendStmt:
			at, what = n.Pos(), toSend
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				at, what = n.Pos(), "to receive"
			}
		case *ast.RangeStmt:
			if _, ok := typeOf[*types.Chan](fn.pkg.Info, n.X); ok {
				at, what = n.Pos(), "to receive"
			}
		case *ast.CallExpr:
			if w := s.callWaits(fn, n, depth, seen); w != "" {
				at, what = n.Pos(), w
			}
		}
		return what == ""
	})
	return at, what
}

func (s *search) callWaits(fn function, call *ast.CallExpr, depth int, seen map[*types.Func]bool) string {
	callee := s.callee(fn.pkg.Info, call)
	if callee == nil || callee.Pkg() == nil || seen[callee] {
		return ""
	}
	if slices.Contains(waits[callee.Pkg().Path()], callee.Name()) {
		if recv := callee.Signature().Recv(); recv != nil && callee.Name() == "Wait" && recvName(recv) == "Cond" {
			return "" // it releases its lock
		}
		return "in " + s.Code.source(call.Fun)
	}
	seen[callee] = true
	if b, ok := s.bodyOf(callee); ok && depth < maxDepth {
		if _, w := s.waits(b, body(b.node), depth+1, seen); w != "" {
			return "in " + s.Code.source(call.Fun)
		}
	}
	return ""
}

// recvName is the name of the type of a receiver.
func recvName(v *types.Var) string {
	t := v.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := t.(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}
