package analysis

import "golang.org/x/tools/go/ssa"

// cut is where limits were reached, by functions and entries.
type cut struct {
	full, deep map[*ssa.Function]bool
	entries    int
}

// fullAt notes that a function does more than is kept.
func (c *cut) fullAt(fn *ssa.Function) {
	if c.full == nil {
		c.full = map[*ssa.Function]bool{}
	}
	c.full[fn] = true
}

// deepAt notes that what a function calls goes deeper than is followed.
func (c *cut) deepAt(fn *ssa.Function) {
	if c.deep == nil {
		c.deep = map[*ssa.Function]bool{}
	}
	c.deep[fn] = true
}

func (c *cut) report() *Cut {
	if len(c.full)+len(c.deep)+c.entries == 0 {
		return nil
	}
	return &Cut{Functions: len(c.full), Entries: c.entries, Deep: len(c.deep)}
}
