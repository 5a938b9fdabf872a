package constraint

// Value is what a location holds: bits, or (Fresh != 0) a value of which only
// identity is known: that of event Fresh-1, or an initial one if Fresh < 0. Two
// values are equal if they are the same struct; a fresh one differs from all
// known ones. What is computed from fresh values has Fresh = -1<<31 and a hash
// of the computation as Bits.
type Value struct {
	Bits  uint64
	Fresh int32
}

// TermOp is the operation of a term. Integers wrap at Width bits as Go's do;
// comparisons give 0 or 1. Constants and symbols are cut to Width too, and so
// are the operands of comparisons.
type TermOp uint8

const (
	Const TermOp = iota // Value
	Sym                 // what event Event read or received
	TAdd
	TSub
	TMul
	TAnd
	TOr
	TXor
	TEq
	TNe
	TLt    // signed
	TLe    // signed
	TULt   // unsigned
	TULe   // unsigned
	TNot   // logical
	TAllOf // logical and of Args
	TAnyOf // logical or of Args
	TIte   // Args[0] != 0 ? Args[1] : Args[2]
)

// Term is a value over symbols: an immutable tree. Terms over Fresh values
// know only TEq, TNe, TIte and the logical operations, for which they are not 0;
// anything else of them is Fresh again.
type Term struct {
	Op    TermOp
	Width uint8 // bits: 1, 8, 16, 32, 64; 0 = 64
	Value Value
	Event EventID // of Sym
	Args  []*Term
}
