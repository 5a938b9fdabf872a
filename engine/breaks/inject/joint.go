package inject

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math/bits"
	"strings"

	"github.com/hocket-dev/hocket/internal/words"
)

// jointOps are the operators that may be evaluated when sides meet.
var jointOps = map[token.Token]bool{token.LAND: true, token.LOR: true, token.EQL: true, token.NEQ: true, token.LSS: true, token.LEQ: true,
	token.GTR: true, token.GEQ: true, token.ADD: true, token.SUB: true, token.MUL: true, token.QUO: true}

// joint captures the largest one-sided values of x and writes the rest of the
// expression.
func (k *checker) joint(x ast.Expr) (string, error) {
	set := mentions(x)
	switch bits.OnesCount64(set) {
	case 0:
		return k.constant(x)
	case 1:
		return k.capture(x, bits.TrailingZeros64(set))
	}
	switch x := x.(type) {
	case *ast.ParenExpr: // what it holds has its own
		return k.joint(x.X)
	case *ast.UnaryExpr:
		in, err := k.joint(x.X)
		if x.Op == token.NOT || x.Op == token.SUB {
			return x.Op.String() + in, err
		}
	case *ast.BinaryExpr:
		if !jointOps[x.Op] {
			return "", k.wrong(x, "values of several sides can be compared, added, subtracted, multiplied and divided; %s is not allowed", x.Op)
		}
		left, err := k.joint(x.X)
		if err != nil {
			return "", err
		}
		right, err := k.joint(x.Y)
		return "(" + left + " " + x.Op.String() + " " + right + ")", err
	}
	return "", k.wrong(x, "mixes sides; values of several sides can be compared and computed with, each other part must refer to one side only")
}

// constant checks a part that refers to no side.
func (k *checker) constant(x ast.Expr) (string, error) {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok && id.Name == "nil" {
		k.names[k.of(x)] = x
		return "nil", nil
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(k.prog.fset, k.vars, token.NoPos, x, info); err != nil {
		return "", k.wrong(x, "%s", words.OneLine(err.Error()))
	}
	v := info.Types[x].Value
	if v == nil {
		return "", k.wrong(x, "is not a constant, and refers to no side")
	}
	return literal(v), nil
}

// literal writes a constant as a Go literal.
func literal(v constant.Value) string {
	if v.Kind() == constant.Float {
		if i := constant.ToInt(v); i.Kind() == constant.Int {
			return i.ExactString()
		}
		f, _ := constant.Float64Val(v)
		return fmt.Sprint(f)
	}
	return v.ExactString()
}

// capture makes x a value that its side passes on.
func (k *checker) capture(x ast.Expr, side int) (string, error) {
	text, tv, err := k.oneSide(x, side)
	if err != nil {
		return "", err
	}
	t := tv.Type
	if tv.Value != nil {
		if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
			k.variable(x, t, tv.Value)
			return literal(tv.Value), nil
		}
	}
	values := &k.out.Values[side-1]
	index := len(*values)
	for i, have := range *values {
		if have == text {
			index = i
		}
	}
	if index == len(*values) {
		*values = append(*values, text)
	}
	k.variable(x, t, nil)
	return fmt.Sprintf("$%d.%d", side, index), nil
}

// variable declares what stands for x when the joint part is checked: a name
// by its place in the condition.
func (k *checker) variable(x ast.Expr, t types.Type, v constant.Value) {
	name := k.nameOf(x)
	k.names[name] = x
	k.kinds[name] = t
	if v != nil {
		k.vars.Scope().Insert(types.NewConst(token.NoPos, k.vars, name, t, v))
		return
	}
	k.vars.Scope().Insert(types.NewVar(token.NoPos, k.vars, name, jointType(types.Default(t))))
}

func (k *checker) nameOf(x ast.Expr) string {
	return fmt.Sprintf("at%d_%d", k.offset(x.Pos()), k.offset(x.End()))
}

// jointType returns the type of a captured value in the joint part. The type
// parameters of two functions differ even where they stand for the same type,
// so that values of such types are compared when they meet.
func jointType(t types.Type) types.Type {
	if _, bare := t.(*types.TypeParam); !bare && generic(t) {
		return types.Universe.Lookup("any").Type()
	}
	return t
}

// generic reports whether a type parameter is part of the type.
func generic(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return generic(t.Elem())
	case *types.Slice:
		return generic(t.Elem())
	case *types.Array:
		return generic(t.Elem())
	case *types.Chan:
		return generic(t.Elem())
	case *types.Map:
		return generic(t.Key()) || generic(t.Elem())
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if generic(a) {
				return true
			}
		}
		return t.Obj().Parent() != nil && t.Obj().Pkg() != nil && t.Obj().Parent() != t.Obj().Pkg().Scope() // declared in a function, perhaps a generic one
	case *types.Signature:
		return genericVars(t.Params()) || genericVars(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if generic(f.Type()) {
				return true
			}
		}
	}
	return false
}

func genericVars(vars *types.Tuple) bool {
	for v := range vars.Variables() {
		if generic(v.Type()) {
			return true
		}
	}
	return false
}

// checkJoint type-checks a conjunct with a variable for each captured value.
func (k *checker) checkJoint(x ast.Expr) error {
	y := k.replaced(x)
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(k.prog.fset, k.vars, token.NoPos, y, info); err != nil {
		return k.wrong(x, "%s", strings.TrimPrefix(k.original(err), k.of(x)+" "))
	}
	if err := k.divided(y, info); err != nil {
		return err
	}
	if err := k.comparable(y); err != nil {
		return err
	}
	t := info.Types[y].Type
	if b, ok := t.Underlying().(*types.Basic); t != types.Typ[types.Invalid] && (!ok || b.Info()&types.IsBoolean == 0) {
		return k.wrong(x, "is %s, and a condition must be true or false", t)
	}
	return nil
}

// original rewrites an error about stand-ins in terms of what they stand for.
func (k *checker) original(err error) string {
	msg := err.Error()
	if te, ok := err.(types.Error); ok {
		msg = te.Msg
	}
	msg = strings.ReplaceAll(words.OneLine(msg), "invalid operation: ", "")
	for name, x := range k.names {
		msg = strings.ReplaceAll(msg, name, k.of(x))
	}
	return msg
}

// replaced is x with the captured parts replaced by their stand-ins.
func (k *checker) replaced(x ast.Expr) ast.Expr {
	if name := k.nameOf(x); k.names[name] != nil {
		return &ast.Ident{NamePos: x.Pos(), Name: name}
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return &ast.ParenExpr{Lparen: x.Lparen, X: k.replaced(x.X), Rparen: x.Rparen}
	case *ast.UnaryExpr:
		return &ast.UnaryExpr{OpPos: x.OpPos, Op: x.Op, X: k.replaced(x.X)}
	case *ast.BinaryExpr:
		return &ast.BinaryExpr{X: k.replaced(x.X), OpPos: x.OpPos, Op: x.Op, Y: k.replaced(x.Y)}
	}
	return x
}
