package libz3

import (
	"unsafe"
)

// Bool is true or false.
func (c *Context) Bool(b bool) Term {
	if b {
		return c.keep(mkTrue.call(c.c))
	}
	return c.keep(mkFalse.call(c.c))
}

// Not negates a boolean.
func (c *Context) Not(a Term) Term { return c.keep(mkNot.call(c.c, uintptr(a))) }

// And of none is true.
func (c *Context) And(ts ...Term) Term { return c.many(mkAnd, ts) }

// Or of none is false.
func (c *Context) Or(ts ...Term) Term { return c.many(mkOr, ts) }

// Add sums integers, at least one.
func (c *Context) Add(ts ...Term) Term { return c.many(mkAdd, ts) }

// Sub takes the later integers from the first.
func (c *Context) Sub(ts ...Term) Term { return c.many(mkSub, ts) }

func (c *Context) many(f *symbol, ts []Term) Term {
	if len(ts) == 1 && f != mkSub {
		return c.keep(uintptr(ts[0]))
	}
	return c.keep(f.call(c.c, uintptr(uint32(len(ts))), uintptr(unsafe.Pointer(unsafe.SliceData(ts)))))
}

func (c *Context) two(f *symbol, a, b Term) Term {
	return c.keep(f.call(c.c, uintptr(a), uintptr(b)))
}

// Implies, Iff, Eq and Lt (of integers) are booleans.
func (c *Context) Implies(a, b Term) Term { return c.two(mkImplies, a, b) }
func (c *Context) Iff(a, b Term) Term     { return c.two(mkIff, a, b) }
func (c *Context) Eq(a, b Term) Term      { return c.two(mkEq, a, b) }
func (c *Context) Lt(a, b Term) Term      { return c.two(mkLt, a, b) }

// Ite is then if cond is true, otherwise els.
func (c *Context) Ite(cond, then, els Term) Term {
	return c.keep(mkIte.call(c.c, uintptr(cond), uintptr(then), uintptr(els)))
}

// Weighted is a boolean that counts Weight when true.
type Weighted struct {
	Term   Term
	Weight int32
}

// SumLe is: the weights of what is true sum to at most limit.
func (c *Context) SumLe(ts []Weighted, limit int32) Term { return c.sum(mkPbLe, ts, limit) }

// SumEq is: the weights of what is true sum to total.
func (c *Context) SumEq(ts []Weighted, total int32) Term { return c.sum(mkPbEq, ts, total) }

func (c *Context) sum(f *symbol, ts []Weighted, k int32) Term {
	args, weights := make([]Term, len(ts)), make([]int32, len(ts))
	for i, t := range ts {
		args[i], weights[i] = t.Term, t.Weight
	}
	return c.keep(f.call(c.c, uintptr(uint32(len(ts))), uintptr(unsafe.Pointer(unsafe.SliceData(args))),
		uintptr(unsafe.Pointer(unsafe.SliceData(weights))), uintptr(uint32(k))))
}

// BitOp is an operation of two bit-vectors of one width.
type BitOp struct{ f *symbol }

// The first six give a bit-vector and wrap, the others a boolean.
var (
	BitAdd = BitOp{bvAdd}
	BitSub = BitOp{bvSub}
	BitMul = BitOp{bvMul}
	BitAnd = BitOp{bvAnd}
	BitOr  = BitOp{bvOr}
	BitXor = BitOp{bvXor}
	Slt    = BitOp{bvSlt}
	Sle    = BitOp{bvSle}
	Ult    = BitOp{bvUlt}
	Ule    = BitOp{bvUle}
)

// Bit applies op.
func (c *Context) Bit(op BitOp, a, b Term) Term { return c.two(op.f, a, b) }

// Low is the lowest width bits of a bit-vector.
func (c *Context) Low(a Term, width int) Term {
	return c.keep(bvExtract.call(c.c, uintptr(uint32(width-1)), 0, uintptr(a)))
}

// ZeroExtend and SignExtend add bits above.
func (c *Context) ZeroExtend(a Term, bits int) Term {
	return c.keep(bvZeroExt.call(c.c, uintptr(uint32(bits)), uintptr(a)))
}
func (c *Context) SignExtend(a Term, bits int) Term {
	return c.keep(bvSignExt.call(c.c, uintptr(uint32(bits)), uintptr(a)))
}
