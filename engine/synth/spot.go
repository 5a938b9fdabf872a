package synth

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// spot is an instruction's place, under a number that tells it from all others.
type spot struct {
	number int
	fn     string
	file   string
	line   int
	in     ssa.Instruction
}

// spotOf is the place of an instruction; those of a function without sources have
// line 0.
func (p *Program) spotOf(in ssa.Instruction) *spot {
	if s := p.spots[in]; s != nil {
		return s
	}
	p.number(in.Parent())
	return p.spots[in]
}

// number gives the instructions of a function their places: their own, that of the
// expression whose value they are, or of what comes next in their block.
func (p *Program) number(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		pos := make([]token.Pos, len(b.Instrs))
		ref := map[ssa.Value]token.Pos{}
		for _, in := range b.Instrs {
			if d, ok := in.(*ssa.DebugRef); ok && !d.IsAddr {
				if _, ok := ref[d.X]; !ok {
					ref[d.X] = d.Expr.Pos()
				}
			}
		}
		next := token.NoPos
		for i := len(b.Instrs) - 1; i >= 0; i-- {
			if pos[i] = position(b.Instrs[i], ref); pos[i].IsValid() {
				next = pos[i]
			} else {
				pos[i] = next
			}
		}
		last := token.NoPos
		for i, in := range b.Instrs {
			if pos[i].IsValid() {
				last = pos[i]
			}
			at := p.fset.Position(last)
			s := &spot{number: len(p.numbered), fn: fn.String(), file: at.Filename, line: at.Line, in: in}
			p.spots[in] = s
			p.numbered = append(p.numbered, s)
		}
	}
}

// condition is the text of what a branch tests; "" if the sources have none.
func condition(in ssa.Instruction) string {
	br, ok := in.(*ssa.If)
	if !ok {
		return ""
	}
	for _, in := range br.Block().Instrs {
		if d, ok := in.(*ssa.DebugRef); ok && d.X == br.Cond && !d.IsAddr {
			return types.ExprString(d.Expr)
		}
	}
	return ""
}

func position(in ssa.Instruction, ref map[ssa.Value]token.Pos) token.Pos {
	if d, ok := in.(*ssa.DebugRef); ok {
		return d.Expr.Pos()
	}
	if pos := in.Pos(); pos.IsValid() {
		return pos
	}
	if v, ok := in.(ssa.Value); ok {
		return ref[v]
	}
	return token.NoPos
}
