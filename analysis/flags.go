package analysis

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/analysis/program"
)

// flags are the readings of bool and integer fields, in the operation's lock region, on which
// it depends.
func (f *finder) flags(e *event) []*event {
	var out []*event
	for _, r := range f.read {
		if r == e || !region(r, e) {
			continue
		}
		if rr, re, ok := f.follows(r, e); ok && f.p.depends(rr, re) == byBranch {
			out = append(out, r)
		}
	}
	return out
}

// flag notes an access of what may be a flag.
func (f *finder) flag(e *event) {
	if e.own || e.path.typ == nil || !isState(e.path.typ) {
		return
	}
	constant := e.value == trueValue || e.value == nilValue
	switch {
	case !e.op.writes():
		if len(e.locks) > 0 {
			f.read = append(f.read, e)
		}
	case e.op == opSwap, e.op != opSwap && constant && len(e.locks) > 0:
		f.set = append(f.set, e)
	}
}

func isState(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync/atomic" {
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsBoolean|types.IsInteger) != 0
}

// owned reports whether a flag decides which of two operations may be done: it is
// tested and set under a lock before a goroutine, or call, that does the one, and
// looked at under the lock before the other.
func (f *finder) owned(x, y *event) bool {
	if f.shut(x, y) || f.shut(y, x) || f.onceSet(x, y) {
		return true
	}
	a, b := f.setsFlag(x), f.setsFlag(y)
	for _, w := range a {
		if slices.ContainsFunc(b, func(o *event) bool { return o.path.key == w.path.key }) || f.looksAt(y, w) {
			return true
		}
	}
	return slices.ContainsFunc(b, func(w *event) bool { return f.looksAt(x, w) })
}

// looksAt reports whether an operation is done only if the flag has another
// value than the one written.
func (f *finder) looksAt(e, w *event) bool {
	return slices.ContainsFunc(f.flags(e), func(r *event) bool { return r.path.key == w.path.key && f.excludes(w, r, e) })
}

// excludes reports whether what is written to a flag may keep an operation
// from being done that depends on a reading of it.
func (f *finder) excludes(w, r, e *event) bool {
	rr, re, ok := f.follows(r, e)
	if !ok {
		return true
	}
	v, isValue := valueOf(rr)
	if !isValue || w.value != trueValue && w.value != nilValue {
		return true
	}
	for _, branch := range f.p.branchesOn(v) {
		for i := range 2 {
			if program.OnlyIfTaken(branch, i, re.instr) {
				switch not, isNot := branch.Cond.(*ssa.UnOp); {
				case branch.Cond == v:
					return (i == 0) != (w.value == trueValue)
				case isNot && not.Op == token.NOT && not.X == v:
					return (i == 1) != (w.value == trueValue)
				}
			}
		}
	}
	return true // not a plain test of a bool
}

// shut reports whether y comes after a flag is set, and x is done only if it
// is not, under the lock with which it is set.
func (f *finder) shut(x, y *event) bool {
	for _, r := range f.flags(x) {
		for _, w := range f.set {
			if w.path.key != r.path.key || f.common(r, w) == nil || !f.excludes(w, r, x) {
				continue
			}
			if f.leadsTo(w, y) {
				return true
			}
		}
	}
	return false
}

// startsAnswer reports whether x waits only if a flag is set, and it is set in
// the region that the lock operation y begins.
func (f *finder) startsAnswer(x, y *event) bool {
	return slices.ContainsFunc(f.set, func(w *event) bool {
		return slices.ContainsFunc(w.locks, func(h held) bool { return h.at == y.chain }) &&
			slices.ContainsFunc(f.flags(x), func(r *event) bool { return r.path.key == w.path.key })
	})
}

// leadsTo reports whether y, or what leads to it, comes after w in a function.
func (f *finder) leadsTo(w, y *event) bool {
	_, rw, ry := part(w.chain, y.chain)
	if rw != nil && ry != nil && !rw.spawns() && f.p.Before(rw.instr, ry.instr) {
		return true
	}
	last := w.chain.last().instr // by another way to the same place
	for c := y.chain; c != nil; c = c.next {
		if c.instr.Parent() == last.Parent() && c.mode != deferred && f.p.Before(last, c.instr) {
			return true
		}
	}
	return false
}

// onceSet reports whether x is done once, when a flag is set, and y after that
// flag was looked at under the lock.
func (f *finder) onceSet(x, y *event) bool {
	for _, r := range f.flags(x) {
		for _, w := range f.set {
			if x.value == nilValue || w.path.key != r.path.key || !region(w, x) {
				continue
			}
			for _, q := range f.read {
				_, rq, ry := part(q.chain, y.chain)
				if q.path.key == r.path.key && rq != nil && ry != nil && !rq.spawns() && f.common(q, x) != nil && f.p.Before(rq.instr, ry.instr) {
					return true
				}
			}
		}
	}
	return false
}

// setsFlag are the writes of flags that are tested and set, in one step, before
// what leads to the operation.
func (f *finder) setsFlag(e *event) []*event {
	var out []*event
	for _, w := range f.set {
		_, rw, re := part(w.chain, e.chain)
		if rw == nil || re == nil || w.op == opSwap && rw.next != nil || rw.instr.Parent() != re.instr.Parent() || !f.p.Before(rw.instr, re.instr) {
			continue
		}
		if f.testAndSet(w, rw, re) {
			out = append(out, w)
		}
	}
	return out
}

// testAndSet reports whether the write is done only if the flag was not yet set.
func (f *finder) testAndSet(w *event, set, then *chain) bool {
	if w.op == opSwap {
		return f.p.depends(set, then) == byBranch && (w.value == derived || f.p.comparesEqual(w.chain.last().instr))
	}
	return slices.ContainsFunc(f.flags(w), func(r *event) bool { return r.path.key == w.path.key })
}

// comparesEqual reports whether the result of an atomic operation is compared with
// a constant, so that one goroutine only goes on: if n.Add(1) == 1.
func (p *summarizer) comparesEqual(in ssa.Instruction) bool {
	v, ok := in.(ssa.Value)
	return ok && slices.ContainsFunc(p.branchesOn(v), func(branch *ssa.If) bool {
		cmp, ok := branch.Cond.(*ssa.BinOp)
		if !ok {
			return false
		}
		_, constant := cmp.Y.(*ssa.Const)
		return constant && cmp.X == v && (cmp.Op == token.EQL || cmp.Op == token.NEQ)
	})
}
