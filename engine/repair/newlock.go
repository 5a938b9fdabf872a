package repair

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// newLock adds a mutex beside variables, all of one struct, package or function, and
// returns it; nil if they have no common place.
func (s *search) newLock(d *Draft, vars []*types.Var) *types.Var {
	return s.newBeside(d, vars, "Mutex", "mu")
}

// newBeside adds a variable of a type of package sync beside others.
func (s *search) newBeside(d *Draft, vars []*types.Var, typ, name string) *types.Var {
	if len(vars) == 0 {
		return nil
	}
	if vars[0].IsField() {
		return s.newField(d, vars, typ, name)
	}
	pkg := vars[0].Pkg()
	if pkg == nil {
		return nil
	}
	if vars[0].Parent() == pkg.Scope() {
		return s.newGlobal(d, vars, typ, name)
	}
	return s.newLocal(d, vars, typ, name)
}

func mutexOf(name string, pkg *types.Package, field bool) *types.Var {
	sync := types.NewPackage("sync", "sync")
	t := types.NewNamed(types.NewTypeName(token.NoPos, sync, "Mutex", nil), types.NewStruct(nil, nil), nil)
	if field {
		return types.NewField(token.NoPos, pkg, name, t, false)
	}
	return types.NewVar(token.NoPos, pkg, name, t)
}

// newField adds a field after the last of the variables that are in the struct of the first.
// Fields of several structs get no mutex of the package: all instances would share it.
func (s *search) newField(d *Draft, vars []*types.Var, typ, first string) *types.Var {
	tn, _ := structOf(vars[0])
	if tn == nil {
		return nil
	}
	name := unused(first, vars[0].Name(), func(n string) bool {
		o, _, _ := types.LookupFieldOrMethod(tn.Type(), true, tn.Pkg(), n)
		return o != nil
	})
	spec, file := s.typeSpec(tn)
	if spec == nil {
		return nil
	}
	fields := spec.Type.(*ast.StructType).Fields.List
	last := fields[0]
	for _, f := range fields {
		for _, id := range f.Names {
			if slices.ContainsFunc(vars, func(v *types.Var) bool { return v.Pos() == id.Pos() }) {
				last = f
			}
		}
	}
	if s.Code.line(last.Pos()) == s.Code.line(spec.Type.Pos()) {
		d.Insert(spec.Type.(*ast.StructType).Fields.Closing, "; "+name+" "+s.syncName(d, file, spec.Pos())+"."+typ+" ")
	} else {
		d.After(last, name+" "+s.syncName(d, file, spec.Pos())+"."+typ)
	}
	lock := mutexOf(name, tn.Pkg(), true)
	if s.newFields == nil {
		s.newFields = map[*types.Var]*types.TypeName{}
	}
	s.newFields[lock] = tn
	return lock
}

// newGlobal adds a package variable after the declaration of the first variable.
func (s *search) newGlobal(d *Draft, vars []*types.Var, typ, first string) *types.Var {
	pkg := vars[0].Pkg()
	name := unused(vars[0].Name()+strings.ToUpper(first[:1])+first[1:], vars[0].Name(), func(n string) bool { return pkg.Scope().Lookup(n) != nil })
	decl, file := s.declOf(vars[0])
	if decl == nil {
		return nil
	}
	d.After(decl, "", "var "+name+" "+s.syncName(d, file, decl.Pos())+"."+typ)
	return s.fake(mutexOf(name, pkg, false), 0, token.Pos(1<<40))
}

// newLocal adds a variable before the statement that declares the first variable.
func (s *search) newLocal(d *Draft, vars []*types.Var, typ, first string) *types.Var {
	for _, fn := range s.functions() {
		var at ast.Stmt
		if fn.node.Pos() <= vars[0].Pos() && vars[0].Pos() < body(fn.node).Lbrace && len(body(fn.node).List) > 0 {
			at = body(fn.node).List[0] // a parameter or result
		}
		lists(fn.node, func(list []ast.Stmt) {
			for _, st := range list {
				if st.Pos() <= vars[0].Pos() && vars[0].Pos() < st.End() {
					at = st // the innermost comes last
				}
			}
		})
		if at == nil {
			continue
		}
		scope := fn.pkg.Types.Scope().Innermost(vars[0].Pos())
		name := unused(first, vars[0].Name(), func(n string) bool {
			if scope == nil {
				return false
			}
			_, o := scope.LookupParent(n, token.NoPos)
			return o != nil
		})
		d.Before(at, "var "+name+" "+s.syncName(d, fn.file, at.Pos())+"."+typ)
		return s.fake(mutexOf(name, vars[0].Pkg(), false), at.End(), fn.node.End())
	}
	return nil
}

// placeOfLock is where a lock that a draft adds is declared, to compare: the struct, the
// package, or the end of the function.
func (s *search) placeOfLock(lock *types.Var) any {
	if tn := s.newFields[lock]; tn != nil {
		return tn
	}
	return [2]any{lock.Pkg(), s.madeUp[lock][1]}
}

// fake notes where a variable that a draft adds can be named.
func (s *search) fake(v *types.Var, from, to token.Pos) *types.Var {
	if s.madeUp == nil {
		s.madeUp = map[types.Object][2]token.Pos{}
	}
	s.madeUp[v] = [2]token.Pos{from, to}
	return v
}

// unused is the first of some names that is not in use.
func unused(first, of string, used func(string) bool) string {
	for i := 0; ; i++ {
		name := first
		switch {
		case i == 1:
			name = of + strings.ToUpper(first[:1]) + first[1:]
		case i > 1:
			name = fmt.Sprintf("%s%d", first, i)
		}
		if !used(name) {
			return name
		}
	}
}

// typeSpec is the declaration of a struct type.
func (s *search) typeSpec(tn *types.TypeName) (spec *ast.TypeSpec, file *ast.File) {
	s.eachDecl(func(f *ast.File, g *ast.GenDecl, sp ast.Spec) {
		if t, ok := sp.(*ast.TypeSpec); ok && t.Name.Pos() == tn.Pos() {
			if st, ok := t.Type.(*ast.StructType); ok && len(st.Fields.List) > 0 {
				spec, file = t, f
			}
		}
	})
	return spec, file
}

// declOf is the declaration of a package variable, or of the struct type of a field.
func (s *search) declOf(v *types.Var) (decl *ast.GenDecl, file *ast.File) {
	s.eachDecl(func(f *ast.File, g *ast.GenDecl, sp ast.Spec) {
		if g.Pos() <= v.Pos() && v.Pos() < g.End() {
			decl, file = g, f
		}
	})
	return decl, file
}

func (s *search) eachDecl(visit func(*ast.File, *ast.GenDecl, ast.Spec)) {
	for _, p := range s.Code.Packages {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				if g, ok := d.(*ast.GenDecl); ok {
					for _, sp := range g.Specs {
						visit(f, g, sp)
					}
				}
			}
		}
	}
}
