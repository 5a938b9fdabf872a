package analysis

import (
	"fmt"

	"golang.org/x/tools/go/ssa"
)

func valueOf(c *chain) (ssa.Value, bool) {
	v, ok := c.instr.(ssa.Value)
	return v, ok && c.mode == plain
}

// publications: one goroutine writes a and later, in another lock region, b;
// another one looks at a, and then at b as if both were done at once.
func (f *finder) publications() {
	var reads, writes []*event
	for _, name := range f.names {
		for _, e := range f.buckets[name] {
			switch {
			case !protected(e):
			case e.op.writes():
				writes = append(writes, e)
			default:
				reads = append(reads, e)
			}
		}
	}
	const most = 120
	reads, writes = reads[:min(most, len(reads))], writes[:min(most, len(writes))]
	for _, ra := range reads {
		for _, rb := range reads {
			la, lb, ok := f.follows(ra, rb)
			if ra == rb || region(ra, rb) || !ok || mayAlias(ra.path, rb.path) > never || f.p.depends(la, lb) != byBranch {
				continue
			}
			f.published(ra, rb, writes)
		}
	}
}

func (f *finder) published(ra, rb *event, writes []*event) {
	for _, wa := range writes {
		if wa.value == nilValue || wa.op == opSwap || mayAlias(wa.path, ra.path) == never || !f.en.parallel(wa, ra) {
			continue
		}
		for _, wb := range writes {
			if wa == wb || wb.op == opSwap || region(wa, wb) || mayAlias(wb.path, rb.path) == never || wb.value == nilValue || wa.value >= grownValue || wb.value >= grownValue || f.sealed(ra, rb, wb) {
				continue
			}
			la, lb, ok := f.follows(wa, wb)
			if !ok || f.p.linkFollows(lb, la) || !f.en.parallel(wb, rb) {
				continue
			}
			f.add(&candidate{kind: Order, x: wb, y: rb, ready: wa, what: wb.path.words(), group: wb.path.bucket() + "order", score: 0.68,
				why: fmt.Sprintf("%s says that it is ready (line %d) before it is written", wa.path.words(), f.p.line(wa))})
		}
	}
}

func (p *summarizer) line(e *event) int { return p.Fset.Position(p.pos(e.chain.last().instr)).Line }
