package verify

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"slices"
)

// retries tells how an edit makes an atomic change depend on a check where callers notice
// it: a CompareAndSwap of what was loaded before that is not tried again may fail only
// because others came in between, and what is added and taken back is there for others
// meanwhile.
func (c *check) retries() (tells []string) {
	was, is := map[string]int{}, map[string]int{}
	for name := range c.files {
		countRetries(c.typed(name, c.before[name]), was)
		countRetries(c.typed(name, c.files[name]), is)
	}
	for _, tell := range slices.Sorted(maps.Keys(is)) {
		if is[tell] > was[tell] {
			tells = append(tells, tell)
		}
	}
	return tells
}

// typedFile is a file with the types of what is in it, as far as they are known.
type typedFile struct {
	*ast.File
	info *types.Info
}

// typed checks the types of a text in place of a file. The file is nil if it does not
// parse or belongs to no package.
func (c *check) typed(name string, text []byte) typedFile {
	for _, p := range c.Code.Packages {
		i := slices.IndexFunc(p.Files, func(f *ast.File) bool { return c.Code.Fset.File(f.FileStart).Name() == name })
		if i < 0 {
			continue
		}
		f, err := parser.ParseFile(c.Code.Fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			break
		}
		files := slices.Clone(p.Files)
		files[i] = f
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		conf := types.Config{Importer: importedBy{p.Types}, Error: func(error) {}} // what is not known is told nothing of
		conf.Check(p.Path, c.Code.Fset, files, info)
		return typedFile{f, info}
	}
	return typedFile{}
}

// importedBy imports what a package does, directly or not.
type importedBy struct{ pkg *types.Package }

func (i importedBy) Import(path string) (*types.Package, error) {
	seen := map[*types.Package]bool{}
	var find func(p *types.Package) *types.Package
	find = func(p *types.Package) *types.Package {
		if p.Path() == path {
			return p
		}
		for _, q := range p.Imports() {
			if !seen[q] {
				seen[q] = true
				if found := find(q); found != nil {
					return found
				}
			}
		}
		return nil
	}
	if p := find(i.pkg); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not imported", path)
}

// countRetries counts what there is to tell of the functions of a file.
func countRetries(f typedFile, tells map[string]int) {
	if f.File == nil {
		return
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			for _, x := range triedOnce(f.info, fn.Body) {
				tells[x+".CompareAndSwap is not tried again: it may also fail because others came in between"]++
			}
			for _, x := range addedBack(f.info, fn.Body) {
				tells["what is added to "+x+" is taken back if it was too much: others see it meanwhile"]++
			}
		}
	}
}

// triedOnce are the variables whose CompareAndSwap is in no loop, and compares with a
// variable that was loaded.
func triedOnce(info *types.Info, b *ast.BlockStmt) (list []string) {
	loaded := map[string]bool{}
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, r := range n.Rhs {
				if _, name := atomicCall(info, r); name == "Load" && len(n.Lhs) == len(n.Rhs) {
					loaded[types.ExprString(n.Lhs[i])] = true
				}
			}
		}
		return true
	})
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return false
		case *ast.CallExpr:
			if on, name := atomicCall(info, n); name == "CompareAndSwap" && len(n.Args) == 2 && loaded[types.ExprString(n.Args[0])] {
				list = append(list, on)
			}
		}
		return true
	})
	return list
}

// addedBack are the variables to which a function adds something, and its opposite on the
// same way. What is deferred is no check.
func addedBack(info *types.Info, b *ast.BlockStmt) (list []string) {
	type add struct {
		on, delta string
		path      []ast.Node
	}
	var adds []add
	var path []ast.Node
	ast.Inspect(b, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			path = path[:len(path)-1]
			return true
		case *ast.DeferStmt, *ast.FuncLit:
			return false
		case *ast.CallExpr:
			on, name := atomicCall(info, n)
			if name != "Add" || len(n.Args) != 1 {
				break
			}
			this := add{on, types.ExprString(n.Args[0]), slices.Clone(path)}
			if slices.ContainsFunc(adds, func(a add) bool {
				return a.on == on && (a.delta == "-"+this.delta || this.delta == "-"+a.delta) && follows(a.path, this.path)
			}) {
				list = append(list, on)
			}
			adds = append(adds, this)
		}
		path = append(path, n)
		return true
	})
	return list
}

// follows reports whether what one path of nodes leads to may run after what another one
// leads to: they are not in different branches, and the first one's does not leave.
func follows(first, second []ast.Node) bool {
	i := 0
	for i < len(first) && i < len(second) && first[i] == second[i] {
		i++
	}
	if i < len(first) && i < len(second) {
		switch first[i].(type) {
		case *ast.CaseClause, *ast.CommClause:
			return false
		}
		if branch, ok := first[i-1].(*ast.IfStmt); ok && first[i] == ast.Node(branch.Body) && second[i] == branch.Else {
			return false
		}
	}
	for _, n := range first[min(i, len(first)):] {
		if block, ok := n.(*ast.BlockStmt); ok && len(block.List) > 0 {
			if _, leaves := block.List[len(block.List)-1].(*ast.ReturnStmt); leaves {
				return false
			}
		}
	}
	return true
}

// atomicCall is what a method of sync/atomic is called on, and its name.
func atomicCall(info *types.Info, e ast.Node) (on, method string) {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic" {
		return "", ""
	}
	return types.ExprString(sel.X), sel.Sel.Name
}
