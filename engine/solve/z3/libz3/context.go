package libz3

import (
	"fmt"
	"unsafe"
)

// Context is where terms and solvers live.
type Context struct {
	c     uintptr
	terms []Term // referenced
	err   error
	bools Sort
	ints  Sort
}

// Term is a term of one Context; 0 is none.
type Term uintptr

// Sort of a term.
type Sort uintptr

// NewContext loads the library if need be.
func NewContext() (*Context, error) {
	if _, err := Load(); err != nil {
		return nil, err
	}
	cfg := mkConfig.call()
	defer delConfig.call(cfg)
	c := &Context{c: mkContext.call(cfg)}
	if c.c == 0 {
		return nil, fmt.Errorf("libz3: no context could be made")
	}
	setHandler.call(c.c, 0)
	c.bools = Sort(c.keep(boolSort.call(c.c)))
	c.ints = Sort(c.keep(intSort.call(c.c)))
	return c, c.err
}

// Close frees the context and all its terms. Solvers are closed before.
func (c *Context) Close() {
	if c.c == 0 {
		return
	}
	c.Release(0)
	delContext.call(c.c)
	c.c = 0
}

// Err is the first error of a call: a term that is not well-sorted, say. What
// was made since is void.
func (c *Context) Err() error { return c.err }

// note looks whether the last call failed.
func (c *Context) note() bool {
	code := uint32(errorCode.call(c.c))
	if code == 0 {
		return true
	}
	if c.err == nil {
		c.err = fmt.Errorf("libz3: %s", goString(errorText.call(c.c, uintptr(code))))
	}
	return false
}

// keep takes a reference, so that Z3 does not free the term before Release. A
// call that failed made no term.
func (c *Context) keep(t uintptr) Term {
	if t == 0 {
		c.note()
		return 0
	}
	incRef.call(c.c, t)
	c.terms = append(c.terms, Term(t))
	return Term(t)
}

// Mark is the present number of terms, to which Release goes back.
func (c *Context) Mark() int { return len(c.terms) }

// Release gives up the terms made since the mark.
func (c *Context) Release(mark int) {
	for _, t := range c.terms[mark:] {
		decRef.call(c.c, uintptr(t))
	}
	c.terms = c.terms[:mark]
}

// String is a term in SMT-LIB's form.
func (c *Context) String(t Term) string { return goString(astToString.call(c.c, uintptr(t))) }

// Bools is the sort of booleans.
func (c *Context) Bools() Sort { return c.bools }

// Ints is the sort of integers.
func (c *Context) Ints() Sort { return c.ints }

// Bits is the sort of bit-vectors of a width of at least 1.
func (c *Context) Bits(width int) Sort {
	return Sort(c.keep(bvSort.call(c.c, uintptr(uint32(width)))))
}

// Const is the unknown of a name and sort; equal names of one sort are the
// same unknown.
func (c *Context) Const(name string, s Sort) Term {
	sym := stringSymbol.call(c.c, uintptr(unsafe.Pointer(cString(name))))
	return c.keep(mkConst.call(c.c, sym, uintptr(s)))
}

// Int is an integer.
func (c *Context) Int(n int64) Term {
	return c.keep(mkInt64.call(c.c, uintptr(n), uintptr(c.ints)))
}

// BitsOf is a bit-vector of at most 64 bits; bits above the width are cut off.
func (c *Context) BitsOf(n uint64, width int) Term {
	if width < 64 {
		n &= 1<<width - 1
	}
	return c.keep(mkUint64.call(c.c, uintptr(n), uintptr(c.Bits(width))))
}
