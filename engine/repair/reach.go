package repair

import (
	"go/ast"
	"go/types"
	"strings"
)

// Reaches reports whether a test or main function can come to a function that has other
// lines in the new texts, or to a variable of a package that starts with another value.
// It follows every mention by its name, so that it may say yes where the program never
// gets there, but not the other way round.
func (c *Code) Reaches(entry string, files map[string][]byte) bool {
	entry, _, _ = strings.Cut(entry, "/")
	g := mentions{code: c, files: files, of: map[string]map[string]bool{}, changed: map[string]bool{}}
	for _, p := range c.Packages {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				g.declaration(p.Info, d)
			}
		}
	}
	seen := map[string]bool{}
	var reach func(string) bool
	reach = func(name string) bool {
		if seen[name] {
			return false
		}
		seen[name] = true
		for m := range g.of[name] {
			if g.changed[m] || reach(m) {
				return true
			}
		}
		return g.changed[name]
	}
	return reach(entry) || reach("init") || reach("TestMain") // these run before each
}

// mentions are the functions and variables of packages, by name: which ones each names,
// and which are changed.
type mentions struct {
	code    *Code
	files   map[string][]byte
	of      map[string]map[string]bool
	changed map[string]bool
}

func (g *mentions) declaration(info *types.Info, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		g.add(info, d.Name.Name, d)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				for _, id := range v.Names {
					g.add(info, id.Name, v)
				}
			}
		}
	}
}

func (g *mentions) add(info *types.Info, name string, n ast.Node) {
	if g.of[name] == nil {
		g.of[name] = map[string]bool{}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			switch o := info.Uses[id].(type) {
			case *types.Func:
				g.of[name][id.Name] = true
			case *types.Var:
				if o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
					g.of[name][id.Name] = true
				}
			}
		}
		return true
	})
	if text, ok := g.files[g.code.name(n.Pos())]; ok && !strings.Contains(string(text), g.code.source(n)) {
		g.changed[name] = true
	}
}
