package analysis

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// binding puts what a callee's summary says into the terms of its caller.
type binding struct {
	p       *summarizer
	prefix  []linkOf // from the caller's instruction to the callee
	params  [][]*path
	frees   [][]*path
	indices []string // of params, as indexOf
	values  []value  // of params, known if constant
	passed  []int    // of params: the caller's own parameter, counted from 1
	spawn   bool
	full    bool // no more events are taken

	known map[*path][]*path   // memo of paths
	held  map[locksKey][]held // memo of locks
}

// locksKey tells slices of locks apart: they are immutable.
type locksKey struct {
	first *held
	n     int
}

type linkOf struct {
	instr ssa.Instruction
	mode  linkMode
}

// callees of a call that have bodies: the static one, closures known here, or
// the implementations of an interface's method.
func (p *summarizer) callees(c *ssa.CallCommon) []*ssa.Function {
	if c.IsInvoke() {
		return p.Implementations(c.Method)
	}
	if fn := c.StaticCallee(); fn != nil {
		if fn = p.WithBody(fn); fn != nil {
			return []*ssa.Function{fn}
		}
		return nil
	}
	var out []*ssa.Function
	for _, q := range p.paths(c.Value) {
		if fn := p.WithBody(functionOf(q)); fn != nil {
			out = append(out, fn)
		}
	}
	return out
}

func functionOf(q *path) *ssa.Function {
	if q.base.kind != function {
		return nil
	}
	switch v := q.base.obj.(type) {
	case *ssa.Function:
		return v
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	}
	return nil
}

// binding of a call of fn at an instruction.
func (p *summarizer) binding(at ssa.Instruction, c *ssa.CallCommon, fn *ssa.Function, mode linkMode) *binding {
	b := &binding{p: p, prefix: []linkOf{{at, mode}}, spawn: mode == spawned}
	args := c.Args
	if c.IsInvoke() {
		b.params, b.indices = append(b.params, p.paths(c.Value)), append(b.indices, "")
		b.values, b.passed = append(b.values, anyValue), append(b.passed, 0)
	}
	for _, a := range args {
		b.params, b.indices = append(b.params, p.paths(a)), append(b.indices, indexOf(a))
		b.values, b.passed = append(b.values, constantValue(a)), append(b.passed, parameter(a))
	}
	if !c.IsInvoke() {
		b.close(c.Value, fn)
	}
	return b
}

// close binds the captured variables of the closure that v may be.
func (b *binding) close(v ssa.Value, fn *ssa.Function) {
	if mc, ok := v.(*ssa.MakeClosure); ok {
		b.captured(mc)
		return
	}
	for _, q := range b.p.paths(v) {
		if mc, ok := q.base.obj.(*ssa.MakeClosure); ok && mc.Fn == fn {
			b.captured(mc)
			return
		}
	}
}

func (b *binding) captured(mc *ssa.MakeClosure) {
	for _, v := range mc.Bindings {
		b.frees = append(b.frees, b.p.paths(v))
	}
}

// paths is a path of the callee's in the terms of the caller.
func (b *binding) paths(q *path) []*path {
	if ps, ok := b.known[q]; ok {
		return ps
	}
	ps := b.pathsOf(q)
	if b.known == nil {
		b.known = map[*path][]*path{}
	}
	b.known[q] = ps
	return ps
}

func (b *binding) pathsOf(q *path) []*path {
	var from []*path
	switch q.base.kind {
	case param:
		if q.base.index < len(b.params) {
			from = b.params[q.base.index]
		}
	case free:
		if q.base.index < len(b.frees) {
			from = b.frees[q.base.index]
		}
	case alloc:
		r := *q
		r.base.ctx = b.chain(q.base.ctx)
		if r.base.ctx.depth > maxDepth {
			return nil
		}
		r.key = newPath(r.base, r.name, nil).key
		if len(q.steps) == 0 {
			return []*path{&r}
		}
		r.steps = nil
		from = []*path{&r}
	default:
		return []*path{q}
	}
	for i, s := range q.steps {
		var next []*path
		for _, f := range from {
			if s.kind == toDeref && !(q.base.kind == alloc) {
				next = append(next, b.p.follow(f, q.typeAt(i))...)
			} else if r := f.with(b.step(s), q.typeAt(i)); r != nil {
				next = append(next, r)
			}
		}
		from = next
	}
	if q.unsure {
		for i := range from {
			from[i] = from[i].doubtful()
		}
	}
	if len(from) > maxPaths {
		from = from[:maxPaths]
	}
	return from
}

// typeAt is the type after step i, known for the last only.
func (p *path) typeAt(i int) types.Type {
	if i == len(p.steps)-1 {
		return p.typ
	}
	return nil
}

func (b *binding) step(s step) step {
	if s.kind != toElem || !strings.HasPrefix(s.index, "#") {
		return s
	}
	i, err := strconv.Atoi(s.index[2:])
	switch {
	case err != nil:
		s.index = ""
	case b.spawn:
		given := s.index[1] == 'p'
		s.index = "own"
		if given && i < len(b.indices) && b.indices[i] != "" && b.indices[i][0] != '#' {
			s.index = b.indices[i]
		}
	case s.index[1] == 'p' && i < len(b.indices):
		s.index = b.indices[i]
	default:
		s.index = ""
	}
	return s
}

func (b *binding) chain(c *chain) *chain {
	for i := len(b.prefix) - 1; i >= 0; i-- {
		c = b.p.link(b.prefix[i].instr, b.prefix[i].mode, c)
	}
	return c
}

// maxDepth of a chain: calls that are followed from an entry.
const maxDepth = 9

// locks in the caller's terms.
func (b *binding) locks(hs []held) []held {
	if len(hs) == 0 {
		return nil
	}
	key := locksKey{&hs[0], len(hs)}
	if out, ok := b.held[key]; ok {
		return out
	}
	var out []held
	for _, h := range hs {
		ps := b.paths(h.lock)
		if some := h.lock.ofSome(); len(ps) == 0 && some != nil {
			ps = []*path{some}
		}
		if len(ps) > 0 {
			l := ps[0]
			if len(ps) > 1 {
				l = l.doubtful()
			}
			out = append(out, held{l, h.mode, b.chain(h.at), h.done, h.once, h.gone})
		}
	}
	out = slices.Clip(out)
	if b.held == nil {
		b.held = map[locksKey][]held{}
	}
	b.held[key] = out
	return out
}

// events of the callee in the caller's terms, while the caller holds locks. A
// call of a function that the caller gives becomes that function's events.
func (b *binding) events(s *summary, locks []held, emit func(*event) bool) {
	for _, e := range s.events {
		if b.full { // and here is one more
			if at := b.prefix[0].instr.Parent(); b.p.busy[at] {
				b.p.cut.fullAt(at)
			}
			return
		}
		if e.chain.depth+len(b.prefix) > maxDepth {
			b.p.cut.deepAt(b.prefix[0].instr.Parent())
			continue
		}
		mine := b.locks(e.locks)
		if given := still(locks, mine); len(given) > 0 {
			if b.spawn || e.chain.spawns() {
				given = lasting(given)
			}
			mine = append(slices.Clip(given), mine...)
		}
		if e.op == opCall {
			b.expand(e, mine, emit)
			continue
		}
		for _, q := range b.paths(e.path) {
			f := *e
			f.path, f.locks, f.chain = q, mine, b.chain(e.chain)
			f.own = e.own && (e.path.base.kind == alloc || !b.spawn && b.p.own(q, b.prefix[0].instr))
			f.to = b.all(e.to)
			if f.given > 0 {
				f.value, f.given = b.argument(f.given - 1)
			}
			b.full = !emit(&f)
		}
	}
}

// still are the caller's locks that the callee has not given back, or taken anew,
// when it comes to an operation.
func still(locks, mine []held) []held {
	known := func(h held) bool {
		return slices.ContainsFunc(mine, func(g held) bool { return g.lock.key == h.lock.key })
	}
	if !slices.ContainsFunc(locks, known) {
		return locks
	}
	return slices.DeleteFunc(slices.Clone(locks), known)
}

// all are the paths in the caller's terms, nil if one is not known there.
func (b *binding) all(ps []*path) []*path {
	var out []*path
	for _, q := range ps {
		qs := b.paths(q)
		if len(qs) == 0 {
			return nil
		}
		out = append(out, qs...)
	}
	return out
}

// argument is what is known of the argument for parameter i.
func (b *binding) argument(i int) (value, int) {
	if i >= len(b.values) {
		return anyValue, 0
	}
	return b.values[i], b.passed[i]
}

// expand makes a call of a function value its events, now that it is known.
func (b *binding) expand(e *event, locks []held, emit func(*event) bool) {
	for _, q := range b.paths(e.path) {
		f := *e
		f.path, f.locks, f.chain = q, locks, b.chain(e.chain)
		f.args = nil
		for _, a := range e.args {
			var ps []*path
			for _, x := range a {
				ps = append(ps, b.paths(x)...)
			}
			f.args = append(f.args, ps)
		}
		fn := b.p.WithBody(functionOf(q))
		if fn == nil {
			if q.base.kind == param || q.base.kind == free {
				b.full = !emit(&f)
			}
			continue
		}
		in := &binding{p: b.p, params: f.args, indices: make([]string, len(f.args)), spawn: f.chain.last().mode == spawned}
		for c := f.chain; c != nil; c = c.next {
			in.prefix = append(in.prefix, linkOf{c.instr, c.mode})
		}
		if mc, ok := q.base.obj.(*ssa.MakeClosure); ok {
			in.captured(mc)
		}
		in.events(b.p.summary(fn), locks, emit)
	}
}
