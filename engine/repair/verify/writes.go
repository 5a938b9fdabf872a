package verify

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/site"
)

// unwritten names a line of the cause whose write, store or close the edit takes away: the
// program fails no more since it does less. It compares how often the edited files
// change what is called so: a write that is moved or done in another way stays one.
func (c *check) unwritten() string {
	for _, a := range c.Finding.RootCause {
		if a.Op != "write" && a.Op != "store" && a.Op != "close" || !site.InMain(a.File) {
			continue
		}
		name := c.Roots.Abs(a.File)
		what := lastName(a.Var)
		if what == "" || !replaces(c.hunks[name], a.Line) {
			continue
		}
		was, is := 0, 0
		for file := range c.files {
			was += changesOf(c.before[file], what)
			is += changesOf(c.files[file], what)
		}
		if is < was {
			return fmt.Sprintf("it takes the %s of %s away (%s:%d)", a.Op, a.Var, filepath.Base(a.File), a.Line)
		}
	}
	return ""
}

// lastName is the last name of a variable as explanations write it: "slots" of
// "b.slots[3]".
func lastName(v string) string {
	v, _, _ = strings.Cut(v, "[")
	v, _, _ = strings.Cut(v, " ")
	return v[strings.LastIndexByte(v, '.')+1:]
}

// onlyLooks are methods that change nothing of what they are called on.
var onlyLooks = map[string]bool{"Load": true, "Range": true, "Len": true, "Lock": true, "Unlock": true, "RLock": true, "RUnlock": true,
	"TryLock": true, "TryRLock": true, "RLocker": true, "Wait": true, "Done": true, "Err": true, "Value": true}

// changesOf counts where a text changes a variable or field of a name: it is assigned,
// counted, sent on, closed or deleted from, its address is taken, or a method is called on
// it that does more than look.
func changesOf(text []byte, name string) (n int) {
	changes(text, func(what string, _ int) {
		if what == name {
			n++
		}
	})
	return n
}

// changedAt are the names of what a line of a text changes.
func changedAt(text []byte, at int) (list []string) {
	changes(text, func(what string, line int) {
		if line == at && what != "" && !slices.Contains(list, what) {
			list = append(list, what)
		}
	})
	return list
}

// changes visits what a text changes, by name and line.
func changes(text []byte, visit func(name string, line int)) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	all := func(list ...ast.Expr) {
		for _, e := range list {
			if e != nil {
				visit(names(e), fset.PositionFor(e.Pos(), false).Line)
			}
		}
	}
	ast.Inspect(f, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.AssignStmt:
			all(x.Lhs...)
		case *ast.RangeStmt:
			all(x.Key, x.Value)
		case *ast.IncDecStmt:
			all(x.X)
		case *ast.SendStmt:
			all(x.Chan)
		case *ast.UnaryExpr:
			if x.Op == token.AND {
				all(x.X)
			}
		case *ast.CallExpr:
			switch fn := ast.Unparen(x.Fun).(type) {
			case *ast.Ident:
				if fn.Name == "close" || fn.Name == "delete" || fn.Name == "clear" || fn.Name == "copy" {
					all(x.Args[:min(1, len(x.Args))]...)
				}
			case *ast.SelectorExpr:
				if !onlyLooks[fn.Sel.Name] {
					all(fn.X)
				}
			}
		}
		return true
	})
}

// names is the name of the variable or field that an expression is, or is a part of.
func names(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return names(e.X)
	case *ast.SliceExpr:
		return names(e.X)
	case *ast.StarExpr:
		return names(e.X)
	case *ast.ParenExpr:
		return names(e.X)
	}
	return ""
}
