package verify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// retries tells how an edit makes an atomic change depend on a check where callers notice
// it: a CompareAndSwap of what was loaded before that is not tried again may fail only
// because others came in between, and what is added and taken back is there for others
// meanwhile.
func retries(before, after map[string][]byte) (tells []string) {
	was, is := map[string]int{}, map[string]int{}
	for name := range after {
		countRetries(before[name], was)
		countRetries(after[name], is)
	}
	for _, tell := range slices.Sorted(maps.Keys(is)) {
		if is[tell] > was[tell] {
			tells = append(tells, tell)
		}
	}
	return tells
}

// countRetries counts what there is to tell of the functions of a text.
func countRetries(text []byte, tells map[string]int) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			for _, x := range triedOnce(fn.Body) {
				tells[x+".CompareAndSwap is not tried again: it may also fail because others came in between"]++
			}
			for _, x := range addedBack(fn.Body) {
				tells["what is added to "+x+" is taken back if it was too much: others see it meanwhile"]++
			}
		}
	}
}

// triedOnce are the variables whose CompareAndSwap is in no loop, and compares with a
// variable that was loaded.
func triedOnce(b *ast.BlockStmt) (list []string) {
	loaded := map[string]bool{}
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, r := range n.Rhs {
				if _, name := atomicCall(r); name == "Load" && len(n.Lhs) == len(n.Rhs) {
					loaded[types.ExprString(n.Lhs[i])] = true
				}
			}
		}
		return true
	})
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			return false
		case *ast.CallExpr:
			if on, name := atomicCall(n); name == "CompareAndSwap" && len(n.Args) == 2 && loaded[types.ExprString(n.Args[0])] {
				list = append(list, on)
			}
		}
		return true
	})
	return list
}

// addedBack are the variables to which a function adds something, and its opposite. What is
// deferred is no check.
func addedBack(b *ast.BlockStmt) (list []string) {
	added := map[string][]string{}
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt, *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if on, name := atomicCall(n); name == "Add" && len(n.Args) == 1 {
				delta := types.ExprString(n.Args[0])
				opposite, negative := strings.CutPrefix(delta, "-")
				if !negative {
					opposite = "-" + delta
				}
				if slices.Contains(added[on], opposite) {
					list = append(list, on)
				}
				added[on] = append(added[on], delta)
			}
		}
		return true
	})
	return list
}

// atomicCall is what a method is called on, and its name.
func atomicCall(e ast.Node) (on, method string) {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	return types.ExprString(sel.X), sel.Sel.Name
}
