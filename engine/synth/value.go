package synth

import (
	"fmt"
	"go/constant"
	"go/types"
	"math"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// value is what a variable of the program holds: a bool, int64 (all integers,
// extended by sign or zero), float64, complex128, string, ptr, slice, *mapping,
// *channel, iface, *closure, structure, array, tuple, or unknown.
type value = any

type (
	structure []value
	array     []value
	tuple     []value

	// unknown is the result of what is not modelled. Nothing may depend on it.
	unknown struct{ why string }

	// ptr points to p, which lies off bytes behind the beginning of in.
	ptr struct {
		p   *value
		in  *allocation
		off int64
	}

	// slice is arr, whose first element lies off bytes behind the beginning of in.
	slice struct {
		arr []value
		in  *allocation
		off int64
	}

	iface struct {
		t types.Type // nil: the nil interface
		v value
	}

	closure struct {
		fn   *ssa.Function
		env  []value
		does func(f *frame, args []value) value // in place of fn
	}

	// mapping keeps its keys in the order in which they came.
	mapping struct {
		in   *allocation
		at   map[any]int
		keys []value
		vals []value
		live []bool
		n    int
	}
)

// allocation is a variable or what new, make and composite literals made.
type allocation struct {
	name  string // schedule-independent
	local bool   // nobody else can reach it
}

var sizes = types.SizesFor("gc", "amd64")

func basic(t types.Type) *types.Basic {
	b, _ := t.Underlying().(*types.Basic)
	return b
}

func isInteger(b *types.Basic) bool  { return b != nil && b.Info()&types.IsInteger != 0 }
func isUnsigned(b *types.Basic) bool { return b != nil && b.Info()&types.IsUnsigned != 0 }

// cut brings n into the range of an integer type, as Go's conversions do.
func cut(n int64, b *types.Basic) int64 {
	if b == nil {
		return n
	}
	w := uint(sizes.Sizeof(b) * 8)
	if w >= 64 || w == 0 {
		return n
	}
	if isUnsigned(b) {
		return int64(uint64(n) << (64 - w) >> (64 - w))
	}
	return n << (64 - w) >> (64 - w)
}

// zero is the zero value of a type.
func zero(t types.Type) value {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsBoolean != 0:
			return false
		case info&types.IsInteger != 0:
			return int64(0)
		case info&types.IsFloat != 0:
			return float64(0)
		case info&types.IsComplex != 0:
			return complex128(0)
		case info&types.IsString != 0:
			return ""
		}
		return ptr{} // unsafe.Pointer, untyped nil
	case *types.Pointer:
		return ptr{}
	case *types.Slice:
		return slice{}
	case *types.Map:
		return (*mapping)(nil)
	case *types.Chan:
		return (*channel)(nil)
	case *types.Signature:
		return (*closure)(nil)
	case *types.Interface:
		return iface{}
	case *types.Struct:
		s := make(structure, u.NumFields())
		for i := range s {
			s[i] = zero(u.Field(i).Type())
		}
		return s
	case *types.Array:
		a := make(array, u.Len())
		for i := range a {
			a[i] = zero(u.Elem())
		}
		return a
	case *types.Tuple:
		t := make(tuple, u.Len())
		for i := range t {
			t[i] = zero(u.At(i).Type())
		}
		return t
	}
	return unknown{"a value of type " + t.String()}
}

// copied is a value as assignment copies it.
func copied(v value) value {
	switch v := v.(type) {
	case structure:
		c := make(structure, len(v))
		for i := range v {
			c[i] = copied(v[i])
		}
		return c
	case array:
		c := make(array, len(v))
		for i := range v {
			c[i] = copied(v[i])
		}
		return c
	}
	return v
}

func constOf(c *ssa.Const) value {
	if c.Value == nil {
		return zero(c.Type())
	}
	b := basic(c.Type())
	switch {
	case b == nil:
		return unknown{"a constant of a type parameter"}
	case b.Info()&types.IsBoolean != 0:
		return constant.BoolVal(c.Value)
	case b.Info()&types.IsString != 0:
		if c.Value.Kind() == constant.String {
			return constant.StringVal(c.Value)
		}
		return string(rune(c.Int64()))
	case isUnsigned(b):
		return int64(c.Uint64())
	case isInteger(b):
		return c.Int64()
	case b.Info()&types.IsFloat != 0:
		return rounded(c.Float64(), b)
	case b.Info()&types.IsComplex != 0:
		return c.Complex128()
	}
	return unknown{"a constant"}
}

func rounded(f float64, b *types.Basic) float64 {
	if b.Kind() == types.Float32 {
		return float64(float32(f))
	}
	return f
}

// bits is what a trace shows of a value: eight bytes of scalars, and of others
// something that is equal where they are known to be.
func bits(v value) uint64 {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
	case int64:
		return uint64(v)
	case float64:
		return math.Float64bits(v)
	}
	return 0
}

// kindOf is reflect's kind of a scalar whose bits say all; "" of other types.
func kindOf(t types.Type) string {
	if b := basic(t); b != nil && b.Info()&(types.IsBoolean|types.IsInteger|types.IsFloat) != 0 {
		return b.Name()
	}
	return ""
}

// keyOf is what tells a map's keys apart.
func keyOf(v value) any {
	switch v := v.(type) {
	case structure:
		return joined("s", v)
	case array:
		return joined("a", v)
	case iface:
		if v.t == nil {
			return iface{}
		}
		return "i" + v.t.String() + joined("", []value{v.v})
	case ptr:
		return v.p
	case unknown:
		panic(unmodelled{"a map's key is " + v.why})
	}
	return v
}

func joined(kind string, vs []value) string {
	var b strings.Builder
	b.WriteString(kind)
	for _, v := range vs {
		switch k := keyOf(v).(type) {
		case string: // may look like several parts
			fmt.Fprintf(&b, "|%q", k)
		default:
			fmt.Fprintf(&b, "|%T:%v", k, k)
		}
	}
	return b.String()
}

// equal is ==.
func equal(x, y value) bool {
	switch x := x.(type) {
	case structure:
		y := y.(structure)
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case array:
		y := y.(array)
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return true
	case iface:
		y := y.(iface)
		if x.t == nil || y.t == nil {
			return x.t == nil && y.t == nil
		}
		if same := types.Identical(x.t, y.t); !same || types.Comparable(x.t) {
			return same && equal(x.v, y.v)
		}
		panic(goPanic{iface{t: types.Universe.Lookup("error").Type(), v: "runtime error: comparing uncomparable type " + x.t.String()}})
	case ptr:
		return x.p == y.(ptr).p
	case slice: // one of them is nil
		return x.arr == nil && y.(slice).arr == nil
	case *closure:
		return x == nil && y.(*closure) == nil
	case unknown:
		panic(unmodelled{"a comparison with " + x.why})
	}
	if u, ok := y.(unknown); ok {
		panic(unmodelled{"a comparison with " + u.why})
	}
	return x == y
}
