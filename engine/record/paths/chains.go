package paths

import (
	"fmt"
	"go/ast"
	"go/token"
)

// Conditions come at once after each other where nothing is done between: the operands
// of && and ||, the cases of a switch, an if in front of a loop's body. The outcome that
// leads on is written together with the next one.

// link is a condition, or the turn of a range loop, in a chain.
type link struct {
	node   ast.Node
	goesOn bool // the outcome that leads to the next one
	waits  bool // it does not write that
	bits   int  // those of the ones before that have not been written
	value  uint64
}

// before is what comes into the word before the link's own bit.
func (l link) before() string {
	if l.bits == 0 {
		return ""
	}
	return fmt.Sprintf("<<%d|%d", l.bits, l.value)
}

// chains finds the chains of a statement.
func (t *tracker) chains(s ast.Stmt) map[ast.Node]link {
	asked := map[ast.Node]bool{}
	for _, p := range t.points {
		switch {
		case p.jump:
		case p.cond != nil:
			asked[p.cond] = true
		case p.turn != nil:
			asked[p.turn] = true
		}
	}
	out := map[ast.Node]link{}
	ast.Inspect(s, func(n ast.Node) bool {
		s, ok := n.(ast.Stmt)
		if !ok {
			return true
		}
		chain := t.first(s)
		for i, l := range chain {
			if _, known := out[l.node]; known || !asked[l.node] {
				break
			}
			if i > 0 && chain[i-1].waits {
				before := chain[i-1]
				l.bits, l.value = before.bits+1, before.value<<1
				if before.goesOn {
					l.value++
				}
			}
			l.waits = i+1 < len(chain) && asked[chain[i+1].node] && !receives(chain[i+1].node)
			chain[i], out[l.node] = l, l
		}
		return true
	})
	return out
}

// receives reports whether a condition receives: where that lasts for ever, what came
// before is not to be lost.
func receives(condition ast.Node) (yes bool) {
	ast.Inspect(condition, func(n ast.Node) bool {
		u, ok := n.(*ast.UnaryExpr)
		yes = yes || ok && u.Op == token.ARROW
		_, block := n.(*ast.BlockStmt)
		return !block && !yes
	})
	return yes
}

// first are the conditions that a statement begins with, as far as one is only come to
// from the one before.
func (t *tracker) first(s ast.Stmt) []link {
	switch s := s.(type) {
	case *ast.IfStmt:
		return t.firstOfIf(s)
	case *ast.ForStmt:
		if s.Cond == nil {
			return nil
		}
		chain, whole := t.operands(s.Cond, true)
		return t.andBody(chain, whole, s.Body)
	case *ast.RangeStmt:
		return t.andBody([]link{{node: s, goesOn: true}}, true, s.Body)
	case *ast.SwitchStmt:
		if s.Tag != nil {
			return nil
		}
		var chain []link
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				more, whole := t.operands(e, false)
				if chain = append(chain, more...); !whole {
					return chain
				}
			}
		}
		return chain
	}
	return nil
}

func (t *tracker) firstOfIf(s *ast.IfStmt) []link {
	if other, ok := s.Else.(*ast.IfStmt); ok {
		chain, whole := t.operands(s.Cond, false)
		if whole && other.Init == nil {
			return append(chain, t.firstOfIf(other)...)
		}
	}
	chain, whole := t.operands(s.Cond, true)
	return t.andBody(chain, whole, s.Body)
}

// andBody goes on with the statement that a body begins with.
func (t *tracker) andBody(chain []link, whole bool, body *ast.BlockStmt) []link {
	if !whole || len(body.List) == 0 {
		return chain
	}
	switch s := body.List[0].(type) {
	case *ast.IfStmt:
		if s.Init == nil {
			return append(chain, t.first(s)...)
		}
	case *ast.SwitchStmt:
		if s.Init == nil {
			return append(chain, t.first(s)...)
		}
	}
	return chain
}

// operands are those of a condition that leads on if it comes out as outcome, and
// whether it does so in one way only.
func (t *tracker) operands(e ast.Expr, outcome bool) (chain []link, whole bool) {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return t.operands(x.X, !outcome)
		}
	case *ast.BinaryExpr:
		if x.Op != token.LAND && x.Op != token.LOR {
			break
		}
		// The second operand is come to in one way, if that is so inside the first; what
		// comes after && only if both are true, after || if both are false.
		and := x.Op == token.LAND
		if chain, whole = t.operands(x.X, and); !whole {
			return chain, false
		}
		more, whole := t.operands(x.Y, outcome)
		return append(chain, more...), whole && outcome == and
	}
	return []link{{node: e, goesOn: outcome}}, true
}

// asksIn reports whether bits are written in a loop of the loop.
func (t *tracker) asksIn(n ast.Node) bool {
	for _, p := range t.points {
		switch {
		case p.jump:
		case p.turn == n, p.cond != nil && n.Pos() <= p.cond.Pos() && p.cond.Pos() < n.End(), p.turn != nil && n.Pos() <= p.turn.Pos() && p.turn.Pos() < n.End():
			return true
		}
	}
	return false
}
