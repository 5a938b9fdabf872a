package program

import (
	"math/big"

	"golang.org/x/tools/go/ssa"
)

// flow answers questions about the control flow graph of one function.
type flow struct {
	at    map[ssa.Instruction]int // index in its block
	reach []*big.Int              // by block: the blocks that can follow, over one edge or more
}

func (p *Program) flow(fn *ssa.Function) *flow {
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

// CanFollow reports whether b may be executed after a, both of one function.
func (p *Program) CanFollow(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return true
	}
	f := p.flow(a.Parent())
	if a.Block() == b.Block() && f.at[a] < f.at[b] {
		return true
	}
	return f.reach[a.Block().Index].Bit(b.Block().Index) == 1
}

// InLoop reports whether the instruction may be executed again.
func (p *Program) InLoop(in ssa.Instruction) bool {
	i := in.Block().Index
	return p.flow(in.Parent()).reach[i].Bit(i) == 1
}

// SameLoop reports whether two instructions are in one loop.
func (p *Program) SameLoop(a, b ssa.Instruction) bool {
	if a.Parent() != b.Parent() {
		return false
	}
	f := p.flow(a.Parent())
	i, j := a.Block().Index, b.Block().Index
	return f.reach[i].Bit(j) == 1 && f.reach[j].Bit(i) == 1
}

// Before reports whether b is executed only after a. A loop counts as if it
// were executed: what is in it comes before what follows it.
func (p *Program) Before(a, b ssa.Instruction) bool {
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

// Always reports whether the instruction is executed whenever its function
// returns.
func (p *Program) Always(in ssa.Instruction) bool {
	for _, b := range in.Parent().Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && b != in.Block() && b != b.Parent().Recover && !p.Before(in, ret) {
			return false
		}
	}
	return true
}

// OnlyIfTaken reports whether the instruction is executed only after the branch
// was taken to its successor: 0 if the condition is true, 1 if it is false. It
// may be so without being known.
func OnlyIfTaken(branch *ssa.If, successor int, in ssa.Instruction) bool {
	s := branch.Block().Succs[successor]
	return len(s.Preds) == 1 && s.Dominates(in.Block())
}

// FollowsWithout reports whether b may be executed after a, both of one
// function, without the third instruction in between.
func (p *Program) FollowsWithout(a, b, without ssa.Instruction) bool {
	f := p.flow(a.Parent())
	work := []*ssa.BasicBlock{a.Block()}
	seen := map[*ssa.BasicBlock]bool{}
	for from := f.at[a] + 1; len(work) > 0; from = 0 {
		at := work[0]
		work = work[1:]
		stop := false
		for _, in := range at.Instrs[from:] {
			if in == without { // even if it is b
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

// ForgetFlow drops what was computed for a function and those inside it.
func (p *Program) ForgetFlow(fn *ssa.Function) {
	delete(p.flows, fn)
	for _, inner := range fn.AnonFuncs {
		p.ForgetFlow(inner)
	}
}
