package verify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// drops reports whether the edit adds a default to a select, or no way out of a send at all.
func (c *check) drops() bool {
	var was, is [2]int
	for name := range c.files {
		was, is = plus(was, selectsOf(c.before[name])), plus(is, selectsOf(c.files[name]))
	}
	return is[0] > was[0] || is[1] <= was[1]
}

func plus(a, b [2]int) [2]int { return [2]int{a[0] + b[0], a[1] + b[1]} }

// selectsOf counts the defaults of selects in a text, and their receiving cases.
func selectsOf(text []byte) (n [2]int) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return n
	}
	ast.Inspect(f, func(x ast.Node) bool {
		c, ok := x.(*ast.CommClause)
		switch {
		case !ok:
		case c.Comm == nil:
			n[0]++
		default:
			if _, send := c.Comm.(*ast.SendStmt); !send {
				n[1]++
			}
		}
		return true
	})
	return n
}

// variants are the lines of functions that have, since the edit, a variant for callers
// that hold a lock: what was called before is now called in that form.
func variants(before, after []byte) map[int]bool {
	lines := map[int]bool{}
	was, is := functionsOf(before), functionsOf(after)
	for name, at := range was {
		for variant := range is {
			if _, old := was[variant]; !old && strings.EqualFold(variant, name+"Locked") {
				for l := at[0]; l <= at[1]; l++ {
					lines[l] = true
				}
			}
		}
	}
	return lines
}

// functionsOf are the first and last lines of the declared functions of a text, by name.
func functionsOf(text []byte) map[string][2]int {
	out := map[string][2]int{}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return out
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			out[fn.Name.Name] = [2]int{fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line}
		}
	}
	return out
}
