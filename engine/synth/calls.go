package synth

import (
	"fmt"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/internal/words"
)

// callee is what a call runs.
type callee struct {
	fn      *ssa.Function
	builtin *ssa.Builtin
	does    func(f *frame, args []value) value
	env     []value
	args    []value
}

// prepare evaluates the function and the arguments of a call.
func (f *frame) prepare(c *ssa.CallCommon) callee {
	var k callee
	if c.IsInvoke() {
		x, ok := f.get(c.Value).(iface)
		if !ok && f.g.quiet > 0 {
			k.does = func(*frame, []value) value { return f.opaque(c.Method.FullName(), c.Signature().Results()) }
			return k
		}
		if !ok {
			f.notKnown(f.get(c.Value))
		}
		if x.t == nil {
			f.runtimeError("invalid memory address or nil pointer dereference")
		}
		if k.fn = f.e.p.method(x.t, c.Method); k.fn == nil {
			k.does = func(*frame, []value) value { return f.opaque(c.Method.FullName(), c.Signature().Results()) }
		}
		k.args = append(k.args, copied(x.v))
	} else {
		switch x := f.get(c.Value).(type) {
		case *closure:
			if x == nil {
				f.runtimeError("invalid memory address or nil pointer dereference")
			}
			k.fn, k.env, k.does = x.fn, x.env, x.does
		case *ssa.Builtin:
			k.builtin = x
		default:
			f.notKnown(x)
		}
	}
	for _, a := range c.Args {
		k.args = append(k.args, copied(f.get(a)))
	}
	return k
}

// method is that of a dynamic type; nil if it is unknown.
func (p *Program) method(t types.Type, m *types.Func) *ssa.Function {
	k := methodKey{t, m.Id()}
	if fn, ok := p.methods[k]; ok {
		return fn
	}
	var fn *ssa.Function
	if sel := p.ssa.MethodSets.MethodSet(t).Lookup(m.Pkg(), m.Name()); sel != nil {
		fn = p.ssa.MethodValue(sel)
	}
	p.methods[k] = fn
	return fn
}

func (f *frame) callInstr(in *ssa.Call) value {
	k := f.prepare(&in.Call)
	return f.run1(k, &in.Call, nil)
}

// run1 runs a call; on is where a deferred one stands.
func (f *frame) run1(k callee, c *ssa.CallCommon, on *spot) value {
	if k.builtin != nil {
		return f.builtin(k.builtin.Name(), c, k.args)
	}
	if k.does != nil {
		return k.does(f, k.args)
	}
	name := k.fn.String()
	if o := k.fn.Origin(); o != nil {
		name = o.String()
	}
	if do := known(name); do != nil {
		return do(f, k.fn, k.args)
	}
	if len(k.fn.Blocks) > 0 {
		if k.fn.Synthetic == "package initializer" {
			return f.initialise(k.fn.Pkg)
		}
		return f.call(k.fn, k.args, k.env, on)
	}
	return f.opaque(name, k.fn.Signature.Results())
}

// opaque is a call of what is not executed: its results are not known. The switch
// points in it are counted as runs of the program had them.
func (f *frame) opaque(name string, results *types.Tuple) value {
	f.skip()
	u := unknown{"what " + name + " returns"}
	if results.Len() <= 1 {
		return u
	}
	t := make(tuple, results.Len())
	for i := range t {
		t[i] = u
	}
	return t
}

// skip passes the switch points inside an opaque call.
func (f *frame) skip() {
	if f.g.quiet > 0 {
		return
	}
	s := f.spot()
	f.at()
	f.g.t.Skip(f.e.inside(lineKey{s.file, s.line}))
}

// inside is how many switch points an opaque call at a line passes this time.
func (e *execution) inside(at lineKey) int {
	e.calls[at]++
	return e.p.fit.inside(at, e.calls[at] == 1)
}

func (f *frame) deferCall(in *ssa.Defer) {
	k := f.prepare(&in.Call)
	on := f.spot()
	f.defers = append(f.defers, deferred{in, func() { f.run1(k, &in.Call, on) }})
}

// start is a go statement.
func (f *frame) start(c *ssa.CallCommon) {
	k := f.prepare(c)
	f.at()
	f.spawn(func(g *frame) { g.run1(k, c, nil) })
}

// spawn starts a goroutine.
func (f *frame) spawn(body func(*frame)) {
	if f.g.quiet > 0 {
		panic(unmodelled{"a goroutine that begins before main"})
	}
	e := f.e
	f.g.t.Go(func(t *sim.Thread) { e.goroutine(t, body) })
}

// goroutine runs the body of a goroutine.
func (e *execution) goroutine(t *sim.Thread, body func(*frame)) {
	g := &goroutine{t: t, made: map[int]int{}}
	f := &frame{e: e, g: g, fn: &ssa.Function{Synthetic: "goroutine"}}
	defer func() {
		switch r := recover().(type) {
		case nil, goexit:
		case goPanic:
			t.Panic("%s", shown(r.v))
		case unmodelled:
			e.failed = r.why
			t.Abandon(r.why)
		default:
			if sim.Unwinding(r) {
				panic(r)
			}
			// An operation on a value of a kind that it is not made for: what is not
			// known got further than it should.
			e.failed = fmt.Sprintf("what %s does (%s)", f.g.where(), words.OneLine(fmt.Sprint(r)))
			t.Abandon(e.failed)
		}
	}()
	body(f)
}

func shown(v value) string {
	if x, ok := v.(iface); ok {
		v = x.v
	}
	switch v := v.(type) {
	case string:
		return v
	case unknown:
		return "(" + v.why + ")"
	}
	return "panic"
}

// where is the line that the goroutine has come to.
func (g *goroutine) where() string {
	if g.top == nil {
		return "its start"
	}
	s := g.top.spot()
	return fmt.Sprintf("%s:%d", filepath.Base(s.file), s.line)
}
