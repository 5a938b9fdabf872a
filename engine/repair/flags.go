package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
)

// flags is for a boolean field of the package that goroutines race on, by which one tells another to end
// for one: it becomes an atomic. All uses are plain reads, or assignments to it alone.
func flags(s *search) {
	if s.Finding.Kind != "data-race" {
		return
	}
	for _, v := range s.varsOf([]tear{{steps: s.known()}}) {
		if b, ok := v.Type().(*types.Basic); ok && b.Kind() == types.Bool && v.IsField() && !v.Exported() {
			s.atomicFlag(v)
		}
	}
}

func (s *search) atomicFlag(v *types.Var) {
	tn, _ := structOf(v)
	if tn == nil {
		return
	}
	spec, file := s.typeSpec(tn)
	if spec == nil || !s.since(file, "go1.19") {
		return
	}
	d := s.draft()
	declared := false
	for _, f := range spec.Type.(*ast.StructType).Fields.List {
		if len(f.Names) == 1 && f.Names[0].Pos() == v.Pos() {
			d.Replace(f.Type, s.imported(d, file, f.Type.Pos(), "sync/atomic")+".Bool")
			declared = true
		}
	}
	if !declared || s.namedInLiteral(v) {
		return
	}
	for _, u := range s.uses(v) {
		path, _ := astutil.PathEnclosingInterval(u.fn.file, u.expr.Pos(), u.expr.End())
		i := slices.Index(path, ast.Node(u.expr))
		if i < 0 || i+1 >= len(path) {
			return
		}
		switch p := path[i+1].(type) {
		case *ast.AssignStmt:
			if slices.Contains(p.Lhs, u.expr) {
				if len(p.Lhs) != 1 || p.Tok != token.ASSIGN {
					return
				}
				d.replaceRange(p.Pos(), p.Rhs[0].Pos(), s.Code.source(u.expr)+".Store(")
				d.Insert(p.End(), ")")
				continue
			}
		case *ast.UnaryExpr:
			if p.Op == token.AND {
				return
			}
		}
		d.Insert(u.expr.End(), ".Load()")
	}
	s.add(Repair{Title: "Make " + v.Name() + " an atomic.Bool", Kind: Other, Weight: 8}, d)
}

// namedInLiteral reports whether a literal of its struct sets a field.
func (s *search) namedInLiteral(v *types.Var) bool {
	for _, p := range s.Code.Packages {
		for _, f := range p.Files {
			found := false
			ast.Inspect(f, func(n ast.Node) bool {
				if kv, ok := n.(*ast.KeyValueExpr); ok {
					if id, ok := kv.Key.(*ast.Ident); ok {
						o, ok := p.Info.Uses[id].(*types.Var)
						found = found || ok && o.Origin() == v
					}
				}
				return !found
			})
			if found {
				return true
			}
		}
	}
	return false
}

// inLoopCondition is the loop whose condition a node is part of, nil if there is none.
func inLoopCondition(fn function, n ast.Node) *ast.ForStmt {
	path, _ := astutil.PathEnclosingInterval(fn.file, n.Pos(), n.End())
	for _, p := range path {
		if f, ok := p.(*ast.ForStmt); ok && f.Cond != nil && f.Cond.Pos() <= n.Pos() && n.End() <= f.Cond.End() {
			return f
		}
		if p == fn.node {
			break
		}
	}
	return nil
}
