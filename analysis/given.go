package analysis

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// summaryOf is the summary of a function as it is called here: a helper that is
// told by a constant whether to lock either does so or does not.
func (w *walker) summaryOf(fn *ssa.Function, c *ssa.CallCommon) *summary {
	if c.IsInvoke() || len(c.Args) != len(fn.Params) {
		return w.p.summary(fn)
	}
	given, known := make([]byte, len(c.Args)), false
	for i, a := range c.Args {
		given[i] = '?'
		if v, ok := w.truth(a); ok && w.p.matters(fn.Params[i]) {
			given[i], known = "ft"[boolInt(v)], true
		}
	}
	if !known {
		return w.p.summary(fn)
	}
	return w.p.summaryFor(variant{fn, string(given)})
}

// matters reports whether a branch or a call may depend on a parameter.
func (p *summarizer) matters(q *ssa.Parameter) bool {
	return slices.ContainsFunc(*q.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.If, ssa.CallInstruction:
			return true
		case *ssa.UnOp:
			return r.Op == token.NOT
		}
		return false
	})
}

// truth is the value of a bool, if it is known in this variant of the function.
func (w *walker) truth(v ssa.Value) (val, known bool) {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.Bool {
			return constant.BoolVal(v.Value), true
		}
	case *ssa.UnOp:
		if v.Op == token.NOT {
			val, known = w.truth(v.X)
			return !val, known
		}
	case *ssa.Parameter:
		if i := parameter(v) - 1; i >= 0 && i < len(w.given) && w.given[i] != '?' {
			return w.given[i] == 't', true
		}
	}
	return false, false
}

// takes reports whether the function may go on from a block with its i-th
// successor. A lock that is taken or not, by a setting that the function looks
// at again to give it back, is taken: without it, one goroutine is all there is.
func (w *walker) takes(b *ssa.BasicBlock, i int) bool {
	cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return true
	}
	if v, known := w.truth(cond.Cond); known {
		return v == (i == 0)
	}
	return !setting(cond.Cond) || !w.onlyLocks(b.Succs[1-i], b.Succs[i])
}

// setting reports whether a condition is a bool parameter or field, or whether
// a field is nil.
func setting(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Parameter:
		return true
	case *ssa.UnOp:
		if v.Op == token.NOT {
			return setting(v.X)
		}
		_, field := v.X.(*ssa.FieldAddr)
		return v.Op == token.MUL && field
	case *ssa.BinOp:
		return isNil(v.X) && setting(v.Y) || isNil(v.Y) && setting(v.X)
	}
	return false
}

// onlyLocks reports whether a block does nothing but take a lock or give it
// back, and goes on with another one.
func (w *walker) onlyLocks(b, next *ssa.BasicBlock) bool {
	if len(b.Preds) != 1 || len(b.Succs) != 1 || b.Succs[0] != next {
		return false
	}
	locks := false
	for _, in := range b.Instrs {
		switch in := in.(type) {
		case ssa.CallInstruction:
			switch syncOp(called(in.Common())) {
			case opLock, opRLock, opUnlock:
				locks = true
			default:
				return false
			}
		case *ssa.Store, *ssa.MapUpdate, *ssa.Send:
			return false
		}
	}
	return locks
}
