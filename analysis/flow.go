package analysis

import (
	"go/constant"
	"go/token"
	"math/big"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// flow answers questions about the control flow graph of one function.
type flow struct {
	at    map[ssa.Instruction]int // index in its block
	reach []*big.Int              // by block: the blocks that can follow, over one edge or more
}

func (p *program) flow(fn *ssa.Function) *flow {
	if f := p.flows[fn]; f != nil {
		return f
	}
	f := &flow{at: map[ssa.Instruction]int{}, reach: make([]*big.Int, len(fn.Blocks))}
	for i, b := range fn.Blocks {
		f.reach[i] = new(big.Int)
		for j, in := range b.Instrs {
			f.at[in] = j
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(fn.Blocks) - 1; i >= 0; i-- {
			next := new(big.Int).Set(f.reach[i])
			for _, s := range fn.Blocks[i].Succs {
				next.SetBit(next.Or(next, f.reach[s.Index]), s.Index, 1)
			}
			if next.Cmp(f.reach[i]) != 0 {
				f.reach[i], changed = next, true
			}
		}
	}
	p.flows[fn] = f
	return f
}

// canFollow reports whether b may be executed after a, both of one function.
func (p *program) canFollow(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return true
	}
	f := p.flow(a.Parent())
	if a.Block() == b.Block() && f.at[a] < f.at[b] {
		return true
	}
	return f.reach[a.Block().Index].Bit(b.Block().Index) == 1
}

// inLoop reports whether the instruction may be executed again.
func (p *program) inLoop(in ssa.Instruction) bool {
	i := in.Block().Index
	return p.flow(in.Parent()).reach[i].Bit(i) == 1
}

// sameLoop reports whether two instructions are in one loop.
func (p *program) sameLoop(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	f := p.flow(a.Parent())
	i, j := a.Block().Index, b.Block().Index
	return f.reach[i].Bit(j) == 1 && f.reach[j].Bit(i) == 1
}

// before reports whether b is executed only after a. A loop counts as if it
// were executed: what is in it comes before what follows it.
func (p *program) before(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	f := p.flow(a.Parent())
	if a.Block() == b.Block() {
		return f.at[a] < f.at[b]
	}
	from := a.Block()
	for at := from; at != nil; at = at.Idom() {
		if at.Dominates(b.Block()) {
			return at != b.Block() && (at == from || f.reach[b.Block().Index].Bit(from.Index) == 0)
		}
		loops := f.reach[at.Index].Bit(from.Index) == 1 && f.reach[from.Index].Bit(at.Index) == 1
		if !loops {
			return false
		}
	}
	return false
}

// always reports whether the instruction is executed whenever its function
// returns.
func (p *program) always(in ssa.Instruction) bool {
	for _, b := range in.Parent().Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && b != in.Block() && b != b.Parent().Recover && !p.before(in, ret) {
			return false
		}
	}
	return true
}

// inCase reports whether the instruction is executed only if the select of a
// receive took its case.
func inCase(q *event, in ssa.Instruction) bool {
	i := slices.Index(q.sel.States, q.state)
	for _, r := range *q.sel.Referrers() {
		if x, ok := r.(*ssa.Extract); !ok || x.Index != 0 {
			continue
		}
		for _, r := range *r.(*ssa.Extract).Referrers() {
			cmp, ok := r.(*ssa.BinOp)
			if !ok || cmp.Op != token.EQL || !isInt(cmp.Y, i) {
				continue
			}
			for _, r := range *cmp.Referrers() {
				if cond, ok := r.(*ssa.If); ok {
					if taken := cond.Block().Succs[0]; len(taken.Preds) == 1 && taken.Dominates(in.Block()) {
						return true
					}
				}
			}
		}
	}
	return false
}

func isInt(v ssa.Value, i int) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Value.Kind() == constant.Int && c.Int64() == int64(i)
}

// followsWithout reports whether b may be executed after a without the
// instruction not in between.
func (p *program) followsWithout(a, b, not ssa.Instruction) bool {
	f := p.flow(a.Parent())
	work := []*ssa.BasicBlock{a.Block()}
	seen := map[*ssa.BasicBlock]bool{}
	for from := f.at[a] + 1; len(work) > 0; from = 0 {
		at := work[0]
		work = work[1:]
		stop := false
		for _, in := range at.Instrs[from:] {
			if in == not { // also if it is b: it then is in what makes the object anew
				stop = true
				break
			}
			if in == b {
				return true
			}
		}
		for _, s := range at.Succs {
			if !stop && !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return false
}
