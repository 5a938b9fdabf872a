package repair

import (
	"go/ast"
	"go/types"
	"strings"
)

// Reaches reports whether a test or main function can come to a function that has other
// lines in the new texts. It follows every mention of a function by its name, so that it
// may say yes where the program never gets there, but not the other way round.
func (c *Code) Reaches(entry string, files map[string][]byte) bool {
	entry, _, _ = strings.Cut(entry, "/")
	mentions := map[string]map[string]bool{} // by function name: the names in it
	changed := map[string]bool{}
	for _, p := range c.Packages {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				name := fn.Name.Name
				if mentions[name] == nil {
					mentions[name] = map[string]bool{}
				}
				ast.Inspect(fn, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						if _, isFunc := p.Info.Uses[id].(*types.Func); isFunc {
							mentions[name][id.Name] = true
						}
					}
					return true
				})
				if text, ok := files[c.name(fn.Pos())]; ok && !strings.Contains(string(text), c.source(fn)) {
					changed[name] = true
				}
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
		if changed[name] {
			return true
		}
		for m := range mentions[name] {
			if reach(m) {
				return true
			}
		}
		return false
	}
	return reach(entry)
}
