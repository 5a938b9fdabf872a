package points

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// A path is a node with its ancestors, outermost first, the node last.
type path []ast.Node

func (p path) node() ast.Node { return p[len(p)-1] }

// locate finds the syntax that performs the operation of pl: the best match
// on its line, preferring the right kind of syntax, then the right depth of
// function literals, then the innermost.
func (f *file) locate(pl Place) path {
	all := f.locateAll(pl)
	if pl.Kind == At {
		if p := f.deferredAt(pl); p != nil && (len(all) == 0 || contains(all[0].node(), p.node())) {
			return p
		}
	}
	switch {
	case len(all) == 0:
		return nil
	case 0 < pl.Nth && pl.Nth <= len(all):
		return all[pl.Nth-1]
	}
	return all[0]
}

// locateAll is locate, with all the syntax of the line that performs such an operation
// as well, in the order of the text.
func (f *file) locateAll(pl Place) []path {
	var best path
	var all []path
	bestScore := 0
	ast.PreorderStack(f.ast, nil, func(n ast.Node, stack []ast.Node) bool {
		score := f.score(n, pl)
		if score == 0 {
			return true
		}
		p := append(append(path{}, stack...), n)
		if pl.Func != "" && literalDepth(p) == closureDepth(pl.Func) {
			score += 5
		}
		// Of equals the first wins, except that a statement inside a
		// statement on the same line is the better one.
		switch {
		case score > bestScore || score == bestScore && contains(best.node(), n) && isStmt(n):
			best, bestScore, all = p, score, []path{p}
		case score == bestScore && !contains(best.node(), n) && alike(best.node(), n, pl.Op):
			all = append(all, p)
		}
		return true
	})
	return all
}

// alike reports whether two nodes on one line do the same, as far as their syntax says.
func alike(a, b ast.Node, op trace.Op) bool {
	if performs(a, op) {
		return performs(b, op)
	}
	x, ok1 := a.(*ast.CallExpr)
	y, ok2 := b.(*ast.CallExpr)
	return ok1 && ok2 && calleeName(x) == calleeName(y)
}

// deferredAt finds the deferred call that a function makes where it ends: what it does is
// at the line of the closing brace.
func (f *file) deferredAt(pl Place) path {
	var best path
	ast.PreorderStack(f.ast, nil, func(n ast.Node, stack []ast.Node) bool {
		d, ok := n.(*ast.DeferStmt)
		if !ok {
			return true
		}
		body, depth := enclosing(stack)
		if body == nil || f.position(body.Rbrace).Line != pl.Line || pl.Func != "" && depth != closureDepth(pl.Func) {
			return true
		}
		if best == nil || !performs(best.node(), pl.Op) {
			best = append(append(path{}, stack...), d, d.Call)
		}
		return true
	})
	return best
}

// enclosing is the body of the innermost function, and how many literals are around.
func enclosing(stack []ast.Node) (body *ast.BlockStmt, depth int) {
	for _, n := range stack {
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.FuncLit:
			body, depth = n.Body, depth+1
		}
	}
	return body, depth
}

func contains(outer, inner ast.Node) bool {
	return outer.Pos() <= inner.Pos() && inner.End() <= outer.End()
}

func isStmt(n ast.Node) bool {
	_, ok := n.(ast.Stmt)
	return ok
}

// score rates n as the performer of pl: 0 no, 10 some statement or call on the line,
// 20 to 40 the right kind of syntax, 35 the call that the operation is inside. A column that fits decides.
func (f *file) score(n ast.Node, pl Place) int {
	if n == nil || !f.onLine(n, pl.Line) {
		return 0
	}
	s := kindScore(n, pl)
	if s > 0 && pl.Col > 0 && f.hasColumn(n, pl.Line, pl.Col) {
		s += 50
	}
	return s
}

func (f *file) hasColumn(n ast.Node, line, col int) bool {
	for _, p := range marks(n) {
		if at := f.position(p); at.Line == line && at.Column == col {
			return true
		}
	}
	return false
}

// onLine reports whether the line is one of the places at which the compiler
// may put n's instructions.
func (f *file) onLine(n ast.Node, line int) bool {
	for _, p := range marks(n) {
		if p.IsValid() && f.position(p).Line == line {
			return true
		}
	}
	switch n.(type) {
	case *ast.AssignStmt, *ast.ReturnStmt, *ast.ExprStmt, *ast.DeclStmt, *ast.IncDecStmt, *ast.SendStmt:
		return f.position(n.Pos()).Line <= line && line <= f.position(n.End()).Line
	}
	return false
}

func marks(n ast.Node) []token.Pos {
	switch n := n.(type) {
	case *ast.CallExpr:
		m := []token.Pos{n.Lparen, n.Pos(), n.Rparen}
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
			m = append(m, sel.Sel.Pos())
		}
		return m
	case *ast.SendStmt:
		return []token.Pos{n.Arrow, n.Pos()}
	case *ast.UnaryExpr:
		return []token.Pos{n.OpPos}
	case *ast.SelectStmt:
		m := []token.Pos{n.Select}
		for _, c := range n.Body.List {
			m = append(m, c.Pos())
		}
		return m
	case ast.Stmt:
		switch n.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt, *ast.EmptyStmt:
			return nil
		}
		return []token.Pos{n.Pos()}
	}
	return nil
}

func kindScore(n ast.Node, pl Place) int {
	switch pl.Kind {
	case Spawn, Start:
		if _, ok := n.(*ast.GoStmt); ok {
			return 40
		}
	case Select:
		if _, ok := n.(*ast.SelectStmt); ok {
			return 40
		}
		return 0
	case Split:
		if s, ok := n.(*ast.AssignStmt); ok && s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			return 40
		}
		if _, ok := n.(*ast.IncDecStmt); ok {
			return 40
		}
		return 0
	case CondWake:
		if call, ok := n.(*ast.CallExpr); ok && calleeName(call) == "Wait" {
			return 40
		}
		return 0
	}
	if call, ok := n.(*ast.CallExpr); ok && pl.Call != "" && calleeName(call) == pl.Call {
		return 35
	}
	if performs(n, pl.Op) {
		return 30
	}
	switch n.(type) {
	case *ast.CallExpr:
		return 20 // an operation inside a function without points of its own
	case ast.Stmt:
		return 10
	}
	return 0
}

// performs reports whether n is the syntax of op.
func performs(n ast.Node, op trace.Op) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return op == trace.OpSpawn
	case *ast.SendStmt:
		return op == trace.OpSend
	case *ast.UnaryExpr:
		return op == trace.OpRecv && n.Op == token.ARROW
	case *ast.RangeStmt:
		return op == trace.OpRecv && !hasReceive(n.X)
	case *ast.SelectStmt:
		return op == trace.OpSelect || op == trace.OpRecv || op == trace.OpSend
	case *ast.IncDecStmt:
		return op == trace.OpRead || op == trace.OpWrite
	case *ast.AssignStmt:
		return op == trace.OpRead || op == trace.OpWrite || op == trace.OpReadRange || op == trace.OpWriteRange
	case *ast.CallExpr:
		for _, name := range callees[op] {
			if calleeName(n) == name {
				return true
			}
		}
	}
	return false
}

func hasReceive(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		u, ok := n.(*ast.UnaryExpr)
		found = found || ok && u.Op == token.ARROW
		return !found
	})
	return found
}

// callees are the functions and methods that perform an operation, by name
// only: types are unknown here, and the trace has seen what it was.
var callees = map[trace.Op][]string{
	trace.OpGosched: {"Gosched"}, trace.OpSleep: {"Sleep"}, trace.OpClose: {"close"},
	trace.OpLock: {"Lock"}, trace.OpUnlock: {"Unlock"}, trace.OpTryLock: {"TryLock"},
	trace.OpRLock: {"RLock"}, trace.OpRUnlock: {"RUnlock"}, trace.OpTryRLock: {"TryRLock"},
	trace.OpWGAdd: {"Add", "Go"}, trace.OpWGDone: {"Done", "Add"}, trace.OpWGWait: {"Wait"},
	trace.OpCondWait: {"Wait"}, trace.OpCondWake: {"Wait"}, trace.OpSignal: {"Signal"}, trace.OpBroadcast: {"Broadcast"},
	trace.OpOnceDo: {"Do"}, trace.OpPoolGet: {"Get"}, trace.OpPoolPut: {"Put"},
	trace.OpMapRead:     {"Load", "Range"},
	trace.OpMapWrite:    {"Store", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap", "CompareAndDelete", "Clear"},
	trace.OpAtomicLoad:  {"Load", "LoadInt32", "LoadInt64", "LoadUint32", "LoadUint64", "LoadPointer", "LoadUintptr"},
	trace.OpAtomicStore: {"Store", "StoreInt32", "StoreInt64", "StoreUint32", "StoreUint64", "StorePointer", "StoreUintptr"},
	trace.OpAtomicRMW: {"Add", "And", "Or", "Swap", "AddInt32", "AddInt64", "AddUint32", "AddUint64", "SwapInt32", "SwapInt64",
		"SwapUint32", "SwapUint64", "SwapPointer"},
	trace.OpAtomicCAS: {"CompareAndSwap", "CompareAndSwapInt32", "CompareAndSwapInt64", "CompareAndSwapUint32",
		"CompareAndSwapUint64", "CompareAndSwapPointer"},
	trace.OpNetDial: {"Dial", "DialTimeout", "DialContext"}, trace.OpNetAccept: {"Accept"}, trace.OpNetClose: {"Close", "CloseRead", "CloseWrite"},
	trace.OpNetRead: {"Read", "ReadFrom"}, trace.OpNetWrite: {"Write", "WriteTo", "WriteString"},
	trace.OpNetDeadline: {"SetDeadline", "SetReadDeadline", "SetWriteDeadline"},
	trace.OpTimerStop:   {"Stop"}, trace.OpPanicStart: {"panic"}, trace.OpPanic: {"panic"}, trace.OpExit: {"Exit"},
}

func calleeName(call *ast.CallExpr) string {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// literalDepth counts the function literals around the last node.
func literalDepth(p path) int {
	n := 0
	for _, x := range p[:len(p)-1] {
		if _, ok := x.(*ast.FuncLit); ok {
			n++
		}
	}
	return n
}

// closureDepth counts the function literals in a frame's function name:
// "m.f" 0, "m.f.func1" 1, "m.f.func1.2" 2, "m.f.deferwrap1" 0.
func closureDepth(name string) int {
	n := 0
	for part := range strings.SplitSeq(name[strings.LastIndexByte(name, '/')+1:], ".") {
		part, _, _ = strings.Cut(part, "-")
		if rest, ok := strings.CutPrefix(part, "func"); ok && isNumber(rest) || isNumber(part) {
			n++
		}
	}
	return n
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}
