package breakpoints

import (
	"math"
	"reflect"
)

type numberKind int

const (
	isInt numberKind = iota
	isUint
	isFloat
	isComplex
)

// plain is a value without its type: number, string or bool.
type plain struct {
	class class
	kind  numberKind   // if a number
	typ   reflect.Type // nil if untyped
	i     int64
	u     uint64
	f     float64
	c     complex128
	s     string
	b     bool

	canBeNil, isNil bool
}

// plainOf's class is anyClass for what is no number, string or bool.
//
//go:norace
func plainOf(r reflect.Value) plain {
	var p plain
	switch {
	case !r.IsValid():
		return p
	case r.CanInt():
		p = plain{class: numberClass, kind: isInt, i: r.Int()}
	case r.CanUint():
		p = plain{class: numberClass, kind: isUint, u: r.Uint()}
	case r.CanFloat():
		p = plain{class: numberClass, kind: isFloat, f: r.Float()}
	case r.CanComplex():
		p = plain{class: numberClass, kind: isComplex, c: r.Complex()}
	case r.Kind() == reflect.String:
		p = plain{class: stringClass, s: r.String()}
	case r.Kind() == reflect.Bool:
		p = plain{class: boolClass, b: r.Bool()}
	}
	switch r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Slice:
		p.canBeNil, p.isNil = true, r.IsNil()
	}
	p.typ = r.Type()
	return p
}

// together prepares two operands: a literal takes the kind of the other one,
// and values of two different types don't go together.
//
//go:norace
func together(a, b plain) (plain, plain) {
	if a.typ != nil && b.typ != nil && a.typ != b.typ {
		panic("values of types " + a.typ.String() + " and " + b.typ.String())
	}
	if a.class != numberClass || b.class != numberClass || a.kind == b.kind {
		return a, b
	}
	if a.typ == nil && (b.typ != nil || a.kind < b.kind) {
		return a.to(b), b
	}
	return a, b.to(a)
}

// to gives p the kind of q, if nothing is lost by that.
//
//go:norace
func (p plain) to(q plain) plain {
	c := p
	switch {
	case q.kind == isFloat && p.kind != isComplex:
		c.kind, c.f = isFloat, p.float()
	case q.kind == isComplex:
		c.kind, c.c = isComplex, p.complex()
	case q.kind == isUint && p.kind == isInt && p.i >= 0:
		c.kind, c.u = isUint, uint64(p.i)
	case q.kind == isInt && p.kind == isUint && p.u <= math.MaxInt64:
		c.kind, c.i = isInt, int64(p.u)
	}
	return c
}

//go:norace
func (p plain) float() float64 {
	switch p.kind {
	case isInt:
		return float64(p.i)
	case isUint:
		return float64(p.u)
	}
	return p.f
}

//go:norace
func (p plain) complex() complex128 {
	if p.kind == isComplex {
		return p.c
	}
	return complex(p.float(), 0)
}

// compare is false if one is not a number (NaN).
//
//go:norace
func (p plain) compare(q plain) (int, bool) {
	switch {
	case p.kind == isInt && q.kind == isInt:
		return cmp3(p.i, q.i), true
	case p.kind == isUint && q.kind == isUint:
		return cmp3(p.u, q.u), true
	case p.kind == isInt && q.kind == isUint && p.i < 0, p.kind == isInt && q.kind == isUint && q.u > math.MaxInt64:
		return -1, true
	case p.kind == isUint && q.kind == isInt:
		c, ok := q.compare(p)
		return -c, ok
	}
	a, b := p.float(), q.float()
	return cmp3(a, b), a == a && b == b
}

//go:norace
func cmp3[T int64 | uint64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

//go:norace
func (p plain) compute(op string, q plain) plain {
	out := plain{class: numberClass, kind: p.kind}
	if p.kind != q.kind {
		panic("a literal that does not fit the other value's type")
	}
	zero := p.kind == isInt && q.i == 0 || p.kind == isUint && q.u == 0
	if zero && (op == "/" || op == "%") {
		panic("division by zero")
	}
	switch p.kind {
	case isInt:
		out.i = integers(op, p.i, q.i)
	case isUint:
		out.u = integers(op, p.u, q.u)
	case isFloat:
		out.f = floats(op, p.f, q.f)
	case isComplex:
		out.c = floats(op, p.c, q.c)
	}
	return out
}

//go:norace
func integers[T int64 | uint64](op string, a, b T) T {
	switch op {
	case "/":
		return a / b
	case "%":
		return a % b
	case "*":
		return a * b
	case "-":
		return a - b
	}
	return a + b
}

//go:norace
func floats[T float64 | complex128](op string, a, b T) T {
	switch op {
	case "/":
		return a / b
	case "*":
		return a * b
	case "-":
		return a - b
	case "%":
		panic("% works on integers only")
	}
	return a + b
}

// in gives p the type t, wrapping around there; nil is none.
//
//go:norace
func (p plain) in(t reflect.Type) value {
	p.typ = t
	if t != nil && p.class == numberClass {
		bits := t.Bits()
		unused := 64 - bits
		switch p.kind {
		case isInt:
			p.i = p.i << unused >> unused
		case isUint:
			p.u = p.u << unused >> unused
		case isFloat:
			if bits == 32 {
				p.f = float64(float32(p.f))
			}
		case isComplex:
			if bits == 64 {
				p.c = complex128(complex64(p.c))
			}
		}
	}
	return value{notNil, p}
}

// notNil stands for what a result holds.
var notNil any = true

// boxed is a captured number, string or bool again as it was.
func (p plain) boxed() any {
	v := reflect.New(p.typ).Elem()
	switch {
	case p.class == stringClass:
		v.SetString(ownCopy(p.s))
	case p.class == boolClass:
		v.SetBool(p.b)
	case p.kind == isInt:
		v.SetInt(p.i)
	case p.kind == isUint:
		v.SetUint(p.u)
	case p.kind == isFloat:
		v.SetFloat(p.f)
	default:
		v.SetComplex(p.c)
	}
	return v.Interface()
}
