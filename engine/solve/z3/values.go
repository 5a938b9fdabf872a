package z3

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/z3/libz3"
)

// value is a constraint.Value: bits, 64 of them, or the number of an identity,
// whose bits are 0. No fresh term: surely known.
type value struct{ fresh, bits term }

// idWidth is the bits of identities.
const idWidth = 24

// identity is the term of an identity; 0 is that of known values.
func (n *encoder) identity(v value) term {
	if v.fresh == 0 {
		return n.BitsOf(0, idWidth)
	}
	return v.fresh
}

// newIdentity is a number that no other value has.
func (n *encoder) newIdentity(v constraint.Value) term {
	id, ok := n.fresh[v]
	if !ok {
		id = uint64(len(n.fresh) + 1)
		n.fresh[v] = id
		if id >= 1<<idWidth && n.err == nil {
			n.err = errTooLarge
		}
	}
	return n.BitsOf(id, idWidth)
}

func (n *encoder) constant(v constraint.Value) value {
	if v.Fresh != 0 {
		return value{n.newIdentity(v), n.zero.bits}
	}
	return value{bits: n.BitsOf(v.Bits, 64)}
}

// unknown is a value that is yet to be constrained.
func (n *encoder) unknown(r eventID) value {
	v := value{bits: n.Const(fmt.Sprintf("v%d", r), n.Bits(64))}
	if ev := &n.sys.Events[r]; n.mayFresh[ev.Obj] && !(ev.Op == constraint.Recv && ev.Outcome == constraint.Closed) {
		v.fresh = n.Const(fmt.Sprintf("id%d", r), n.Bits(idWidth))
	}
	return v
}

func (n *encoder) equal(a, b value) term {
	t := n.Eq(a.bits, b.bits)
	if a.fresh == 0 && b.fresh == 0 {
		return t
	}
	return n.and(t, n.Eq(n.identity(a), n.identity(b)))
}

// isFresh is: only the identity of v is known.
func (n *encoder) isFresh(v value) term {
	if v.fresh == 0 {
		return n.no
	}
	return n.not(n.Eq(v.fresh, n.BitsOf(0, idWidth)))
}

// truth is: the term is not 0, which fresh values are not.
func (n *encoder) truth(t *constraint.Term) term {
	switch t.Op {
	case constraint.TNot:
		return n.not(n.truth(t.Args[0]))
	case constraint.TAllOf, constraint.TAnyOf:
		var args []term
		for _, a := range t.Args {
			args = append(args, n.truth(a))
		}
		if t.Op == constraint.TAllOf {
			return n.and(args...)
		}
		return n.or(args...)
	case constraint.TEq, constraint.TNe:
		a, b := n.wrap(n.eval(t.Args[0]), t.Width), n.wrap(n.eval(t.Args[1]), t.Width)
		return n.is(n.equal(a, b), t.Op == constraint.TEq)
	}
	v := n.eval(t)
	return n.or(n.isFresh(v), n.not(n.Eq(v.bits, n.zero.bits)))
}

// eval is the value of a term. What is computed of a fresh value is fresh: a
// value that equal computations make again.
func (n *encoder) eval(t *constraint.Term) value {
	switch t.Op {
	case constraint.Const:
		return n.wrap(n.constant(t.Value), t.Width)
	case constraint.Sym:
		return n.wrap(n.sym(t.Event), t.Width)
	case constraint.TNot, constraint.TAllOf, constraint.TAnyOf, constraint.TEq, constraint.TNe:
		return n.number(n.truth(t))
	case constraint.TIte:
		return n.choose(n.truth(t.Args[0]), n.eval(t.Args[1]), n.eval(t.Args[2]))
	}
	v := n.eval(t.Args[0])
	for _, a := range t.Args[1:] {
		v = n.apply(t.Op, t.Width, v, n.eval(a))
	}
	return v
}

func (n *encoder) number(t term) value {
	return value{bits: n.Ite(t, n.BitsOf(1, 64), n.zero.bits)}
}

func (n *encoder) choose(cond term, a, b value) value {
	v := value{bits: n.Ite(cond, a.bits, b.bits)}
	if a.fresh != 0 || b.fresh != 0 {
		v.fresh = n.Ite(cond, n.identity(a), n.identity(b))
	}
	return v
}

// wrap cuts known bits; identities have none.
func (n *encoder) wrap(v value, width uint8) value {
	if width == 0 || width >= 64 {
		return v
	}
	return value{v.fresh, n.ZeroExtend(n.Low(v.bits, int(width)), 64-int(width))}
}

var arithmetic = map[constraint.TermOp]libz3.BitOp{
	constraint.TAdd: libz3.BitAdd, constraint.TSub: libz3.BitSub, constraint.TMul: libz3.BitMul,
	constraint.TAnd: libz3.BitAnd, constraint.TOr: libz3.BitOr, constraint.TXor: libz3.BitXor,
}

var comparisons = map[constraint.TermOp]libz3.BitOp{
	constraint.TLt: libz3.Slt, constraint.TLe: libz3.Sle, constraint.TULt: libz3.Ult, constraint.TULe: libz3.Ule,
}

// apply is a binary operation; those on equality are eval's.
func (n *encoder) apply(op constraint.TermOp, width uint8, a, b value) value {
	a, b = n.wrap(a, width), n.wrap(b, width)
	narrow := func(t term) term {
		if width == 0 || width >= 64 {
			return t
		}
		return n.Low(t, int(width))
	}
	var known value
	if cmp, ok := comparisons[op]; ok {
		known = n.number(n.Bit(cmp, narrow(a.bits), narrow(b.bits)))
	} else {
		known = n.wrap(value{bits: n.Bit(arithmetic[op], a.bits, b.bits)}, width)
	}
	if a.fresh == 0 && b.fresh == 0 {
		return known
	}
	return n.choose(n.or(n.isFresh(a), n.isFresh(b)), n.derived(op, width, a, b), known)
}

// instance is a computation on values that may be fresh.
type instance struct {
	op    constraint.TermOp
	width uint8
	a, b  value
	id    term
}

// derived is the fresh value of a computation: that of the first one that is
// the same, or its own.
func (n *encoder) derived(op constraint.TermOp, width uint8, a, b value) value {
	// No event makes this value, nor does an initial one have it.
	id := n.newIdentity(constraint.Value{Bits: uint64(len(n.instances)), Fresh: -1 << 31})
	own := instance{op, width, a, b, id}
	for i := len(n.instances) - 1; i >= 0; i-- {
		if x := &n.instances[i]; x.op == op && x.width == width {
			id = n.Ite(n.and(n.equal(a, x.a), n.equal(b, x.b)), x.id, id)
		}
	}
	n.instances = append(n.instances, own)
	return value{id, n.zero.bits}
}

// mayFresh says of each object whether it may come to hold a fresh value.
func mayFresh(sys *constraint.System) []bool {
	fresh := make([]bool, len(sys.Objects)+1)
	for i, o := range sys.Objects {
		fresh[i] = o.Init.Fresh != 0
	}
	for again := true; again; {
		again = false
		for i := range sys.Events {
			ev := &sys.Events[i]
			switch ev.Op {
			case constraint.Write, constraint.RMW, constraint.Send:
				if !fresh[ev.Obj] && (ev.Val == nil || termMayFresh(sys, fresh, ev.Val)) {
					fresh[ev.Obj], again = true, true
				}
			}
		}
	}
	return fresh
}

func termMayFresh(sys *constraint.System, fresh []bool, t *constraint.Term) bool {
	switch t.Op {
	case constraint.Const:
		return t.Value.Fresh != 0
	case constraint.Sym:
		return fresh[sys.Events[t.Event].Obj]
	case constraint.TEq, constraint.TNe, constraint.TNot, constraint.TAllOf, constraint.TAnyOf:
		return false
	}
	for _, a := range t.Args {
		if termMayFresh(sys, fresh, a) {
			return true
		}
	}
	return false
}
