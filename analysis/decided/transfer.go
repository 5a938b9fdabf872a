package decided

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// function applies what each instruction does to values and regions.
func (a *analysis) function(fn *ssa.Function) {
	init := fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#")
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			a.instruction(fn, in, init)
		}
	}
}

func (a *analysis) instruction(fn *ssa.Function, in ssa.Instruction, init bool) {
	if _, ok := in.(*ssa.DebugRef); ok {
		return
	}
	a.takesFunctions(in)
	switch in := in.(type) {
	case *ssa.UnOp:
		a.unop(in)
	case *ssa.Store:
		a.store(in.Addr, in.Val, init)
	case *ssa.MapUpdate:
		a.store(in.Map, in.Key, init)
		a.store(in.Map, in.Value, init)
	case *ssa.Lookup:
		a.flow(in, in.X, in.Index)
		a.load(in, in.X)
	case *ssa.Range:
		a.flow(in, in.X)
	case *ssa.Next:
		// The order of a map is drawn.
		a.setOpen(in, !in.IsString)
		a.flow(in, in.Iter)
	case *ssa.Send:
		a.share(in.Chan)
		a.note(join(a.region(in.Chan), a.region(in.X)))
	case *ssa.Select:
		a.selects(in)
	case *ssa.MakeClosure:
		a.closure(in)
	case *ssa.Go:
		a.goes(&in.Call)
	case *ssa.Defer:
		a.call(nil, &in.Call)
	case *ssa.Call:
		a.call(in, &in.Call)
	case *ssa.Return:
		a.returns(fn, in.Results)
	case *ssa.TypeAssert, *ssa.Phi, *ssa.BinOp, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field, *ssa.Index, *ssa.Slice, *ssa.ChangeType,
		*ssa.Convert, *ssa.MultiConvert, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.SliceToArrayPointer, *ssa.Extract,
		*ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		v := in.(ssa.Value)
		var ops [8]*ssa.Value
		for _, op := range in.Operands(ops[:0]) {
			if *op != nil {
				a.flow(v, *op)
			}
		}
	}
}

// flow: what the operands are, and reach, the value is and reaches.
func (a *analysis) flow(v ssa.Value, from ...ssa.Value) {
	for _, x := range from {
		a.setOpen(v, a.isOpen(x))
		if a.reaches(v.Type()) {
			a.note(join(a.region(v), a.region(x)))
		}
	}
}

// load: the value was read through an address, or out of a map.
func (a *analysis) load(v, addr ssa.Value) {
	if r := a.region(addr); r != nil {
		a.setOpen(v, r.isOpen())
		if a.reaches(v.Type()) {
			a.note(join(r, a.region(v)))
		}
	}
}

func (a *analysis) store(addr, val ssa.Value, init bool) {
	r := a.region(addr)
	if r == nil {
		return
	}
	a.note(join(r, a.region(val)))
	r = r.root()
	if !init {
		a.note(set(&r.later))
	}
	if a.isOpen(val) {
		a.note(set(&r.open))
	}
}

func (a *analysis) unop(in *ssa.UnOp) {
	switch in.Op {
	case token.ARROW:
		a.share(in.X)
		a.setOpen(in, true)
		a.note(join(a.region(in.X), a.region(in)))
	case token.MUL:
		if val := a.frozen[in.X]; val != nil {
			a.flow(in, val)
			return
		}
		a.setOpen(in, a.isOpen(in.X))
		a.load(in, in.X)
	default:
		a.flow(in, in.X)
	}
}

func (a *analysis) selects(in *ssa.Select) {
	a.setOpen(in, true)
	for _, s := range in.States {
		a.share(s.Chan)
		a.note(join(a.region(in), a.region(s.Chan)))
		if s.Send != nil {
			a.note(join(a.region(s.Chan), a.region(s.Send)))
		}
	}
}

// closure: the literal's free variables are what is bound to them. Who has the
// closure reaches them, but for variables that are as good as their values.
func (a *analysis) closure(in *ssa.MakeClosure) {
	fn, _ := in.Fn.(*ssa.Function)
	for i, b := range in.Bindings {
		x := b
		if val := a.frozen[b]; val != nil {
			x = val
		}
		a.note(join(a.region(in), a.region(x)))
		if fn != nil && i < len(fn.FreeVars) && a.frozen[b] == nil {
			a.setOpen(fn.FreeVars[i], a.isOpen(b))
			a.note(join(a.region(fn.FreeVars[i]), a.region(b)))
		}
	}
}

func (a *analysis) returns(fn *ssa.Function, vals []ssa.Value) {
	res := a.result(fn)
	for _, v := range vals {
		if a.isOpen(v) {
			a.note(set(&res.open))
		}
		a.note(join(res.region, a.region(v)))
	}
}

func (a *analysis) result(fn *ssa.Function) *result {
	res := a.results[fn]
	if res == nil {
		res = &result{region: &region{}}
		a.results[fn] = res
	}
	return res
}

// takesFunctions finds functions that are used as values: who calls them is not
// known.
func (a *analysis) takesFunctions(in ssa.Instruction) {
	var called ssa.Value
	if c, ok := in.(ssa.CallInstruction); ok && !c.Common().IsInvoke() {
		called = c.Common().Value
	}
	var ops [8]*ssa.Value
	for _, op := range in.Operands(ops[:0]) {
		if fn, ok := (*op).(*ssa.Function); ok && fn != called {
			if c, ok := in.(*ssa.MakeClosure); ok && onlyCalled(c) {
				continue
			}
			a.take(fn)
		}
	}
}

// onlyCalled reports whether a closure is called where it is made, or by a go or
// defer statement, and nothing else.
func onlyCalled(c *ssa.MakeClosure) bool {
	for _, r := range *c.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case ssa.CallInstruction:
			if r.Common().Value != c {
				return false
			}
			for _, arg := range r.Common().Args {
				if arg == c {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}
