package inject

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// Error is what is wrong with a condition.
type Error struct {
	Condition string
	Column    int    // of Expr in Condition, from 1
	Expr      string // the part that is wrong
	Why       string
}

func (e *Error) Error() string {
	return fmt.Sprintf("condition %q, column %d: %s: %s", e.Condition, e.Column, e.Expr, e.Why)
}

// condition is the text of a condition while it is being checked.
type condition struct {
	text  string
	sides int
	file  *token.File
}

// wrong is an error about a part of the condition.
func (c *condition) wrong(x ast.Node, format string, args ...any) error {
	from, to := c.offset(x.Pos()), c.offset(x.End())
	return &Error{c.text, from + 1, c.text[from:to], fmt.Sprintf(format, args...)}
}

func (c *condition) offset(p token.Pos) int {
	return min(max(int(p)-c.file.Base(), 0), len(c.text))
}

func (c *condition) of(x ast.Node) string { return c.text[c.offset(x.Pos()):c.offset(x.End())] }

// side is the number of the side that a selector t1.x names, 0 for others.
func sideOf(x ast.Expr) int {
	id, ok := x.(*ast.Ident)
	if !ok {
		return 0
	}
	digits, ok := strings.CutPrefix(id.Name, "t")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || digits[0] == '0' || digits[0] == '+' {
		return 0
	}
	return n
}

// builtins compute without changing anything.
var builtins = map[string]bool{"len": true, "cap": true, "min": true, "max": true, "real": true, "imag": true, "complex": true}

// basics are predeclared names that need no side: types and constants.
var basics = map[string]bool{"true": true, "false": true, "nil": true, "bool": true, "string": true, "int": true, "int8": true, "int16": true,
	"int32": true, "int64": true, "uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true, "uintptr": true, "byte": true,
	"rune": true, "float32": true, "float64": true, "complex64": true, "complex128": true, "any": true, "error": true}

// allowed returns an error for what a condition must not do, and for names
// without a side.
func (c *condition) allowed(x ast.Expr) error {
	switch x := x.(type) {
	case *ast.BasicLit:
		return nil
	case *ast.Ident:
		return c.bare(x)
	case *ast.SelectorExpr:
		if n := sideOf(x.X); n > c.sides {
			return c.wrong(x, "there is no side %d, the breakpoint has %d", n, c.sides)
		} else if n > 0 {
			return nil
		}
		return c.allowed(x.X)
	case *ast.ParenExpr:
		return c.allowed(x.X)
	case *ast.StarExpr:
		return c.allowed(x.X)
	case *ast.BinaryExpr:
		return c.all(x.X, x.Y)
	case *ast.UnaryExpr:
		switch x.Op {
		case token.ARROW:
			return c.wrong(x, "a receive would change the program; compare the channel itself, or its len")
		case token.AND:
			return c.wrong(x, "taking an address may move the variable to the heap, and the program would be another; compare pointers that it has")
		case token.TILDE:
			return c.wrong(x, "only types may have ~")
		}
		return c.allowed(x.X)
	case *ast.IndexExpr:
		return c.all(x.X, x.Index)
	case *ast.SliceExpr:
		return c.all(x.X, x.Low, x.High, x.Max)
	case *ast.TypeAssertExpr:
		if x.Type == nil {
			return c.wrong(x, "a type switch has no value")
		}
		return c.all(x.X, x.Type)
	case *ast.ArrayType:
		return c.all(x.Len, x.Elt)
	case *ast.MapType:
		return c.all(x.Key, x.Value)
	case *ast.InterfaceType:
		return nil
	case *ast.CallExpr:
		return c.call(x)
	case *ast.FuncLit:
		return c.wrong(x, "function literals are not allowed in conditions")
	case *ast.CompositeLit:
		return c.wrong(x, "composite literals are not allowed in conditions; compare the fields")
	}
	return c.wrong(x, "conditions are made of variables, fields, indexes, comparisons, arithmetic, len, cap, min, max, real, imag and conversions")
}

func (c *condition) all(xs ...ast.Expr) error {
	for _, x := range xs {
		if x == nil {
			continue
		}
		if err := c.allowed(x); err != nil {
			return err
		}
	}
	return nil
}

// bare checks a name without a side.
func (c *condition) bare(x *ast.Ident) error {
	switch n := sideOf(x); {
	case basics[x.Name]:
		return nil
	case n > 0 && n <= c.sides:
		return c.wrong(x, "names side %d; write t%d.x for its variable x", n, n)
	case n > 0:
		return c.wrong(x, "there is no side %d, the breakpoint has %d", n, c.sides)
	case builtins[x.Name]:
		return c.wrong(x, "%s must be called", x.Name)
	}
	var forms []string
	for i := range c.sides {
		forms = append(forms, fmt.Sprintf("t%d.%s", i+1, x.Name))
	}
	return c.wrong(x, "of which side? write %s", strings.Join(forms, " or "))
}

// call allows built-in functions and what may be a conversion; the type checker
// tells conversions from other calls.
func (c *condition) call(x *ast.CallExpr) error {
	fun := ast.Unparen(x.Fun)
	if id, ok := fun.(*ast.Ident); ok && builtins[id.Name] {
		return c.all(x.Args...)
	}
	if id, ok := fun.(*ast.Ident); ok && !basics[id.Name] || len(x.Args) != 1 || x.Ellipsis.IsValid() {
		return c.callRefused(x)
	}
	if lit, ok := fun.(*ast.FuncLit); ok {
		return c.allowed(lit)
	}
	return c.all(append([]ast.Expr{fun}, x.Args...)...)
}

func (c *condition) callRefused(x *ast.CallExpr) error {
	return c.wrong(x, "calls are not allowed, since they may change the program; of functions, len, cap, min, max, real, imag and conversions are allowed")
}

// mentions returns the set of sides that an expression refers to, as bits.
func mentions(x ast.Node) (set uint64) {
	ast.Inspect(x, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if s := sideOf(sel.X); s > 0 {
				set |= 1 << s
				return false
			}
		}
		return true
	})
	return set
}

// conjuncts are the parts that must all hold.
func conjuncts(x ast.Expr) []ast.Expr {
	if b, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && b.Op == token.LAND {
		return append(conjuncts(b.X), conjuncts(b.Y)...)
	}
	return []ast.Expr{x}
}
