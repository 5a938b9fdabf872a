package inject

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Values whose types have type parameters are compared when the sides meet (see
// jointType), which finds types that can never be the same false, each time. So
// the shapes of the types are compared here.

// comparable refuses comparisons of two values whose types can't be the same
// for any type arguments: *T and T.
func (k *checker) comparable(x ast.Expr) (err error) {
	ast.Inspect(x, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || err != nil {
			return err == nil
		}
		left, right := k.kindOf(b.X), k.kindOf(b.Y)
		if !comparison[b.Op] || left == nil || right == nil || !generic(left) && !generic(right) || inInterface(left) || inInterface(right) {
			return true
		}
		if !(unifier{}).same(left, right) {
			err = k.wrong(k.source(b), "compares %s with %s, which are never the same type", named(left), named(right))
		}
		return true
	})
	return err
}

func named(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

var comparison = map[token.Token]bool{token.EQL: true, token.NEQ: true, token.LSS: true, token.LEQ: true, token.GTR: true, token.GEQ: true}

// kindOf is the type of what a stand-in stands for; nil for anything else, and
// for constants that fit several types.
func (k *checker) kindOf(x ast.Expr) types.Type {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok || k.kinds[id.Name] == nil {
		return nil
	}
	t := k.kinds[id.Name]
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		return nil
	}
	return t
}

// inInterface reports whether a value is in an interface, so that its dynamic
// type is not known yet.
func inInterface(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return !param && types.IsInterface(t)
}

// source is what the user wrote for a comparison of stand-ins.
func (k *checker) source(b *ast.BinaryExpr) ast.Expr {
	own := *b
	for _, side := range []*ast.Expr{&own.X, &own.Y} {
		if id, ok := ast.Unparen(*side).(*ast.Ident); ok && k.names[id.Name] != nil {
			*side = k.names[id.Name]
		}
	}
	return &own
}

// unifier maps type parameters to what they stand for if two types are the
// same.
type unifier map[*types.TypeParam]types.Type

// same reports whether the types can be the same type; true if that is hard to
// tell.
func (u unifier) same(a, b types.Type) bool {
	a, b = u.known(a), u.known(b)
	if a == b {
		return true
	}
	if p, ok := a.(*types.TypeParam); ok {
		return u.bind(p, b)
	}
	if p, ok := b.(*types.TypeParam); ok {
		return u.bind(p, a)
	}
	switch a := a.(type) {
	case *types.Pointer:
		b, ok := b.(*types.Pointer)
		return ok && u.same(a.Elem(), b.Elem())
	case *types.Slice:
		b, ok := b.(*types.Slice)
		return ok && u.same(a.Elem(), b.Elem())
	case *types.Array:
		b, ok := b.(*types.Array)
		return ok && a.Len() == b.Len() && u.same(a.Elem(), b.Elem())
	case *types.Chan:
		b, ok := b.(*types.Chan)
		return ok && u.same(a.Elem(), b.Elem())
	case *types.Map:
		b, ok := b.(*types.Map)
		return ok && u.same(a.Key(), b.Key()) && u.same(a.Elem(), b.Elem())
	case *types.Basic:
		b, ok := b.(*types.Basic)
		return ok && a.Kind() == b.Kind()
	case *types.Named:
		b, ok := b.(*types.Named)
		return ok && u.sameNamed(a, b)
	}
	return true
}

func (u unifier) sameNamed(a, b *types.Named) bool {
	if a.Origin().Obj() != b.Origin().Obj() || a.TypeArgs().Len() != b.TypeArgs().Len() {
		return false
	}
	for i := range a.TypeArgs().Len() {
		if !u.same(a.TypeArgs().At(i), b.TypeArgs().At(i)) {
			return false
		}
	}
	return true
}

// known follows a type parameter to what it stands for.
func (u unifier) known(t types.Type) types.Type {
	for {
		t = types.Unalias(t)
		p, ok := t.(*types.TypeParam)
		if !ok || u[p] == nil {
			return t
		}
		t = u[p]
	}
}

// bind lets p stand for t, unless t is made of p.
func (u unifier) bind(p *types.TypeParam, t types.Type) bool {
	if u.occursIn(p, t) {
		return false
	}
	u[p] = t
	return true
}

func (u unifier) occursIn(p *types.TypeParam, t types.Type) bool {
	switch t := u.known(t).(type) {
	case *types.TypeParam:
		return t == p
	case *types.Pointer:
		return u.occursIn(p, t.Elem())
	case *types.Slice:
		return u.occursIn(p, t.Elem())
	case *types.Array:
		return u.occursIn(p, t.Elem())
	case *types.Chan:
		return u.occursIn(p, t.Elem())
	case *types.Map:
		return u.occursIn(p, t.Key()) || u.occursIn(p, t.Elem())
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if u.occursIn(p, a) {
				return true
			}
		}
	}
	return false
}

// divided refuses a division by the constant zero of what may be an integer. Go
// refuses it too, except where a type parameter may be a float.
func (k *checker) divided(x ast.Expr, info *types.Info) (err error) {
	ast.Inspect(x, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || b.Op != token.QUO && b.Op != token.REM || err != nil {
			return err == nil
		}
		v := info.Types[b.Y].Value
		if v != nil && (v.Kind() == constant.Int || v.Kind() == constant.Float) && constant.Sign(v) == 0 && !onlyFloats(info.Types[b.X].Type) {
			err = k.wrong(b.Y, "division by zero")
		}
		return true
	})
	return err
}

// onlyFloats reports whether only floats are possible: for those, dividing by
// zero gives infinity.
func onlyFloats(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return !mayBeInteger(p)
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsFloat|types.IsComplex) != 0
}

func mayBeInteger(p *types.TypeParam) bool {
	of, ok := p.Constraint().Underlying().(*types.Interface)
	for _, b := range types.Typ {
		if ok && b.Info()&types.IsInteger != 0 && b.Info()&types.IsUntyped == 0 && types.Satisfies(b, of) {
			return true
		}
	}
	return !ok
}
