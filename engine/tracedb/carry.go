package tracedb

import (
	"maps"
	"slices"
)

// A path of another program says something of this one as far as it went through
// functions that are the same in both: there the same branches lead to the same
// places. From the first function on that differs, or that is not known, it says
// nothing.

// carrier translates tokens from one program to another.
type carrier struct {
	// all: every function is the same, and tokens mean the same as they are.
	all bool
	to  map[uint64]uint64 // by site; sites of changed functions are missing
}

// carry returns how tokens of `from` read in `to`; nil if none does.
func carry(from, to *Program) *carrier {
	if len(from.Functions) == 0 || len(to.Functions) == 0 {
		return nil // not known
	}
	if len(from.Sites) == 0 && len(to.Sites) == 0 {
		// Tokens belong to no function, so that all must be the same.
		if maps.Equal(from.Functions, to.Functions) {
			return &carrier{all: true}
		}
		return nil
	}
	type place struct {
		fn    string
		index int
	}
	there := map[place]uint64{}
	for i, s := range to.Sites {
		there[place{s.Func, s.Index}] = uint64(i)
	}
	c := &carrier{to: map[uint64]uint64{}}
	for i, s := range from.Sites {
		id := from.Functions[s.Func]
		at, ok := there[place{s.Func, s.Index}]
		if ok && id != "" && id == to.Functions[s.Func] {
			c.to[uint64(i)] = at
		}
	}
	if len(c.to) == 0 {
		return nil
	}
	return c
}

// reversed translates back.
func (c *carrier) reversed() *carrier {
	back := &carrier{all: c.all, to: make(map[uint64]uint64, len(c.to))}
	for from, to := range c.to {
		back.to[to] = from
	}
	return back
}

// tokens translates a path up to the first token that means nothing there.
func (c *carrier) tokens(path []uint64) (out []uint64, whole bool) {
	if c.all {
		return path, true
	}
	out = make([]uint64, 0, len(path))
	for _, t := range path {
		site, ok := c.to[t/2]
		if !ok {
			return out, false
		}
		out = append(out, site*2|t%2)
	}
	return out, true
}

// Carried says how much of a thread's path holds for another program: so many
// tokens from its start.
func Carried(from, to *Program, t *Thread) int {
	if from.identity() == to.identity() {
		return len(t.Tokens)
	}
	c := carry(from, to)
	if c == nil || from.Package != to.Package || from.Entry != to.Entry || from.Mode != to.Mode {
		return 0
	}
	path, _ := c.tokens(t.Tokens)
	return len(path)
}

// carried returns the shortest continuations that other programs give, of all of
// these together, each as far as it holds.
func carried(t *trie, tab *table, own uint64, q Query, n int) ([]Path, error) {
	to := q.Program
	if own != 0 && len(to.Functions) == 0 {
		p, err := tab.program(own)
		if err != nil {
			return nil, err
		}
		to = p
	}
	programs, err := tab.allPrograms()
	if err != nil {
		return nil, err
	}
	var out []Path
	for _, number := range slices.Sorted(maps.Keys(programs)) {
		from := programs[number]
		if number == own || from.Package != to.Package || from.Entry != to.Entry || from.Mode != to.Mode {
			continue
		}
		c := carry(from, to)
		if c == nil {
			continue
		}
		prefix, ok := c.reversed().tokens(q.Prefix)
		if !ok {
			continue
		}
		paths, err := t.shortest(tab, number, q.Site, prefix, n)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			p.Tokens, p.Whole = c.tokens(p.Tokens)
			p.From = from
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Path) int { return len(a.Tokens) - len(b.Tokens) })
	return out[:min(n, len(out))], nil
}
