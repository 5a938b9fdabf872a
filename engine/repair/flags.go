package repair

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
)

// flags is for a boolean field of the package that goroutines race on, by which one tells another to end
// for one: it becomes an atomic. All uses are plain reads, or assignments to it alone.
// A flag that is to keep a channel from being closed twice is one even if its race is not seen.
func flags(s *search) {
	if s.Finding.Kind != "data-race" {
		s.flagsOfCloses()
		return
	}
	for _, v := range s.varsOf([]tear{{steps: s.known()}}) {
		if b, ok := v.Type().(*types.Basic); ok && b.Kind() == types.Bool && v.IsField() && !v.Exported() {
			s.atomicFlag(v)
		}
	}
}

// flagsOfCloses are those that decide, without a lock, whether a function closes what was
// closed twice.
func (s *search) flagsOfCloses() {
	closes := slices.DeleteFunc(s.known(), func(st *Step) bool { return st.Op != "close" })
	if len(closes) < 2 {
		return
	}
	fn := function{closes[1].Pkg, closes[1].File, closes[1].Fn}
	seen := map[*types.Var]bool{}
	inspectOwn(fn.node, func(n ast.Node) {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return
		}
		v, ok := fn.pkg.Info.Uses[sel.Sel].(*types.Var)
		if !ok || seen[v.Origin()] || !v.IsField() || v.Exported() || !types.Identical(v.Type(), types.Typ[types.Bool]) {
			return
		}
		v = v.Origin()
		seen[v] = true
		if slices.ContainsFunc(s.decidedBy(v), func(d decision) bool {
			return fn.node.Pos() <= d.cond.Pos() && d.cond.End() <= closes[1].At() && s.sectionAt(fn, d.cond.Pos()) == nil
		}) {
			s.atomicFlag(v)
		}
	})
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
	title := "Make " + v.Name() + " an atomic.Bool"
	decided := s.decidedBy(v)
	looked := map[ast.Node]token.Pos{} // where a function looks at it first
	var sets []use
	for _, u := range s.uses(v) {
		path, _ := astutil.PathEnclosingInterval(u.fn.file, u.expr.Pos(), u.expr.End())
		i := slices.Index(path, ast.Node(u.expr))
		if i < 0 || i+1 >= len(path) {
			return
		}
		if slices.ContainsFunc(decided, func(dec decision) bool { return dec.has(u.expr) }) {
			continue
		}
		switch p := path[i+1].(type) {
		case *ast.AssignStmt:
			if slices.Contains(p.Lhs, u.expr) {
				if len(p.Lhs) != 1 || p.Tok != token.ASSIGN {
					return
				}
				d.replaceRange(p.Pos(), p.Rhs[0].Pos(), s.Code.source(u.expr)+".Store(")
				d.Insert(p.End(), ")")
				sets = append(sets, use{u.fn, u.id, p.Rhs[0], u.base})
				continue
			}
		case *ast.UnaryExpr:
			if p.Op == token.AND {
				return
			}
		}
		d.Insert(u.expr.End(), ".Load()")
		if at, ok := looked[u.fn.node]; !ok || u.expr.Pos() < at {
			looked[u.fn.node] = u.expr.Pos()
		}
	}
	for _, set := range sets {
		if at, ok := looked[set.fn.node]; ok && at < set.expr.End() {
			s.refuse(title, "line "+itoa(s.Code.line(at))+" looks at it and line "+itoa(s.Code.line(set.expr.Pos()))+" sets it: others could still come in between")
			return
		}
	}
	for _, dec := range decided {
		d.Replace(dec.cond, dec.not+s.Code.source(dec.flag)+".CompareAndSwap(false, true)")
		d.Remove(dec.set)
	}
	s.add(Repair{Title: title, Kind: Other, Weight: 8}, d)
}

// decision is a condition that is a flag alone and the assignment of true that comes next
// where the flag is false: CompareAndSwap does both at once.
type decision struct {
	cond, flag ast.Expr
	not        string // "!" if the condition holds where the flag is true
	set        *ast.AssignStmt
}

func (d decision) has(e ast.Expr) bool { return e == d.flag || e == d.set.Lhs[0] }

// decidedBy are the decisions on a flag: `if !x { x = true; ... }`, and
// `if x { return }; x = true`.
func (s *search) decidedBy(v *types.Var) (all []decision) {
	for _, fn := range s.functions() {
		lists(fn.node, func(list []ast.Stmt) {
			for i, st := range list {
				holder, ok := st.(*ast.IfStmt)
				if !ok || holder.Init != nil {
					continue
				}
				dec := decision{cond: holder.Cond, flag: ast.Unparen(holder.Cond)}
				next := list[i+1:]
				if u, ok := dec.flag.(*ast.UnaryExpr); ok && u.Op == token.NOT {
					dec.flag, next = ast.Unparen(u.X), holder.Body.List
				} else if dec.not = "!"; holder.Else != nil || len(holder.Body.List) == 0 || !ends(holder.Body.List[len(holder.Body.List)-1]) {
					continue
				}
				if len(next) == 0 || !s.isVar(fn, dec.flag, v) {
					continue
				}
				set, ok := next[0].(*ast.AssignStmt)
				if ok && set.Tok == token.ASSIGN && len(set.Lhs) == 1 && plainPath(dec.flag) &&
					s.Code.source(set.Lhs[0]) == s.Code.source(dec.flag) && s.isTrue(fn, set.Rhs[0]) {
					dec.set = set
					all = append(all, dec)
				}
			}
		})
	}
	return all
}

func (s *search) isTrue(fn function, e ast.Expr) bool {
	v := fn.pkg.Info.Types[e].Value
	return v != nil && v.Kind() == constant.Bool && constant.BoolVal(v)
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
