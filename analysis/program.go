package analysis

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/internal/bug"
)

// program is the SSA form of the packages and what was found out of it so far.
// Used by one goroutine.
type program struct {
	ctx    context.Context
	fset   *token.FileSet
	prog   *ssa.Program
	given  []*unit        // all
	units  []*unit        // those that have SSA form
	pkgs   []*ssa.Package // of units, same order
	errors []string
	cut    cut

	overlay map[string][]byte   // unsaved texts by file
	texts   map[string][][]byte // lines of files

	bodies    map[token.Pos]*ssa.Function // declared functions that have one
	concrete  []types.Type                // named types of the packages, for interface calls
	impls     map[*types.Func][]*ssa.Function
	summaries map[*ssa.Function]*summary
	busy      map[*ssa.Function]bool
	flows     map[*ssa.Function]*flow
	known     map[*ssa.Function]*facts
	chanSizes map[string]int  // bucket of a place → size of the channels put there
	condLocks map[string]step // bucket of a condition variable → the field that is its lock, beside it
	callSites map[*ssa.Function]map[ssa.Instruction]bool
}

// newProgram builds the SSA form; a package that can't be built is an error
// line.
func newProgram(ctx context.Context, fset *token.FileSet, units []*unit) *program {
	p := &program{ctx: ctx, fset: fset, texts: map[string][][]byte{}, given: units, prog: ssa.NewProgram(fset, 0),
		bodies: map[token.Pos]*ssa.Function{}, impls: map[*types.Func][]*ssa.Function{},
		summaries: map[*ssa.Function]*summary{}, busy: map[*ssa.Function]bool{}, flows: map[*ssa.Function]*flow{},
		known: map[*ssa.Function]*facts{}, condLocks: map[string]step{}, chanSizes: map[string]int{},
		callSites: map[*ssa.Function]map[ssa.Instruction]bool{}}
	made := map[*types.Package]bool{}
	for _, u := range units {
		made[u.types] = true
	}
	for _, u := range units {
		p.declare(u.types, made, map[*types.Package]bool{})
	}
	for _, u := range units {
		if pkg := p.build(u); pkg != nil {
			p.add(u, pkg)
		}
	}
	return p
}

// declare makes packages of all that is imported, without bodies.
func (p *program) declare(pkg *types.Package, made, seen map[*types.Package]bool) {
	for _, imp := range pkg.Imports() {
		if seen[imp] {
			continue
		}
		seen[imp] = true
		p.declare(imp, made, seen)
		if !made[imp] && p.prog.Package(imp) == nil {
			p.prog.CreatePackage(imp, nil, nil, false)
		}
	}
}

// build turns one package into SSA form.
func (p *program) build(u *unit) (pkg *ssa.Package) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		pkg = nil
		switch {
		case u.torn:
		case u.broken: // the SSA builder requires packages without errors
			p.errors = append(p.errors, u.path+": not analyzed: it does not compile")
		default:
			p.errors = append(p.errors, bug.Recovered(r, "analyzing package "+u.path).Error())
		}
	}()
	if p.ctx.Err() != nil {
		return nil
	}
	pkg = p.prog.CreatePackage(u.types, u.files, u.info, false)
	pkg.Build()
	return pkg
}

func (p *program) add(u *unit, pkg *ssa.Package) {
	p.units, p.pkgs = append(p.units, u), append(p.pkgs, pkg)
	for _, name := range u.types.Scope().Names() {
		obj := u.types.Scope().Lookup(name)
		if tn, ok := obj.(*types.TypeName); ok && !tn.IsAlias() {
			if n, ok := tn.Type().(*types.Named); ok {
				if _, isInterface := n.Underlying().(*types.Interface); !isInterface && n.TypeParams().Len() == 0 {
					p.concrete = append(p.concrete, n)
				}
				for i := range n.NumMethods() {
					p.body(p.prog.FuncValue(n.Method(i)))
				}
			}
		}
		if fn, ok := obj.(*types.Func); ok {
			p.body(p.prog.FuncValue(fn))
		}
	}
}

func (p *program) body(fn *ssa.Function) {
	if fn != nil && len(fn.Blocks) > 0 {
		p.bodies[fn.Pos()] = fn
	}
}

// resolved is the function with a body that fn stands for: the generic one of
// an instance, the one of the variant that was built; nil if there is none.
func (p *program) resolved(fn *ssa.Function) *ssa.Function {
	if fn == nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if len(fn.Blocks) > 0 {
		return fn
	}
	if fn.Pos().IsValid() {
		return p.bodies[fn.Pos()]
	}
	return nil
}

// implementations of an interface's method among the packages' types.
func (p *program) implementations(m *types.Func) []*ssa.Function {
	if fns, ok := p.impls[m]; ok {
		return fns
	}
	var fns []*ssa.Function
	iface, _ := m.Signature().Recv().Type().Underlying().(*types.Interface)
	for _, t := range p.concrete {
		if iface == nil || len(fns) == maxImplementations {
			break
		}
		ptr := types.NewPointer(t)
		for _, t := range []types.Type{t, ptr} {
			if !types.Implements(t, iface) {
				continue
			}
			if sel := types.NewMethodSet(t).Lookup(m.Pkg(), m.Name()); sel != nil {
				if fn := p.resolved(p.declared(sel)); fn != nil && !slices.Contains(fns, fn) {
					fns = append(fns, fn)
				}
			}
			break
		}
	}
	p.impls[m] = fns
	return fns
}

func (p *program) declared(sel *types.Selection) *ssa.Function {
	fn, _ := sel.Obj().(*types.Func)
	if fn == nil {
		return nil
	}
	return p.prog.FuncValue(fn)
}

// maxImplementations of one interface method that are followed.
const maxImplementations = 6

// summary of a function; computed once. A recursive call sees an empty one.
func (p *program) summary(fn *ssa.Function) (s *summary) {
	if s := p.summaries[fn]; s != nil {
		return s
	}
	if p.busy[fn] || p.ctx.Err() != nil {
		return &summary{fn: fn}
	}
	p.busy[fn] = true
	defer func() {
		delete(p.busy, fn)
		p.summaries[fn] = s
	}()
	s = &summary{fn: fn}
	size := 0
	for _, b := range fn.Blocks {
		size += len(b.Instrs)
	}
	if size > maxInstructions {
		p.errors = append(p.errors, fmt.Sprintf("%s: not analyzed: %d instructions are more than the limit of %d", fn, size, maxInstructions))
		return s
	}
	p.attempt("analyzing function "+fn.String(), func() { s = newWalker(p, fn).walk() })
	return s
}

// attempt runs f. A panic costs what f would have found, and is reported.
func (p *program) attempt(doing string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			p.errors = append(p.errors, bug.Recovered(r, doing).Error())
		}
	}()
	f()
}

// maxInstructions of a function: tables made by generators are left out.
const maxInstructions = 20000
