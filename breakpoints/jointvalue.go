package breakpoints

import (
	"errors"
	"reflect"
	"strconv"
)

// value is a captured value or an intermediate result. What it holds is read
// once, by the goroutine that captured it: goroutines that test predicates
// later read this copy, and call nothing of the standard library that keeps
// state (fmt, most of reflect), so that the race detector sees nothing of it.
type value struct {
	v any // as captured; of results, nil or not is all that counts
	plain
}

//go:norace
func capture(vs []any) []value {
	out := make([]value, len(vs))
	for i, v := range vs {
		out[i] = value{v, plainOf(reflect.ValueOf(v))}
	}
	return out
}

// holds evaluates a joint predicate over values[side-1][index]; nil is true.
// What can't be evaluated is an error, never a panic.
//
//go:norace
func (e *expr) holds(values [][]value) (ok bool, err error) {
	if e == nil {
		return true, nil
	}
	defer func() {
		if p := recover(); p != nil {
			ok, err = false, errors.New("joint predicate: "+describe(p))
		}
	}()
	return e.eval(values).truth(), nil
}

//go:norace
func (e *expr) eval(values [][]value) value {
	switch e.op {
	case "lit":
		return literal(e.lit)
	case "$":
		if e.side > len(values) || e.index >= len(values[e.side-1]) {
			panic("side " + strconv.Itoa(e.side) + " gave no value " + strconv.Itoa(e.index))
		}
		return values[e.side-1][e.index]
	case "&&":
		return boolean(e.l.eval(values).truth() && e.r.eval(values).truth())
	case "||":
		return boolean(e.l.eval(values).truth() || e.r.eval(values).truth())
	case "unary!":
		return boolean(!e.l.eval(values).truth())
	case "unary-":
		return negative(e.l.eval(values))
	}
	l, r := e.l.eval(values), e.r.eval(values)
	switch e.op {
	case "==":
		return boolean(equal(l, r))
	case "!=":
		return boolean(!equal(l, r))
	case "<", "<=", ">", ">=":
		return boolean(ordered(e.op, l, r))
	}
	return arithmetic(e.op, l, r)
}

// literal has no type of its own: plain.typ is nil. The literal nil is told
// from a captured nil by nothing, since they mean the same.
//
//go:norace
func literal(v any) value {
	p := plainOf(reflect.ValueOf(v))
	p.typ = nil
	return value{v, p}
}

//go:norace
func boolean(b bool) value { return value{b, plain{class: boolClass, b: b}} }

//go:norace
func (v value) truth() bool {
	if v.class != boolClass {
		panic(v.name() + " is not a bool")
	}
	return v.b
}

// name names a value in an error: what a captured one holds may be changing,
// so that its type has to do.
//
//go:norace
func (v value) name() string {
	switch {
	case v.typ != nil:
		return v.typ.String()
	case v.v == nil:
		return "nil"
	case v.class == stringClass:
		return strconv.Quote(v.s)
	case v.class == boolClass:
		return strconv.FormatBool(v.b)
	case v.kind == isInt:
		return strconv.FormatInt(v.i, 10)
	case v.kind == isUint:
		return strconv.FormatUint(v.u, 10)
	}
	return strconv.FormatFloat(v.f, 'g', -1, 64)
}

//go:norace
func (v value) untyped() bool { return v.typ == nil && v.v != nil }

// equal is Go's == of interface values; it panics as Go does when values can't
// be compared.
//
//go:norace
func equal(l, r value) bool {
	switch {
	case l.v == nil:
		return isNil(r)
	case r.v == nil:
		return isNil(l)
	case !l.untyped() && !r.untyped() && l.typ != r.typ:
		return false
	case l.class == anyClass && r.class == anyClass:
		return l.v == r.v
	case l.class == anyClass || l.class != r.class:
		panic(l.name() + " and " + r.name() + " can't be compared")
	case l.class == stringClass:
		return l.s == r.s
	case l.class == boolClass:
		return l.b == r.b
	}
	a, b := together(l.plain, r.plain)
	if a.kind == isComplex || b.kind == isComplex {
		return a.complex() == b.complex()
	}
	c, ok := a.compare(b)
	return ok && c == 0
}

//go:norace
func isNil(v value) bool {
	if v.v == nil || v.canBeNil {
		return v.v == nil || v.isNil
	}
	panic(v.name() + " is never nil")
}

//go:norace
func ordered(op string, l, r value) bool {
	a, b := together(l.plain, r.plain)
	c, ok := 0, true
	switch {
	case a.class == stringClass && b.class == stringClass:
		switch {
		case a.s < b.s:
			c = -1
		case a.s > b.s:
			c = 1
		}
	case a.class == numberClass && b.class == numberClass && a.kind != isComplex && b.kind != isComplex:
		c, ok = a.compare(b)
	default:
		panic(l.name() + " " + op + " " + r.name() + " has no meaning")
	}
	switch op {
	case "<":
		return ok && c < 0
	case "<=":
		return ok && c <= 0
	case ">":
		return ok && c > 0
	}
	return ok && c >= 0
}

// arithmetic works in the type of the typed operand, wrapping around there.
//
//go:norace
func arithmetic(op string, l, r value) value {
	a, b := together(l.plain, r.plain)
	t := a.typ
	if t == nil {
		t = b.typ
	}
	switch {
	case op == "+" && a.class == stringClass && b.class == stringClass:
		return plain{class: stringClass, s: a.s + b.s}.in(t)
	case a.class != numberClass || b.class != numberClass:
		panic(l.name() + " " + op + " " + r.name() + " has no meaning")
	}
	return a.compute(op, b).in(t)
}

//go:norace
func negative(v value) value {
	if v.class != numberClass {
		panic("-" + v.name() + " has no meaning")
	}
	n := v.plain
	n.i, n.u, n.f, n.c = -n.i, -n.u, -n.f, -n.c
	if v.typ == nil && n.kind == isUint {
		panic("-" + v.name() + " is too small")
	}
	return n.in(v.typ)
}
