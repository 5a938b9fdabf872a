package analysis

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// pos of an instruction in the source: its own, or that of what it works on.
func (p *summarizer) pos(in ssa.Instruction) token.Pos {
	if pos := in.Pos(); pos.IsValid() {
		return pos
	}
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.X.Pos()
	case *ssa.Store:
		return in.Addr.Pos()
	case *ssa.Lookup:
		return in.X.Pos()
	case *ssa.Range:
		return in.X.Pos()
	case *ssa.Select:
		for _, s := range in.States {
			if s.Pos.IsValid() {
				return s.Pos
			}
		}
	}
	for _, o := range in.Operands(nil) {
		if o != nil && *o != nil && (*o).Pos().IsValid() {
			return (*o).Pos()
		}
	}
	return token.NoPos
}

// placer turns events into sides of a report.
type placer struct {
	p     *summarizer
	name  func(string) string
	files map[*token.File]*ast.File
	small map[*ssa.Function]bool
}

func (p *summarizer) placer(name func(string) string) *placer {
	pl := &placer{p: p, name: name, files: map[*token.File]*ast.File{}, small: map[*ssa.Function]bool{}}
	for _, u := range p.Packages {
		for _, f := range u.Files {
			pl.files[p.Fset.File(f.FileStart)] = f
		}
	}
	return pl
}

// side of an event; false if it is in no file of the packages.
func (pl *placer) side(en *entry, e *event) (Side, bool) {
	link, fn := pl.telling(e)
	pos := pl.p.pos(link.instr)
	if link == e.chain.last() && e.sel != nil {
		pos = e.state.Pos
	}
	s, ok := pl.at(pos)
	if !ok {
		return s, false
	}
	s.Func, s.Op, s.Goroutine = funcName(fn), e.op.String(), pl.goroutine(en, e.chain)
	if link != e.chain.last() {
		s.In = funcName(e.chain.last().instr.Parent())
	} else if c := pl.caller(e.chain, link); c != nil {
		if at, ok := pl.at(pl.p.pos(c.instr)); ok {
			s.Call = &Call{File: at.File, Line: at.Line, Column: at.Column}
		}
	}
	s.Locks = []string{}
	for _, h := range locksOf(e) {
		s.Locks = append(s.Locks, h.lock.short())
	}
	return s, true
}

// telling is the link of the event's chain that says most to people: the
// operation, or the call of a small accessor that serves several places.
func (pl *placer) telling(e *event) (*chain, *ssa.Function) {
	var links []*chain
	for c := e.chain; c != nil; c = c.next {
		links = append(links, c)
	}
	i := len(links) - 1
	for i > 0 && links[i-1].mode != spawned && links[i].mode != deferred && !pl.outer(links[i-1]) {
		fn := links[i].instr.Parent()
		if len(pl.p.callSites[fn]) < 2 || !pl.accessor(fn) {
			break
		}
		i--
	}
	if links[i].mode == ended && i > 0 {
		i--
	}
	return links[i], links[i].instr.Parent()
}

// outer reports the link that stands for callers outside.
func (pl *placer) outer(c *chain) bool {
	_, isCall := c.instr.(ssa.CallInstruction)
	return !isCall
}

// accessor reports whether a function does one thing to one location, in a lock region
// or not, without a branch.
func (pl *placer) accessor(fn *ssa.Function) bool {
	if v, ok := pl.small[fn]; ok {
		return v
	}
	places, s := map[string]bool{}, pl.p.summaries[fn]
	ok := s != nil && fn.Parent() == nil
	for _, b := range fn.Blocks {
		if len(b.Succs) > 1 {
			ok = false
		}
	}
	if s != nil {
		for _, e := range s.events {
			if e.op.access() || e.op == opSend || e.op == opReceive || e.op == opClose {
				places[e.path.key] = true
			}
			ok = ok && e.op != opCall && !e.chain.spawns()
		}
	}
	ok = ok && len(places) <= 1
	pl.small[fn] = ok
	return ok
}

// caller is the link before one, if that is a call.
func (pl *placer) caller(c, of *chain) *chain {
	for ; c != nil && c.next != nil; c = c.next {
		if c.next == of && c.mode != spawned && !pl.outer(c) {
			return c
		}
	}
	return nil
}

// at is the extent of the smallest telling expression at a position.
func (pl *placer) at(pos token.Pos) (Side, bool) {
	if !pos.IsValid() {
		return Side{}, false
	}
	tf := pl.p.Fset.File(pos)
	file := pl.files[tf]
	if file == nil {
		return Side{}, false
	}
	start, end := pos, pos
	if path, _ := astutil.PathEnclosingInterval(file, pos, pos); len(path) > 0 {
		start, end = extent(path)
	}
	from := pl.p.Fset.Position(pos)
	if a := pl.p.Fset.Position(start); a.Line == from.Line && a.Filename == from.Filename {
		from = a
	}
	to := pl.p.Fset.Position(end)
	s := Side{File: pl.name(from.Filename), Line: from.Line, Column: from.Column, EndColumn: to.Column}
	if to.Line != from.Line || s.EndColumn <= s.Column {
		s.EndColumn = s.Column + 1
	}
	line := pl.p.textLine(from)
	s.PointColumn, s.PointEndColumn = points(line, s.Column), points(line, s.EndColumn)
	return s, strings.HasSuffix(from.Filename, ".go")
}

// extent of the expression around the innermost node.
func extent(path []ast.Node) (start, end token.Pos) {
	n := path[0]
	if len(path) > 1 {
		if sel, ok := path[1].(*ast.SelectorExpr); ok && n == sel.Sel {
			n = sel
		}
	}
	if len(path) > 1 {
		if call, ok := path[1].(*ast.CallExpr); ok && n == call.Fun {
			n = call
		}
	}
	switch n := n.(type) {
	case ast.Expr, *ast.SendStmt, *ast.IncDecStmt, *ast.AssignStmt, *ast.GoStmt, *ast.DeferStmt:
		return n.Pos(), n.End()
	case *ast.RangeStmt:
		return n.Pos(), n.X.End()
	}
	return n.Pos(), n.Pos() + 1
}

// goroutine says how the goroutine of a chain is started.
func (pl *placer) goroutine(en *entry, c *chain) string {
	var at *chain
	for i := 0; c != nil; i, c = i+1, c.next {
		if c.mode == spawned && !(i == 0 && en.callers) {
			at = c
		}
	}
	if at == nil {
		if en.callers {
			return en.name
		}
		return en.name + "'s goroutine"
	}
	pos := pl.p.Fset.Position(pl.p.pos(at.instr))
	words := fmt.Sprintf("started at %s:%d", pl.name(pos.Filename), pos.Line)
	if pl.p.InLoop(at.instr) {
		words += " in a loop"
	}
	return words
}

// funcName is a function as people call it: "(*Cache).Get", "TestX.func1".
func funcName(fn *ssa.Function) string {
	if fn.Parent() != nil {
		name := fn.Name()
		if i := strings.LastIndexByte(name, '$'); i >= 0 {
			name = "func" + name[i+1:]
		}
		return funcName(fn.Parent()) + "." + name
	}
	if recv := fn.Signature.Recv(); recv != nil {
		name := typeName(recv.Type())
		if recv.Type() != deref(recv.Type()) {
			return "(*" + name + ")." + fn.Name()
		}
		return name + "." + fn.Name()
	}
	return fn.Name()
}
