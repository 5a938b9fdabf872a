package analysis

import "golang.org/x/tools/go/ssa"

// mode of a link: how the instruction leads to the next link of a chain.
type linkMode uint8

const (
	plain    linkMode = iota // a call, or at the end the operation itself
	deferred                 // runs when the function ends
	spawned                  // starts a goroutine
	ended                    // when the goroutine that the link before it starts has ended
)

// chain is a way from an entry function to an operation: calls, goroutine
// starts, at last the operation itself. Chains are interned: equal ones are the
// same pointer.
type chain struct {
	instr ssa.Instruction
	mode  linkMode
	next  *chain // nil at the operation
	depth int    // links from here on
}

// link is the chain that goes on with next after an instruction.
func (p *summarizer) link(instr ssa.Instruction, mode linkMode, next *chain) *chain {
	c := chain{instr: instr, mode: mode, next: next, depth: 1}
	if next != nil {
		c.depth = next.depth + 1
	}
	known := p.facts(instr.Parent()).links
	if old, ok := known[c]; ok {
		return old
	}
	kept := c
	known[c] = &kept
	return &kept
}

// last is the operation.
func (c *chain) last() *chain {
	for c.next != nil {
		c = c.next
	}
	return c
}

// spawns reports whether a goroutine is started on the way.
func (c *chain) spawns() bool {
	for ; c != nil; c = c.next {
		if c.mode == spawned {
			return true
		}
	}
	return false
}

// part returns what two chains have in common, in number of links, and their
// rests from the first difference on.
func part(a, b *chain) (common int, ra, rb *chain) {
	for a != nil && b != nil && a.instr == b.instr && a.mode == b.mode {
		a, b = a.next, b.next
		common++
	}
	return common, a, b
}
