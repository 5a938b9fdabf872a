package analysis

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// visible are the types of a package of which code outside may hold a value: it
// can name them, is given them by what it can name, or gets them behind an
// interface or as a method value. The methods of others are called by the
// package itself only, so that how many goroutines do so is known.
type visible struct {
	pkg   *types.Package
	seen  map[types.Type]bool
	types map[*types.TypeName]bool
}

func (p *summarizer) visibleIn(pkg *ssa.Package) map[*types.TypeName]bool {
	v := &visible{pkg: pkg.Pkg, seen: map[types.Type]bool{}, types: map[*types.TypeName]bool{}}
	scope := pkg.Pkg.Scope()
	for _, name := range scope.Names() {
		if obj := scope.Lookup(name); obj.Exported() {
			v.add(obj.Type())
		}
	}
	for _, fn := range p.Functions() {
		if fn.Pkg == pkg {
			v.handsOut(fn)
		}
	}
	return v.types
}

// handsOut adds what a function turns into an interface or a function value,
// or instantiates other functions with.
func (v *visible) handsOut(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.MakeInterface:
				if n, ok := types.Unalias(in.Type()).(*types.Named); !ok || n.Obj().Pkg() != v.pkg || n.Obj().Exported() {
					v.add(in.X.Type())
				}
			case *ssa.MakeClosure:
				for _, bound := range in.Bindings { // a bound method's receiver, or a variable
					if in.Fn.(*ssa.Function).Synthetic != "" {
						v.add(bound.Type())
					}
				}
			case ssa.CallInstruction:
				if callee := in.Common().StaticCallee(); callee != nil {
					for _, t := range callee.TypeArgs() {
						v.add(t)
					}
				}
			}
		}
	}
	for _, anon := range fn.AnonFuncs {
		v.handsOut(anon)
	}
}

func (v *visible) add(t types.Type) {
	if t == nil || v.seen[t] {
		return
	}
	v.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		v.add(types.Unalias(t))
	case *types.Named:
		v.named(t)
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				v.add(f.Type())
			}
		}
	case *types.Map:
		v.add(t.Key())
		v.add(t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		v.add(t.Elem())
	case *types.Signature:
		v.add(t.Params())
		v.add(t.Results())
	case *types.Tuple:
		for p := range t.Variables() {
			v.add(p.Type())
		}
	case *types.Interface:
		for m := range t.Methods() {
			if m.Exported() {
				v.add(m.Type())
			}
		}
	}
}

func (v *visible) named(n *types.Named) {
	for t := range n.TypeArgs().Types() {
		v.add(t)
	}
	n = n.Origin()
	if n.Obj().Pkg() != v.pkg || v.types[n.Obj()] {
		return
	}
	v.types[n.Obj()] = true
	v.add(n.Underlying())
	for m := range n.Methods() {
		if m.Exported() {
			v.add(m.Type())
		}
	}
}
