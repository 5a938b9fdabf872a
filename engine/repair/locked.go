package repair

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"unicode"

	"github.com/hocket-dev/hocket/internal/textedit"
)

// unlockCalls makes the calls in a region of functions that take the lock themselves
// calls of variants that don't: fooLocked for foo.
func (s *search) unlockCalls(d *Draft, r *region, l lockAt, own []*section) error {
	for _, call := range callsIn(r) {
		f, recv, ok := s.takes(r.fn, call, l, 0)
		if !ok {
			continue
		}
		name, err := s.variant(d, f, recv, r)
		if err != nil {
			return err
		}
		d.Replace(identOf(call.Fun), name)
	}
	return nil
}

// writesBelow reports whether a region calls a function that takes the lock for writing,
// itself or in another one: its variant needs no less.
func (s *search) writesBelow(r *region, l lockAt) bool {
	return slices.ContainsFunc(callsIn(r), func(call *ast.CallExpr) bool {
		f, there, ok := s.takes(r.fn, call, l, 0)
		return ok && s.takesForWriting(f, there, 0)
	})
}

func (s *search) takesForWriting(f function, l lockAt, depth int) bool {
	if slices.ContainsFunc(s.locksOf(f), func(sec *section) bool { return sec.obj == l.obj && !sec.read }) {
		return true
	}
	yes := false
	inspectOwn(f.node, func(n ast.Node) {
		if c, ok := n.(*ast.CallExpr); ok && !yes && depth <= maxDepth {
			g, there, takes := s.takes(f, c, l, depth)
			yes = takes && s.takesForWriting(g, there, depth+1)
		}
	})
	return yes
}

// callsIn are the calls that a region makes before it is left.
func callsIn(r *region) (calls []*ast.CallExpr) {
	for _, st := range r.list[r.from : r.to+1] {
		ast.Inspect(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt:
				return false
			case *ast.CallExpr:
				calls = append(calls, n)
			}
			return true
		})
	}
	return calls
}

// takes returns the function that a call runs if that takes the lock, or calls one
// that does, and the lock as it is written there.
func (s *search) takes(fn function, call *ast.CallExpr, l lockAt, depth int) (function, lockAt, bool) {
	callee := s.callee(fn.pkg.Info, call)
	if callee == nil || depth > maxDepth {
		return function{}, lockAt{}, false
	}
	f, ok := s.bodyOf(callee)
	if !ok {
		return function{}, lockAt{}, false
	}
	there, ok := s.inCallee(fn, call, f, l)
	if !ok {
		return function{}, lockAt{}, false
	}
	if slices.ContainsFunc(s.locksOf(f), func(sec *section) bool { return sec.obj == l.obj && s.Code.source(sec.lock) == there.text }) {
		return f, there, true
	}
	inner := false
	inspectOwn(f.node, func(n ast.Node) {
		if c, ok := n.(*ast.CallExpr); ok && !inner {
			_, _, inner = s.takes(f, c, there, depth+1)
		}
	})
	return f, there, inner
}

// inCallee is how a lock that the caller writes as l.text is written in the function
// that it calls: by its receiver or a parameter, or as it is, for package variables.
func (s *search) inCallee(fn function, call *ast.CallExpr, f function, l lockAt) (lockAt, bool) {
	if l.obj.Parent() != nil && l.obj.Parent() == fn.pkg.Types.Scope() {
		return l, true
	}
	d := f.node.(*ast.FuncDecl)
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && d.Recv != nil && len(d.Recv.List[0].Names) == 1 {
		if rest, ok := relative(l.text, s.Code.source(sel.X)); ok {
			return lockAt{l.obj, d.Recv.List[0].Names[0].Name + rest, l.read}, true
		}
	}
	i := 0
	for _, p := range d.Type.Params.List {
		for _, n := range p.Names {
			if i < len(call.Args) {
				if rest, ok := relative(l.text, strings.TrimPrefix(s.Code.source(call.Args[i]), "&")); ok {
					return lockAt{l.obj, n.Name + rest, l.read}, true
				}
			}
			i++
		}
	}
	return lockAt{}, false
}

// relative is what follows base in a name: ".mu" of "s.mu" and "s".
func relative(name, base string) (string, bool) {
	rest, ok := strings.CutPrefix(name, base)
	return rest, ok && (rest == "" || rest[0] == '.')
}

// variant makes sure that there is a function that does what f does for callers that
// hold the lock, and returns its name. If f is called in region r only, and can't be from
// elsewhere, f becomes that function; nil stands for calls that stay as they are beside it.
func (s *search) variant(d *Draft, f function, l lockAt, r *region) (string, error) {
	decl := f.node.(*ast.FuncDecl)
	name := strings.ToLower(decl.Name.Name[:1]) + decl.Name.Name[1:] + "Locked"
	if d.variants == nil {
		d.variants = map[*ast.FuncDecl]string{}
	}
	if done, ok := d.variants[decl]; ok {
		return done, nil
	}
	if taken(f, decl, name) {
		return "", fmt.Errorf("there is a %s already", name)
	}
	d.variants[decl] = name
	alone := r != nil && s.onlyIn(f, r)
	var own *region // if f is copied, what it calls is called by the old f too
	if alone {
		own = &region{fn: f, list: body(f.node).List, to: len(body(f.node).List) - 1}
	}
	edits, err := s.withoutLock(d, f, l, own)
	if err != nil {
		return "", err
	}
	if alone {
		for _, e := range edits {
			d.edit(decl.Pos(), e)
		}
		d.Replace(decl.Name, name)
		d.renameInDoc(decl, name)
		return name, nil
	}
	code := s.Code
	text := code.Text(code.name(decl.Pos()))
	from, to := code.offset(decl.Pos()), code.offset(decl.End())
	for i := range edits {
		edits[i].From, edits[i].To = edits[i].From-from, edits[i].To-from
	}
	at := code.offset(decl.Name.Pos()) - from
	edits = append(edits, textedit.Edit{From: at, To: at + len(decl.Name.Name), Text: name})
	copied, err := textedit.Apply(text[from:to], edits)
	if err != nil {
		return "", err
	}
	d.Insert(decl.End(), fmt.Sprintf("\n\n// %s is %s for callers that hold %s.\n%s", name, decl.Name.Name, l.text, copied))
	s.delegate(d, f, l, name)
	return name, nil
}

// delegate makes the body of a function that holds the lock from its first to its last
// statement a call of its variant, so that nothing is written twice.
func (s *search) delegate(d *Draft, f function, l lockAt, name string) {
	decl := f.node.(*ast.FuncDecl)
	secs := s.locksOf(f)
	if len(secs) != 1 || secs[0].at != 0 || s.Code.source(secs[0].lock) != l.text || !slices.Equal(secs[0].list, decl.Body.List) {
		return
	}
	sec := secs[0]
	if sec.deferred == nil && (len(sec.releases) != 1 || sec.to != decl.Body.List[len(decl.Body.List)-1].Pos()) {
		return
	}
	var args []string
	for _, p := range decl.Type.Params.List {
		for _, n := range p.Names {
			if n.Name == "_" {
				return
			}
			args = append(args, n.Name)
		}
		if len(p.Names) == 0 {
			return
		}
		if _, ok := p.Type.(*ast.Ellipsis); ok {
			args[len(args)-1] += "..."
		}
	}
	call := name + "(" + strings.Join(args, ", ") + ")"
	if decl.Recv != nil {
		call = decl.Recv.List[0].Names[0].Name + "." + call
	}
	if decl.Type.Results != nil {
		call = "return " + call
	}
	here := lockAt{l.obj, l.text, sec.read}
	d.edit(decl.Pos(), textedit.Edit{From: s.Code.offset(decl.Body.Lbrace), To: s.Code.offset(decl.Body.Rbrace),
		Text: "{\n\t" + here.take() + "\n\tdefer " + here.release() + "\n\t" + call + "\n"})
}

// withoutLock are the edits that take a lock out of a function and of those that it
// calls, as edits of its file. own is the function's body, nil if it stays as it is, too.
func (s *search) withoutLock(d *Draft, f function, l lockAt, own *region) ([]textedit.Edit, error) {
	inner := &Draft{code: d.code, edits: map[string][]textedit.Edit{}}
	for _, sec := range s.locksOf(f) {
		if sec.obj == l.obj && s.Code.source(sec.lock) == l.text {
			s.dissolve(inner, sec)
		}
	}
	var err error
	inspectOwn(f.node, func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || err != nil {
			return
		}
		if g, there, ok := s.takes(f, call, l, 0); ok && g.node != f.node {
			var name string
			if name, err = s.variant(d, g, there, own); err == nil {
				inner.Replace(identOf(call.Fun), name)
			}
		}
	})
	return inner.edits[s.Code.name(f.node.Pos())], err
}

// onlyIn reports whether a function is called in a region only, and can't be from
// elsewhere: it is not exported, no value, and no method that an interface asks for.
func (s *search) onlyIn(f function, r *region) bool {
	decl := f.node.(*ast.FuncDecl)
	fn := declared(f)
	if fn == nil || fn.Exported() {
		return false
	}
	for _, p := range s.Code.Packages {
		for id, o := range p.Info.Uses {
			if g, ok := o.(*types.Func); ok && g.Origin() == fn && !(r.fn.file != nil && r.has(id.Pos()) && s.Code.name(id.Pos()) == s.Code.name(r.first().Pos())) {
				return false
			}
			if g, ok := o.(*types.Func); ok && g != fn && g.Name() == decl.Name.Name && g.Signature().Recv() != nil && types.IsInterface(g.Signature().Recv().Type()) {
				return false
			}
		}
	}
	return true
}

// taken reports whether a name is that of another function or method.
func taken(f function, decl *ast.FuncDecl, name string) bool {
	if decl.Recv == nil {
		return f.pkg.Types.Scope().Lookup(name) != nil
	}
	fn, ok := f.pkg.Info.Defs[decl.Name].(*types.Func)
	if !ok {
		return true
	}
	o, _, _ := types.LookupFieldOrMethod(fn.Signature().Recv().Type(), true, f.pkg.Types, name)
	return o != nil
}

// renameInDoc carries the name of a function over into the sentence that begins with
// it.
func (d *Draft) renameInDoc(decl *ast.FuncDecl, name string) {
	if decl.Doc == nil {
		return
	}
	c := decl.Doc.List[0]
	rest, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(c.Text, "//"), " "), decl.Name.Name)
	if !ok || rest != "" && (unicode.IsLetter(rune(rest[0])) || unicode.IsDigit(rune(rest[0]))) {
		return
	}
	at := d.code.offset(c.Pos()) + len(c.Text) - len(rest)
	d.edit(c.Pos(), textedit.Edit{From: at - len(decl.Name.Name), To: at, Text: name})
}
