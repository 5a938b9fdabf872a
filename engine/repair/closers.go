package repair

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// closers is for a method that ends something, and that returns before goroutines that
// were started for it have ended: who calls it takes all for done. It waits for them.
func closers(s *search) {
	if s.Finding.Class == "atomicity-violation" || s.Finding.Class == "deadlock" {
		return
	}
	for _, late := range s.steps {
		if late == nil {
			continue
		}
		before := s.steps[:late.Index]
		if s.Finding.Kind == "data-race" {
			before = s.steps
		}
		if v, ok := s.check(); ok {
			if end, ok := s.closedBefore(v); ok {
				s.waitIn(end, late)
			}
		}
		for _, early := range before {
			if early == nil || early.Goroutine == late.Goroutine {
				continue
			}
			for _, v := range s.ways(early) {
				if end, ok := s.closedBefore(v); ok {
					s.waitIn(end, late)
				}
			}
		}
	}
}

// check is the statement that found a test wrong.
func (s *search) check() (found via, ok bool) {
	at := s.Finding.Failure
	if s.Finding.Kind != "test-failure" || at.File == "" {
		return found, false
	}
	_, f := s.Code.file(s.Roots.Abs(at.File))
	for _, fn := range s.functions() {
		if fn.file != f {
			continue
		}
		lists(fn.node, func(list []ast.Stmt) {
			for _, st := range list {
				if s.Code.line(st.Pos()) <= at.Line && at.Line <= s.Code.line(st.End()) {
					found, ok = via{fn, st, true}, true // the innermost comes last
				}
			}
		})
	}
	return found, ok
}

// enders are the words with which the names of methods begin that end something.
var enders = []string{"close", "stop", "shutdown", "flush", "wait", "drain", "finish", "sync", "quit", "end", "join", "halt", "terminate", "done"}

// endsSomething reports whether a function is a method that ends something, by its name:
// one of the enders, or one with more words after it. What it returns is at most an error:
// "Done() <-chan struct{}" tells of an end.
func endsSomething(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() == nil || sig.Results().Len() > 1 ||
		sig.Results().Len() == 1 && !types.Identical(sig.Results().At(0).Type(), types.Universe.Lookup("error").Type()) {
		return false
	}
	return slices.ContainsFunc(enders, func(word string) bool {
		rest, ok := strings.CutPrefix(strings.ToLower(fn.Name()[:1])+fn.Name()[1:], word)
		next, _ := utf8.DecodeRuneInString(rest)
		return ok && (rest == "" || !unicode.IsLower(next))
	})
}

// closedBefore is the last method that ends something, of those that a function calls in
// statements of its own before a node.
func (s *search) closedBefore(v via) (end function, ok bool) {
	where, in := top(v.fn, v.node)
	if !in {
		return end, false
	}
	for i := where.i - 1; i >= 0; i-- {
		ast.Inspect(where.list[i], func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
				return false
			case *ast.CallExpr:
				callee := s.callee(v.fn.pkg.Info, n)
				if callee == nil || !endsSomething(callee) {
					return true
				}
				if f, known := s.bodyOf(callee); known && !s.isTest(f) {
					end, ok = f, true
				}
			}
			return true
		})
		if ok {
			break
		}
	}
	return end, ok
}

// waitIn makes a method wait, when all else of it is done, for the goroutine of a step.
func (s *search) waitIn(end function, late *Step) {
	g, gfn := s.startOf(late)
	if g == nil || s.runs(g, gfn, end) || s.isTest(gfn) {
		return
	}
	d := s.draft()
	name, group := s.groupField(d, gfn, end, g)
	started, waited, ok := strings.Cut(name, "|")
	counted, awaited := group != nil && s.isCounted(gfn, g, group), group != nil && s.waitsOn(end, group)
	if !ok || counted && awaited || len(body(end.node).List) == 0 {
		return
	}
	if !counted {
		s.startIn(d, gfn, g, started)
	}
	if !awaited {
		s.waitLast(d, end, waited)
	}
	s.add(Repair{Title: "Wait for the goroutine of line " + itoa(s.Code.line(g.Pos())) + " at the end of " + nameOf(end), Kind: Order, Weight: 7,
		Tells: []string{nameOf(end) + " returns later: when what line " + itoa(s.Code.line(g.Pos())) + " started has ended"}}, d)
}

// waitLast waits for a group when all else of a function is done.
func (s *search) waitLast(d *Draft, end function, group string) {
	list := body(end.node).List
	last := list[len(list)-1]
	ret, returns := last.(*ast.ReturnStmt)
	exits := len(exitsOf(&region{fn: end, list: list, to: len(list) - 1}))
	switch {
	case s.holdsToEnd(end) || exits > 1 || exits > 0 && !returns || returns && slices.ContainsFunc(ret.Results, func(e ast.Expr) bool { return !plain(e) && !isConst(end, e) }):
		d.Before(list[0], "defer "+group+".Wait()")
	case returns:
		d.Before(last, group+".Wait()")
	default:
		d.After(last, group+".Wait()")
	}
}

// holdsToEnd reports whether a function releases a lock by defer.
func (s *search) holdsToEnd(fn function) bool {
	return slices.ContainsFunc(s.locksOf(fn), func(sec *section) bool { return sec.deferred != nil })
}

// waitsOn reports whether a function waits for a group.
func (s *search) waitsOn(fn function, group *types.Var) (yes bool) {
	inspectOwn(fn.node, func(n ast.Node) {
		yes = yes || s.waitsFor(fn, n, group)
	})
	return yes
}
