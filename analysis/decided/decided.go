package decided

import (
	"context"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/hocket-dev/hocket/analysis/program"
)

// Program says of the expressions of a program whether they are open.
type Program struct {
	a   *analysis
	fns map[ast.Node]*ssa.Function // by syntax: declarations and literals
}

// Analyze looks at a program, which was built with expressions.
func Analyze(ctx context.Context, p *program.Program) (*Program, error) {
	a := &analysis{p: p, open: map[ssa.Value]bool{}, regions: map[ssa.Value]*region{}, globals: map[string]*region{},
		results: map[*ssa.Function]*result{}, taken: map[*ssa.Function]bool{}, types: map[types.Type]bool{}, methods: map[string][]*ssa.Function{}, frozen: map[ssa.Value]ssa.Value{}}
	out := &Program{a: a, fns: map[ast.Node]*ssa.Function{}}
	for fn := range ssautil.AllFunctions(p.SSA) {
		if len(fn.Blocks) == 0 {
			continue
		}
		a.fns = append(a.fns, fn)
		// An instance of a generic function has its syntax too, and not its body.
		if n := fn.Syntax(); n != nil && (fn.Origin() == nil || out.fns[n] == nil) {
			out.fns[n] = fn
		}
	}
	for _, fn := range a.fns {
		a.freeze(fn)
		a.entry(fn)
		if fn.Signature.Recv() != nil {
			a.methods[fn.Name()] = append(a.methods[fn.Name()], fn)
		}
	}
	for a.changed = true; a.changed; {
		a.changed = false
		for _, fn := range a.fns {
			a.function(fn)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	a.findTouching()
	a.findTelling()
	return out, nil
}

// Known reports whether a function, a declaration or a literal, was looked at: of
// others every expression is open.
func (p *Program) Known(fn ast.Node) bool { return p.fns[fn] != nil }

// Open reports whether the value of an expression in a function is open.
func (p *Program) Open(fn ast.Node, e ast.Expr) bool {
	v := p.value(fn, e)
	return v == nil || p.a.isOpen(v)
}

// OpenMemory reports whether the value is open, or what can be read through it.
func (p *Program) OpenMemory(fn ast.Node, e ast.Expr) bool {
	v := p.value(fn, e)
	if v == nil || p.a.isOpen(v) {
		return true
	}
	r := p.a.region(v)
	return r != nil && r.isOpen()
}

func (p *Program) value(fn ast.Node, e ast.Expr) ssa.Value {
	f := p.fns[fn]
	if f == nil {
		return nil
	}
	v, isAddr := f.ValueForExpr(e)
	if isAddr && v != nil {
		// The expression is what lies there.
		r := p.a.region(v)
		if p.a.frozen[v] != nil {
			return p.a.frozen[v]
		}
		if p.a.isOpen(v) || r == nil || r.isOpen() {
			return nil
		}
	}
	return v
}

// analysis is the state of Analyze: only growing sets.
type analysis struct {
	p       *program.Program
	fns     []*ssa.Function
	open    map[ssa.Value]bool
	regions map[ssa.Value]*region
	globals map[string]*region // variants of a package have one
	results map[*ssa.Function]*result
	taken   map[*ssa.Function]bool // functions that unknown code may call
	types   map[types.Type]bool
	methods map[string][]*ssa.Function
	frozen  map[ssa.Value]ssa.Value // address of a variable that is set once -> to what
	changed bool

	touching map[*ssa.Function]bool
	telling  map[*ssa.Function]bool // they touch, or call what is not known
}

// result is what a function returns.
type result struct {
	open   bool
	region *region
}

func (a *analysis) note(changed bool) { a.changed = a.changed || changed }

func (a *analysis) isOpen(v ssa.Value) bool { return a.open[v] }

func (a *analysis) setOpen(v ssa.Value, open bool) {
	if open && !a.open[v] {
		a.open[v] = true
		a.changed = true
	}
}

// region of a value, nil if it reaches no memory.
func (a *analysis) region(v ssa.Value) *region {
	if g, ok := v.(*ssa.Global); ok {
		return a.global(g)
	}
	if r := a.regions[v]; r != nil {
		return r
	}
	if _, isConst := v.(*ssa.Const); isConst || !a.reaches(v.Type()) {
		return nil
	}
	r := &region{}
	a.regions[v] = r
	return r
}

func (a *analysis) global(g *ssa.Global) *region {
	key := g.Name()
	if g.Pkg != nil {
		key = g.Pkg.Pkg.Path() + "." + key
	}
	r := a.globals[key]
	if r == nil {
		r = &region{global: true}
		// Of packages without bodies only errors are known to stay as they are.
		if g.Pkg == nil || len(g.Pkg.Members) == 0 || !a.built(g.Pkg) {
			r.later = !isError(g.Type())
		}
		a.globals[key] = r
	}
	return r
}

func (a *analysis) built(p *ssa.Package) bool {
	for _, b := range a.p.Built {
		if b.Pkg.Path() == p.Pkg.Path() {
			return true
		}
	}
	return false
}

func isError(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	return ok && types.Identical(p.Elem(), types.Universe.Lookup("error").Type())
}

// share makes what a value reaches shared.
func (a *analysis) share(v ssa.Value) {
	if r := a.region(v); r != nil {
		a.note(set(&r.root().shared))
	}
}

// entry takes methods that the standard library may call through an interface.
func (a *analysis) entry(fn *ssa.Function) {
	if fn.Signature.Recv() != nil && knownOutside[fn.Name()] {
		a.take(fn)
	}
}

// take says that unknown code may call the function, with unknown values.
func (a *analysis) take(fn *ssa.Function) {
	fn = a.body(fn)
	if fn == nil || a.taken[fn] {
		return
	}
	a.taken[fn] = true
	a.changed = true
	for _, p := range fn.Params {
		a.setOpen(p, true)
		a.share(p)
	}
}

func (a *analysis) body(fn *ssa.Function) *ssa.Function {
	if fn == nil || len(fn.Blocks) > 0 && fn.Origin() == nil {
		return fn
	}
	return a.p.WithBody(fn)
}

// knownOutside are names of methods that the standard library calls through
// interfaces.
var knownOutside = setOf("String Error Format GoString Len Less Swap Push Pop Read Write Close Seek ReadAt WriteAt ReadByte WriteByte " +
	"ReadFrom WriteTo ServeHTTP RoundTrip Scan Value MarshalJSON UnmarshalJSON MarshalText UnmarshalText MarshalBinary UnmarshalBinary " +
	"Unwrap Is As Set Done Deadline Err Open Stat Lock Unlock Sum Reset Size BlockSize Int63 Uint64 Seed Handle Enabled WithAttrs WithGroup")

func setOf(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
