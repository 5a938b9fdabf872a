package synth

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/run/sim"
)

// execution is one run of the program.
type execution struct {
	p        *Program
	globals  map[*ssa.Global]ptr
	cells    map[cellKey]*sim.Cell
	syncs    map[cellKey]any
	sent     []value // what was sent over channels, by the number that the simulator carries
	steps    int
	branches []branch
	calls    map[lineKey]int            // opaque calls, by line
	failed   string                     // why the run has no verdict
	tests    map[*allocation]*testState // by their testing.T
}

// branch is an outcome of a condition.
type branch struct {
	spot  int
	taken bool
}

// goroutine is one goroutine of the run.
type goroutine struct {
	t     *sim.Thread
	made  map[int]int // allocations by place
	quiet int         // > 0: in what comes before main, which nobody else sees
	top   *frame
	depth int
}

// frame is one call.
type frame struct {
	e      *execution
	g      *goroutine
	fn     *ssa.Function
	caller *frame
	env    map[ssa.Value]value
	defers []deferred
	in     ssa.Instruction
	on     *spot // where a deferred call stands; nil in others

	panicking bool
	panicked  any
	result    value
	block     *ssa.BasicBlock
	prev      *ssa.BasicBlock
}

type deferred struct {
	at  ssa.Instruction
	run func()
}

// What unwinds calls.
type (
	goPanic    struct{ v value }
	goexit     struct{}
	unmodelled struct{ why string }
)

const (
	stepLimit  = 400_000 // instructions of a run
	depthLimit = 2_000   // calls
)

// notKnown ends the run: something depends on what is not modelled.
func (f *frame) notKnown(v value) {
	if u, ok := v.(unknown); ok {
		panic(unmodelled{u.why})
	}
	panic(unmodelled{fmt.Sprintf("an operation on %T", v)})
}

func (f *frame) runtimeError(text string) {
	panic(goPanic{iface{t: f.e.p.runtimeErrorType(), v: "runtime error: " + text}})
}

// runtimeErrorType stands for runtime.Error: that of errors.New's results.
func (p *Program) runtimeErrorType() types.Type { return types.Universe.Lookup("error").Type() }

// spot is where the operations of the frame happen: in what has no sources, where
// it was called.
func (f *frame) spot() *spot {
	for ; f != nil; f = f.caller {
		if f.in != nil {
			if s := f.e.p.spotOf(f.in); s.line > 0 {
				return s
			}
		}
	}
	return &spot{}
}

// at tells the simulator the place.
func (f *frame) at() {
	s := f.spot()
	f.g.t.Place(s.fn, s.file, s.line, s.number)
}

func (f *frame) get(v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Const:
		return constOf(v)
	case *ssa.Global:
		return f.e.global(v)
	case *ssa.Function:
		return &closure{fn: v}
	case *ssa.Builtin:
		return v
	}
	x, ok := f.env[v]
	if !ok {
		return unknown{"a value that was not computed"}
	}
	return x
}

// call executes a function with a body.
func (f *frame) call(fn *ssa.Function, args, env []value, on *spot) value {
	c := &frame{e: f.e, g: f.g, fn: fn, caller: f, env: make(map[ssa.Value]value, 16), on: on, block: fn.Blocks[0]}
	if c.g.depth++; c.g.depth > depthLimit {
		panic(unmodelled{"calls that are too deep"})
	}
	c.g.top = c
	defer func() { c.g.depth-- }()
	for i, p := range fn.Params {
		c.env[p] = args[i]
	}
	for i, v := range fn.FreeVars {
		c.env[v] = env[i]
	}
	for c.block != nil {
		c.run()
	}
	c.g.top = f
	return c.result
}

// run executes blocks until the function returns, or recovers from a panic, after
// which its recovery block goes on.
func (f *frame) run() {
	defer func() {
		if f.block == nil {
			return
		}
		r := recover()
		switch r.(type) {
		case goPanic, goexit:
		default:
			panic(r)
		}
		f.panicking, f.panicked = true, r
		f.runDefers()
		f.prev, f.block = f.block, f.fn.Recover
		if f.block == nil {
			f.result = zero(f.fn.Signature.Results())
			if f.fn.Signature.Results().Len() == 1 {
				f.result = zero(f.fn.Signature.Results().At(0).Type())
			}
		}
	}()
	for {
		f.phis()
		for _, in := range f.block.Instrs {
			if f.e.steps++; f.e.steps > stepLimit {
				panic(unmodelled{"a run that is too long"})
			}
			f.in = in
			switch next := f.step(in); next {
			case goOn:
				continue
			case returned:
				f.block = nil
				return
			default:
				f.prev, f.block = f.block, f.block.Succs[next]
			}
			break
		}
	}
}

func (f *frame) phis() {
	var vs []value
	n := 0
	for _, in := range f.block.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		for i, p := range f.block.Preds {
			if p == f.prev {
				vs = append(vs, f.get(phi.Edges[i]))
				break
			}
		}
		n++
	}
	for i, in := range f.block.Instrs[:n] {
		f.env[in.(*ssa.Phi)] = vs[i]
	}
}

// runDefers runs the deferred calls, the last one first, and goes on with a panic
// that none of them recovered from.
func (f *frame) runDefers() {
	for len(f.defers) > 0 {
		d := f.defers[len(f.defers)-1]
		f.defers = f.defers[:len(f.defers)-1]
		f.runDefer(d)
	}
	if f.panicking {
		panic(f.panicked)
	}
}

func (f *frame) runDefer(d deferred) {
	ok := false
	defer func() {
		if ok {
			return
		}
		r := recover()
		switch r.(type) {
		case goPanic, goexit:
			f.panicking, f.panicked = true, r
		default:
			panic(r)
		}
	}()
	f.in = d.at
	d.run()
	ok = true
}

// recovered is what recover returns in a function that a panicking one deferred.
func (f *frame) recovered() value {
	c := f.caller
	if c == nil || !c.panicking || f.on == nil {
		return iface{}
	}
	p, ok := c.panicked.(goPanic)
	if !ok {
		return iface{}
	}
	c.panicking, c.panicked = false, nil
	return p.v
}
