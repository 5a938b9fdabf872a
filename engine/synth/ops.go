package synth

import (
	"cmp"
	"go/token"
	"go/types"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"
)

// binop computes x op y; the operands of all but shifts have one type.
func (f *frame) binop(in *ssa.BinOp) value {
	x, y := f.get(in.X), f.get(in.Y)
	switch in.Op {
	case token.EQL:
		return equal(x, y)
	case token.NEQ:
		return !equal(x, y)
	}
	for _, v := range []value{x, y} {
		if u, ok := v.(unknown); ok {
			return u
		}
	}
	b := basic(in.X.Type())
	switch x := x.(type) {
	case int64:
		return f.integer(in.Op, x, y.(int64), b, basic(in.Y.Type()))
	case float64:
		return float(in.Op, x, y.(float64), b)
	case string:
		return text(in.Op, x, y.(string))
	case complex128:
		return complexOp(in.Op, x, y.(complex128), b)
	case bool:
		switch in.Op {
		case token.AND, token.LAND:
			return x && y.(bool)
		case token.OR, token.LOR:
			return x || y.(bool)
		}
	}
	return unknown{"the result of " + in.Op.String()}
}

func (f *frame) integer(op token.Token, x, y int64, b, shift *types.Basic) value {
	u := isUnsigned(b)
	if r, ok := computed(op, x, y); ok {
		return cut(r, b)
	}
	switch op {
	case token.QUO, token.REM:
		if y == 0 {
			f.runtimeError("integer divide by zero")
		}
		return cut(divide(op, x, y, u), b)
	case token.AND:
		return x & y
	case token.OR:
		return x | y
	case token.XOR:
		return cut(x^y, b)
	case token.AND_NOT:
		return x &^ y
	case token.SHL, token.SHR:
		if y < 0 && !isUnsigned(shift) {
			f.runtimeError("negative shift amount")
		}
		return cut(shifted(op, x, uint64(y), u), b)
	}
	if u {
		return compared(op, uint64(x), uint64(y))
	}
	return compared(op, x, y)
}

func divide(op token.Token, x, y int64, unsigned bool) int64 {
	switch {
	case unsigned && op == token.QUO:
		return int64(uint64(x) / uint64(y))
	case unsigned:
		return int64(uint64(x) % uint64(y))
	case op == token.QUO:
		return x / y
	}
	return x % y
}

func shifted(op token.Token, x int64, by uint64, unsigned bool) int64 {
	switch {
	case op == token.SHL:
		return x << by
	case unsigned:
		return int64(uint64(x) >> by)
	}
	return x >> by
}

// compared is what an ordering operator gives.
func compared[T cmp.Ordered](op token.Token, x, y T) value {
	switch op {
	case token.LSS:
		return x < y
	case token.LEQ:
		return x <= y
	case token.GTR:
		return x > y
	case token.GEQ:
		return x >= y
	}
	return unknown{"the result of " + op.String()}
}

// computed is what + - and * give; false for other operators.
func computed[T int64 | float64 | complex128](op token.Token, x, y T) (T, bool) {
	switch op {
	case token.ADD:
		return x + y, true
	case token.SUB:
		return x - y, true
	case token.MUL:
		return x * y, true
	}
	return 0, false
}

func float(op token.Token, x, y float64, b *types.Basic) value {
	if r, ok := computed(op, x, y); ok {
		return rounded(r, b)
	}
	if op == token.QUO {
		return rounded(x/y, b)
	}
	return compared(op, x, y)
}

func text(op token.Token, x, y string) value {
	if op == token.ADD {
		return x + y
	}
	return compared(op, x, y)
}

// complexOp is of complex128. What rounding makes of the parts of a complex64 depends on
// the compiler.
func complexOp(op token.Token, x, y complex128, b *types.Basic) value {
	if b == nil || b.Kind() == types.Complex64 {
		return unknown{"the result of " + op.String() + " of complex64"}
	}
	if r, ok := computed(op, x, y); ok {
		return r
	}
	if op == token.QUO {
		return x / y
	}
	return unknown{"the result of " + op.String()}
}

func (f *frame) unop(in *ssa.UnOp) value {
	x := f.get(in.X)
	switch in.Op {
	case token.MUL:
		return f.load(x, in.Type())
	case token.ARROW:
		return f.receive(x, in.CommaOk, in.X.Type())
	}
	b := basic(in.Type())
	switch x := x.(type) {
	case unknown:
		return x
	case bool:
		return !x
	case int64:
		if in.Op == token.SUB {
			return cut(-x, b)
		}
		return cut(^x, b)
	case float64:
		return -x
	case complex128:
		return -x
	}
	return unknown{"the result of " + in.Op.String()}
}

// convert is a conversion that changes the representation.
func convert(x value, from, to types.Type) value {
	if u, ok := x.(unknown); ok {
		return u
	}
	fb, tb := basic(from), basic(to)
	switch {
	case isInteger(fb) && isInteger(tb):
		return cut(x.(int64), tb)
	case fb != nil && tb != nil && tb.Info()&types.IsString != 0 && isInteger(fb):
		n := x.(int64)
		if n != int64(rune(n)) {
			n = utf8.RuneError
		}
		return string(rune(n))
	case isInteger(fb) && tb != nil && tb.Info()&types.IsFloat != 0:
		if isUnsigned(fb) {
			return rounded(float64(uint64(x.(int64))), tb)
		}
		return rounded(float64(x.(int64)), tb)
	case fb != nil && fb.Info()&types.IsFloat != 0 && isInteger(tb):
		if isUnsigned(tb) && x.(float64) >= 1<<63 {
			return cut(int64(uint64(x.(float64))), tb)
		}
		return cut(int64(x.(float64)), tb)
	case fb != nil && fb.Info()&types.IsFloat != 0 && tb != nil && tb.Info()&types.IsFloat != 0:
		return rounded(x.(float64), tb)
	case fb != nil && fb.Info()&types.IsString != 0 && tb != nil && tb.Info()&types.IsString != 0:
		return x
	case fb != nil && fb.Info()&types.IsComplex != 0:
		if tb != nil && tb.Kind() == types.Complex64 {
			return complex128(complex64(x.(complex128)))
		}
		return x
	}
	return convertText(x, from, to)
}

// convertText is between strings and slices of bytes or runes.
func convertText(x value, from, to types.Type) value {
	if s, ok := x.(string); ok {
		if t, ok := to.Underlying().(*types.Slice); ok {
			out := []value{}
			if sizes.Sizeof(t.Elem()) == 1 {
				for i := range len(s) {
					out = append(out, int64(s[i]))
				}
			} else {
				for _, r := range s {
					out = append(out, int64(r))
				}
			}
			return slice{arr: out, in: &allocation{local: true}}
		}
	}
	if s, ok := x.(slice); ok {
		t, _ := from.Underlying().(*types.Slice)
		if b := basic(to); t != nil && b != nil && b.Info()&types.IsString != 0 {
			return textOf(s, sizes.Sizeof(t.Elem()) == 1)
		}
	}
	if _, ok := to.Underlying().(*types.Pointer); ok {
		if p, ok := x.(ptr); ok {
			return p
		}
	}
	return unknown{"a conversion from " + from.String() + " to " + to.String()}
}

func textOf(s slice, bytes bool) value {
	var out []byte
	for _, e := range s.arr {
		n, ok := e.(int64)
		if !ok {
			return unknown{"text of what is not known"}
		}
		if bytes {
			out = append(out, byte(n))
		} else {
			out = utf8.AppendRune(out, rune(n))
		}
	}
	return string(out)
}
