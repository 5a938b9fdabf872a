package points

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// slotKind says how a point gets in front of an operation.
type slotKind int

const (
	slotList     slotKind = iota // before a statement of a list
	slotElseIf                   // before an if that is an else branch
	slotOperand                  // before an operand of && or ||, or a loop condition
	slotPost                     // before a loop's post statement
	slotDeferred                 // before a deferred call runs
	slotRange                    // before each receive of a range loop over a channel
	slotValue                    // after the last operand that is computed by calls
)

// slot is where a point goes; node is the statement or expression it precedes.
type slot struct {
	kind  slotKind
	node  ast.Node
	label *ast.LabeledStmt // of slotRange's loop
}

// findSlot climbs from the operation to the nearest place for a point. The
// reason is set when there is none.
func findSlot(p path, pl Place) (s slot, reason string) {
	if loop, ok := p.node().(*ast.RangeStmt); ok && pl.Kind == At && pl.Op == trace.OpRecv {
		return rangeSlot(p, loop)
	}
	if pl.Kind == At && performs(p.node(), pl.Op) {
		if x := computedOperand(p); x != nil {
			return slot{kind: slotValue, node: x}, ""
		}
	}
	for i := len(p) - 1; i > 0; i-- {
		child, parent := p[i], p[i-1]
		switch parent := parent.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			if inList(parent, child) {
				return slot{kind: slotList, node: child}, ""
			}
		case *ast.BinaryExpr:
			if (parent.Op == token.LAND || parent.Op == token.LOR) && child == parent.Y {
				return slot{kind: slotOperand, node: child}, ""
			}
		case *ast.ForStmt:
			switch child {
			case parent.Cond:
				return slot{kind: slotOperand, node: child}, ""
			case parent.Post:
				return slot{kind: slotPost, node: child}, ""
			}
		case *ast.IfStmt:
			if child == parent.Else {
				return slot{kind: slotElseIf, node: child}, ""
			}
		case *ast.DeferStmt:
			if child == parent.Call && p.node() == child && pl.Kind == At {
				return slot{kind: slotDeferred, node: parent}, ""
			}
		case *ast.GoStmt:
			if child == parent.Call && p.node() == child && strings.Contains(pl.Func, ".gowrap") {
				return slot{}, "the operation is the go statement's own call"
			}
		}
	}
	return slot{}, "no statement here (package-level initialisation)"
}

func inList(parent, child ast.Node) bool {
	var list []ast.Stmt
	switch parent := parent.(type) {
	case *ast.BlockStmt:
		list = parent.List
	case *ast.CaseClause:
		list = parent.Body
	case *ast.CommClause:
		list = parent.Body
	}
	for _, s := range list {
		switch s.(type) {
		case *ast.CaseClause, *ast.CommClause: // the block of a switch or select
			return false
		}
		if ast.Node(s) == child {
			return true
		}
	}
	return false
}

func rangeSlot(p path, loop *ast.RangeStmt) (slot, string) {
	s := slot{kind: slotRange, node: loop}
	if l, ok := p[len(p)-2].(*ast.LabeledStmt); ok {
		s.label = l
	}
	return s, ""
}

// computedOperand is the last operand of an operation that contains calls.
// A point before the statement would come before those calls, and before the
// operations in them; after this operand it comes just before the operation.
func computedOperand(p path) ast.Expr {
	var operands []ast.Expr
	switch n := p.node().(type) {
	case *ast.SendStmt:
		operands = []ast.Expr{n.Value, n.Chan}
	case *ast.UnaryExpr:
		operands = []ast.Expr{n.X}
	case *ast.CallExpr:
		switch p[len(p)-2].(type) {
		case *ast.GoStmt, *ast.DeferStmt:
			return nil
		}
		for i := len(n.Args) - 1; i >= 0; i-- {
			operands = append(operands, n.Args[i])
		}
	}
	for _, x := range operands {
		if callsOut(x) {
			return x
		}
	}
	return nil
}

// callsOut says that x is computed by a call, outside of function literals.
// Values of other kinds may be untyped constants, which can't pass through a
// generic function unchanged.
func callsOut(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			found = found || !ok || !constantBuiltins[id.Name]
		}
		return !found
	})
	return found
}

var constantBuiltins = map[string]bool{"len": true, "cap": true, "min": true, "max": true, "real": true, "imag": true, "complex": true}
