package libz3

import (
	"context"
	"time"
	"unsafe"
)

// Solver holds assertions.
type Solver struct {
	c *Context
	s uintptr
}

// Params of a solver. The zero value is Z3's own choice.
type Params struct {
	Timeout time.Duration // of each check; 0: none
	Seed    uint32        // of random choices
	// Arith is Z3's arith.solver: 1 and 3 know differences of two integers
	// only, 2 is the old simplex, 6 the new; 0 leaves the choice to Z3.
	Arith uint32
}

// NewSolver makes the incremental SMT core, without preprocessing by tactics.
func (c *Context) NewSolver(p Params) (*Solver, error) {
	s := &Solver{c: c, s: mkSolver.call(c.c)}
	if !c.note() {
		return nil, c.err
	}
	solverInc.call(c.c, s.s)
	params := mkParams.call(c.c)
	paramsInc.call(c.c, params)
	defer paramsDec.call(c.c, params)
	set := func(name string, v uint32) {
		sym := stringSymbol.call(c.c, uintptr(unsafe.Pointer(cString(name))))
		paramsUint.call(c.c, params, sym, uintptr(v))
	}
	if p.Timeout > 0 {
		set("timeout", uint32(max(1, p.Timeout.Milliseconds())))
	}
	set("random_seed", p.Seed)
	if p.Arith != 0 {
		set("arith.solver", p.Arith)
	}
	solverParams.call(c.c, s.s, params)
	if !c.note() {
		s.Close()
		return nil, c.err
	}
	return s, nil
}

// Close frees the solver; its context is still open.
func (s *Solver) Close() {
	if s.s != 0 {
		solverDec.call(s.c.c, s.s)
		s.s = 0
	}
}

// Push opens a scope, Pop forgets what was asserted since.
func (s *Solver) Push() { solverPush.call(s.c.c, s.s); s.c.note() }
func (s *Solver) Pop()  { solverPop.call(s.c.c, s.s, 1); s.c.note() }

// Assert demands booleans.
func (s *Solver) Assert(ts ...Term) {
	for _, t := range ts {
		solverAssert.call(s.c.c, s.s, uintptr(t))
		if !s.c.note() {
			return
		}
	}
}

// String is what is asserted, as SMT-LIB.
func (s *Solver) String() string { return goString(solverString.call(s.c.c, s.s)) }

// Answer of a check.
type Answer int

const (
	Unsat   Answer = -1
	Unknown Answer = 0
	Sat     Answer = 1
)

// again is how often an interrupt is repeated: one that comes before Z3 has
// begun to check is lost.
const again = 2 * time.Millisecond

// Check asks whether the assertions and assumptions, which are booleans without
// structure, can hold. Once ctx ends it returns Unknown within a few
// milliseconds; the solver should then be given up with its Context, as Z3
// doesn't promise that the interrupt ends with the check.
func (s *Solver) Check(ctx context.Context, assumptions ...Term) (Answer, error) {
	if s.c.err != nil || ctx.Err() != nil {
		return Unknown, s.c.err
	}
	stop := s.interruptAtEnd(ctx)
	r := solverCheck.call(s.c.c, s.s, uintptr(uint32(len(assumptions))), uintptr(unsafe.Pointer(unsafe.SliceData(assumptions))))
	stop()
	if ctx.Err() == nil && !s.c.note() {
		return Unknown, s.c.err
	}
	return Answer(int32(r)), nil
}

// interruptAtEnd interrupts what runs in the context when ctx ends, until stop is
// called, which returns when no interrupt can come any more.
func (s *Solver) interruptAtEnd(ctx context.Context) (stop func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		t := time.NewTicker(again)
		defer t.Stop()
		for {
			interrupt.call(s.c.c)
			select {
			case <-done:
				return
			case <-t.C:
			}
		}
	}()
	return func() { close(done); <-ended }
}

// Reason says why the last check was Unknown: "timeout", "canceled", ...
func (s *Solver) Reason() string { return goString(solverReason.call(s.c.c, s.s)) }

// Core is the assumptions that the last Unsat needs, not always all of them.
// Terms are equal to those given.
func (s *Solver) Core() []Term {
	v := solverCore.call(s.c.c, s.s)
	if !s.c.note() {
		return nil
	}
	vectorInc.call(s.c.c, v)
	defer vectorDec.call(s.c.c, v)
	core := make([]Term, uint32(vectorSize.call(s.c.c, v)))
	for i := range core {
		core[i] = Term(vectorGet.call(s.c.c, v, uintptr(i)))
	}
	return core
}

// Stats are Z3's counts of the last check, such as "conflicts" and "decisions".
func (s *Solver) Stats() map[string]uint32 {
	st := solverStats.call(s.c.c, s.s)
	if !s.c.note() {
		return nil
	}
	statsInc.call(s.c.c, st)
	defer statsDec.call(s.c.c, st)
	m := map[string]uint32{}
	for i := range uintptr(uint32(statsSize.call(s.c.c, st))) {
		if boolean(statsIsUint.call(s.c.c, st, i)) {
			m[goString(statsKey.call(s.c.c, st, i))] = uint32(statsUint.call(s.c.c, st, i))
		}
	}
	return m
}
