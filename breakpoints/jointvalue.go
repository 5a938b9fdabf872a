package breakpoints

import (
	"fmt"
	"reflect"
)

// untyped marks a value that comes from literals only.
type untyped struct{ v any }

// holds evaluates a joint predicate over values[side-1][index]; nil is true.
// What can't be evaluated is an error, never a panic.
//
//go:norace
func (e *expr) holds(values [][]any) (ok bool, err error) {
	if e == nil {
		return true, nil
	}
	defer func() {
		if p := recover(); p != nil {
			ok, err = false, fmt.Errorf("joint predicate: %v", p)
		}
	}()
	return truth(e.eval(values)), nil
}

//go:norace
func (e *expr) eval(values [][]any) any {
	switch e.op {
	case "lit":
		return untyped{e.lit}
	case "$":
		if e.side > len(values) || e.index >= len(values[e.side-1]) {
			panic(fmt.Sprintf("side %d gave no value %d", e.side, e.index))
		}
		return values[e.side-1][e.index]
	case "&&":
		return untyped{truth(e.l.eval(values)) && truth(e.r.eval(values))}
	case "||":
		return untyped{truth(e.l.eval(values)) || truth(e.r.eval(values))}
	case "unary!":
		return untyped{!truth(e.l.eval(values))}
	case "unary-":
		return arithmetic("-", untyped{int64(0)}, e.l.eval(values))
	}
	l, r := e.l.eval(values), e.r.eval(values)
	switch e.op {
	case "==":
		return untyped{equal(l, r)}
	case "!=":
		return untyped{!equal(l, r)}
	case "<", "<=", ">", ">=":
		return untyped{ordered(e.op, l, r)}
	}
	return arithmetic(e.op, l, r)
}

//go:norace
func truth(v any) bool {
	if u, ok := v.(untyped); ok {
		v = u.v
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Bool {
		return r.Bool()
	}
	panic(fmt.Sprintf("%T is no bool", v))
}

// equal is Go's == of interface values; it panics as Go does when values can't
// be compared.
//
//go:norace
func equal(l, r any) bool {
	lu, lok := l.(untyped)
	ru, rok := r.(untyped)
	switch {
	case !lok && !rok:
		return l == r
	case lok && !rok:
		return equal(r, l)
	case lok && rok && lu.v == nil || ru.v == nil:
		return isNil(l)
	}
	a, b := pair2(l, r)
	switch {
	case a.class == boolClass && b.class == boolClass:
		return a.b == b.b
	case a.class == anyClass || a.class != b.class:
		panic(fmt.Sprintf("%v and %v can't be compared", show(l), show(r)))
	case a.class == stringClass:
		return a.s == b.s
	}
	if a.kind == isComplex || b.kind == isComplex {
		return a.complex() == b.complex()
	}
	c, ok := a.compare(b)
	return ok && c == 0
}

//go:norace
func isNil(v any) bool {
	if u, ok := v.(untyped); ok {
		return u.v == nil
	}
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return r.IsNil()
	}
	panic(fmt.Sprintf("%T is never nil", v))
}

//go:norace
func ordered(op string, l, r any) bool {
	a, b := pair2(l, r)
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
		panic(fmt.Sprintf("%v %s %v has no meaning", show(l), op, show(r)))
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

// show names a value in an error: by its type, since what it holds may change
// while it is printed.
//
//go:norace
func show(v any) string {
	if u, ok := v.(untyped); ok {
		return fmt.Sprint(u.v)
	}
	return fmt.Sprintf("%T", v)
}

// arithmetic works in the type of the typed operand, wrapping around there.
//
//go:norace
func arithmetic(op string, l, r any) any {
	a, b := pair2(l, r)
	if op == "+" && a.class == stringClass && b.class == stringClass {
		return a.in(b, plainString(a.s+b.s))
	}
	if a.class != numberClass || b.class != numberClass {
		panic(fmt.Sprintf("%v %s %v has no meaning", show(l), op, show(r)))
	}
	return a.in(b, a.compute(op, b))
}
