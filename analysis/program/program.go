package program

import (
	"context"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/internal/bug"
)

// Program is the SSA form of packages.
type Program struct {
	Fset     *token.FileSet
	SSA      *ssa.Program
	Packages []*Package     // those that have SSA form
	Built    []*ssa.Package // of Packages, in the same order
	Problems []string       // of packages that have none, a line each

	bodies   map[token.Pos]*ssa.Function // declared functions that have one
	concrete []types.Type                // named types of the packages, for interface calls
	impls    map[*types.Func][]*ssa.Function
	flows    map[*ssa.Function]*flow
}

// Build makes the SSA form of the packages, all of which have positions in fset,
// and of nothing that they import. It stops when ctx ends.
func Build(ctx context.Context, fset *token.FileSet, pkgs []*Package) *Program {
	return build(ctx, fset, pkgs, 0)
}

// BuildWithExpressions is Build; functions know the values of their expressions
// too ([ssa.Function.ValueForExpr]).
func BuildWithExpressions(ctx context.Context, fset *token.FileSet, pkgs []*Package) *Program {
	return build(ctx, fset, pkgs, ssa.GlobalDebug)
}

func build(ctx context.Context, fset *token.FileSet, pkgs []*Package, mode ssa.BuilderMode) *Program {
	p := &Program{Fset: fset, SSA: ssa.NewProgram(fset, mode), bodies: map[token.Pos]*ssa.Function{},
		impls: map[*types.Func][]*ssa.Function{}, flows: map[*ssa.Function]*flow{}}
	given := map[*types.Package]bool{}
	for _, pkg := range pkgs {
		given[pkg.Types] = true
	}
	for _, pkg := range pkgs {
		p.declareImports(pkg.Types, given, map[*types.Package]bool{})
	}
	for _, pkg := range pkgs {
		if ctx.Err() != nil {
			break
		}
		if built := p.build(pkg); built != nil {
			p.add(pkg, built)
		}
	}
	return p
}

// declareImports makes SSA packages, without bodies, of all imports but those
// given.
func (p *Program) declareImports(pkg *types.Package, given, seen map[*types.Package]bool) {
	for _, imp := range pkg.Imports() {
		if seen[imp] {
			continue
		}
		seen[imp] = true
		p.declareImports(imp, given, seen)
		if !given[imp] && p.SSA.Package(imp) == nil {
			p.SSA.CreatePackage(imp, nil, nil, false)
		}
	}
}

// build makes the SSA form of one package, nil if that is not possible.
func (p *Program) build(pkg *Package) (built *ssa.Package) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		built = nil
		switch {
		case pkg.torn:
		case pkg.broken: // the SSA builder requires packages without errors
			p.Problems = append(p.Problems, pkg.Path+": not analyzed: it does not compile")
		default:
			p.Problems = append(p.Problems, bug.Recovered(r, "analyzing package "+pkg.Path).Error())
		}
	}()
	built = p.SSA.CreatePackage(pkg.Types, pkg.Files, pkg.Info, false)
	built.Build()
	return built
}

func (p *Program) add(pkg *Package, built *ssa.Package) {
	p.Packages, p.Built = append(p.Packages, pkg), append(p.Built, built)
	for _, name := range pkg.Types.Scope().Names() {
		obj := pkg.Types.Scope().Lookup(name)
		if tn, ok := obj.(*types.TypeName); ok && !tn.IsAlias() {
			if n, ok := tn.Type().(*types.Named); ok {
				if _, isInterface := n.Underlying().(*types.Interface); !isInterface && n.TypeParams().Len() == 0 {
					p.concrete = append(p.concrete, n)
				}
				for i := range n.NumMethods() {
					p.addBody(p.SSA.FuncValue(n.Method(i)))
				}
			}
		}
		if fn, ok := obj.(*types.Func); ok {
			p.addBody(p.SSA.FuncValue(fn))
		}
	}
}

func (p *Program) addBody(fn *ssa.Function) {
	if fn != nil && len(fn.Blocks) > 0 {
		p.bodies[fn.Pos()] = fn
	}
}

// Functions are the declared functions and methods that have a body, in the
// order of their positions.
func (p *Program) Functions() []*ssa.Function {
	var fns []*ssa.Function
	for _, pos := range slices.Sorted(maps.Keys(p.bodies)) {
		fns = append(fns, p.bodies[pos])
	}
	return fns
}

// WithBody returns the function with a body that fn stands for: the generic one
// of an instance, the one of the variant that was built; nil if there is none.
func (p *Program) WithBody(fn *ssa.Function) *ssa.Function {
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

// maxImplementations of one interface method that are followed.
const maxImplementations = 6

// Implementations are the methods with bodies, of the packages' types, that a
// call of an interface's method may run, up to maxImplementations.
func (p *Program) Implementations(m *types.Func) []*ssa.Function {
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
				if fn := p.WithBody(p.declared(sel)); fn != nil && !slices.Contains(fns, fn) {
					fns = append(fns, fn)
				}
			}
			break
		}
	}
	p.impls[m] = fns
	return fns
}

func (p *Program) declared(sel *types.Selection) *ssa.Function {
	fn, _ := sel.Obj().(*types.Func)
	if fn == nil {
		return nil
	}
	return p.SSA.FuncValue(fn)
}
