package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	pathpkg "path"
	"slices"
	"strconv"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// syncName is the name of package sync at a place in a file, which imports it from now on.
func (s *search) syncName(d *Draft, f *ast.File, at token.Pos) string {
	return s.imported(d, f, at, "sync")
}

// imported is the name of a standard package at a place in a file, which imports it from
// now on: by another name where something else has its own.
func (s *search) imported(d *Draft, f *ast.File, at token.Pos, path string) string {
	base := pathpkg.Base(path)
	for _, imp := range f.Imports {
		name := base
		if imp.Name != nil {
			name = imp.Name.Name
		}
		if p, ok := s.nameAt(f, at, name).(*types.PkgName); ok && p.Imported().Path() == path {
			return name
		}
	}
	name := base
	for i := 1; s.nameAt(f, at, name) != nil; i++ {
		name = "std" + base
		if i > 1 {
			name += itoa(i)
		}
	}
	d.importInto(f, path, name)
	return name
}

// nameAt is what has a name at a place in a file, nil if nothing does.
func (s *search) nameAt(f *ast.File, at token.Pos, name string) types.Object {
	for _, p := range s.Code.Packages {
		if !slices.Contains(p.Files, f) {
			continue
		}
		if scope := p.Types.Scope().Innermost(at); scope != nil {
			_, o := scope.LookupParent(name, at)
			return o
		}
	}
	return nil
}

// importInto adds an import under a name to a file, once.
func (d *Draft) importInto(f *ast.File, path, name string) {
	spec := strconv.Quote(path)
	if name != pathpkg.Base(path) {
		spec = name + " " + spec
	}
	key := d.code.name(f.Pos()) + "\x00" + spec
	if d.imports[key] {
		return
	}
	if d.imports == nil {
		d.imports = map[string]bool{}
	}
	d.imports[key] = true
	for _, decl := range f.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT || len(g.Specs) == 0 {
			continue
		}
		if !g.Lparen.IsValid() {
			d.importBeside(g.Specs[0].(*ast.ImportSpec), path, spec)
			return
		}
		at := ast.Node(g.Specs[len(g.Specs)-1])
		for i := len(g.Specs) - 1; i >= 0; i-- { // beside the standard library's
			if imported(g.Specs[i]) > path {
				at = g.Specs[i]
			}
		}
		if imported(at) > path {
			d.Before(at, spec)
		} else {
			d.After(at, spec)
		}
		return
	}
	d.After(f.Name, "", "import "+spec)
}

// importBeside puts an import into the parentheses with one that has none yet.
func (d *Draft) importBeside(one *ast.ImportSpec, path, spec string) {
	name, from, to := d.code.name(one.Pos()), d.code.offset(one.Pos()), d.code.offset(one.End())
	if opened := name + "\x00("; !d.imports[opened] {
		d.imports[opened] = true
		d.edit(one.Pos(), textedit.Insert(from, 0, "(\n\t"))
		d.edit(one.Pos(), textedit.Insert(to, 1, "\n)"))
	}
	if imported(one) > path {
		d.edit(one.Pos(), textedit.Insert(from, 1, spec+"\n\t"))
	} else {
		d.edit(one.Pos(), textedit.Insert(to, 0, "\n\t"+spec))
	}
}

// imported is the path of an import.
func imported(spec ast.Node) string {
	p, err := strconv.Unquote(spec.(*ast.ImportSpec).Path.Value)
	if err != nil {
		return ""
	}
	return p
}
