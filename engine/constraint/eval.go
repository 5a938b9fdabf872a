package constraint

import "slices"

// derived marks the Fresh of a value computed from fresh ones; Bits is then a
// hash of how, so that equal computations give equal values.
const derived = -1 << 31

// True says whether a condition with this value holds: it is not 0. A fresh
// value is different from all known ones, so it is true.
func (v Value) True() bool { return v != Value{} }

// FreshOf is the value that only event e makes.
func FreshOf(e EventID) Value { return Value{Fresh: int32(e) + 1} }

// Eval is the value of the term where val gives those of symbols. Width wraps
// constants, symbols and results of arithmetic, and for comparisons the
// operands. The logical operations go by Value.True and give 0 or 1.
func (t *Term) Eval(val func(EventID) Value) Value {
	switch t.Op {
	case Const:
		return wrap(t.Value, t.Width)
	case Sym:
		return wrap(val(t.Event), t.Width)
	case TNot:
		return truth(!t.Args[0].Eval(val).True())
	case TAllOf:
		for _, a := range t.Args {
			if !a.Eval(val).True() {
				return Value{}
			}
		}
		return Value{Bits: 1}
	case TAnyOf:
		for _, a := range t.Args {
			if a.Eval(val).True() {
				return Value{Bits: 1}
			}
		}
		return Value{}
	case TIte:
		if t.Args[0].Eval(val).True() {
			return t.Args[1].Eval(val)
		}
		return t.Args[2].Eval(val)
	}
	a := t.Args[0].Eval(val)
	for _, arg := range t.Args[1:] {
		a = apply(t.Op, t.Width, a, arg.Eval(val))
	}
	return a
}

// apply is a binary operation of the width.
func apply(op TermOp, width uint8, a, b Value) Value {
	a, b = wrap(a, width), wrap(b, width)
	switch op {
	case TEq:
		return truth(a == b)
	case TNe:
		return truth(a != b)
	}
	if a.Fresh != 0 || b.Fresh != 0 {
		return combine(op, width, a, b)
	}
	switch op {
	case TAdd:
		return wrap(Value{Bits: a.Bits + b.Bits}, width)
	case TSub:
		return wrap(Value{Bits: a.Bits - b.Bits}, width)
	case TMul:
		return wrap(Value{Bits: a.Bits * b.Bits}, width)
	case TAnd:
		return Value{Bits: a.Bits & b.Bits}
	case TOr:
		return Value{Bits: a.Bits | b.Bits}
	case TXor:
		return Value{Bits: a.Bits ^ b.Bits}
	case TLt:
		return truth(signed(a.Bits, width) < signed(b.Bits, width))
	case TLe:
		return truth(signed(a.Bits, width) <= signed(b.Bits, width))
	case TULt:
		return truth(a.Bits < b.Bits)
	default: // TULe
		return truth(a.Bits <= b.Bits)
	}
}

// combine is the fresh value of an operation on fresh values.
func combine(op TermOp, width uint8, a, b Value) Value {
	h := mix(uint64(op)<<8 | uint64(width))
	h = mix(h ^ a.Bits)
	h = mix(h ^ uint64(uint32(a.Fresh)))
	h = mix(h ^ b.Bits)
	h = mix(h ^ uint64(uint32(b.Fresh)))
	return Value{Bits: h, Fresh: derived}
}

// mix is the finalizer of splitmix64.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

func truth(b bool) Value {
	if b {
		return Value{Bits: 1}
	}
	return Value{}
}

// wrap keeps the low bits of a known value; fresh ones have no bits to cut.
func wrap(v Value, width uint8) Value {
	if width != 0 && width < 64 && v.Fresh == 0 {
		v.Bits &= 1<<width - 1
	}
	return v
}

func signed(bits uint64, width uint8) int64 {
	if width == 0 || width >= 64 {
		return int64(bits)
	}
	return int64(bits<<(64-width)) >> (64 - width)
}

// Symbols are the events whose values the term is over, each once, in order of
// appearance.
func (t *Term) Symbols() []EventID { return t.symbols(nil) }

func (t *Term) symbols(out []EventID) []EventID {
	if t == nil {
		return out
	}
	if t.Op == Sym && !slices.Contains(out, t.Event) {
		return append(out, t.Event)
	}
	for _, a := range t.Args {
		out = a.symbols(out)
	}
	return out
}
