package analysis

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/analysis/program"
)

// candidate is a pair before it is ranked.
type candidate struct {
	kind  Kind
	score float64
	x, y  *event
	then  *event // atomicity
	what  string
	why   string
	group string // candidates of a group say much the same
	en    *entry
	doubt string // why it is likely no bug
	ready *event // order: the write that says that what x writes is there
}

// causes are what the candidate is about: a field, a variable, the locks of a
// deadlock, and the functions of which one lacks a lock or does something twice. Of
// the pairs about one, the first is shown.
func (c *candidate) causes() []string {
	b := c.x.path.bucket()
	if c.kind == Deadlock && len(c.x.locks) > 0 {
		return []string{join(b, c.x.locks[len(c.x.locks)-1].lock.bucket())}
	}
	out := []string{strings.TrimRight(b, "[]*+")}
	x, y := c.x.fn, c.y.fn
	if c.en.callers {
		x, y = c.x.chain.instr.Parent(), c.y.chain.instr.Parent()
	}
	if c.kind == Channel || c.kind == Race && len(c.x.locks)+len(c.y.locks) > 0 {
		out = append(out, string(c.kind)+join(identity(x), identity(y)))
	}
	return out
}

// join two names in one order.
func join(a, b string) string { return min(a, b) + " " + max(a, b) }

// finder looks for candidates among the events of one entry.
type finder struct {
	p         *summarizer
	en        *entry
	out       []*candidate
	buckets   map[string][]*event // accesses
	names     []string            // of buckets, in the order of their first event
	byOp      map[op][]*event
	stores    map[string][]*event // writes of references, by the key of where
	read, set []*event            // reads, and writes of constants or by compare and swap, of what may be a flag
}

// maxBucket bounds the quadratic part: accesses of one location that are
// compared with each other.
const maxBucket = 80

func (p *summarizer) find(en *entry) []*candidate {
	f := &finder{p: p, en: en, buckets: map[string][]*event{}, byOp: map[op][]*event{}, stores: map[string][]*event{}}
	en.index()
	seen := map[string]map[ssa.Instruction]int{}
	for _, e := range en.events {
		if !e.op.access() {
			f.byOp[e.op] = append(f.byOp[e.op], e)
			continue
		}
		if e.op.writes() && pointerLike(e.path.typ) {
			f.stores[e.path.key] = append(f.stores[e.path.key], e)
		}
		f.flag(e)
		b := e.path.bucket()
		if b == "" || e.own {
			continue
		}
		if seen[b] == nil {
			seen[b] = map[ssa.Instruction]int{}
			f.names = append(f.names, b)
		}
		// One operation reached in many ways says little more than in a few.
		if seen[b][e.chain.last().instr]++; seen[b][e.chain.last().instr] > 6 || len(f.buckets[b]) >= maxBucket {
			continue
		}
		f.buckets[b] = append(f.buckets[b], e)
	}
	for _, find := range []func(){f.races, f.atomicity, f.publications, f.deadlocks, f.blockedHolding,
		f.channels, f.lostMessages, f.conditions, f.contention} {
		if p.ctx.Err() != nil {
			break
		}
		find()
	}
	return f.out
}

func (f *finder) add(c *candidate) {
	c.en = f.en
	if f.en.callers {
		c.score *= 0.72 // nobody may call these at once
	}
	if c.doubt == "" {
		c.doubt = f.doubt(c)
	}
	f.out = append(f.out, c)
}

// common returns a lock by which two operations exclude each other, nil if
// there is none.
func (f *finder) common(x, y *event) *held {
	for i, h := range x.locks {
		for _, g := range y.locks {
			if h.mode == forReading && g.mode == forReading {
				continue
			}
			if h.once && g.once && h.at == g.at && h.done != g.done && f.startedBefore(x, y, g.done) {
				continue
			}
			if f.sameLock(x, y, h.lock, g.lock) {
				return &x.locks[i]
			}
		}
	}
	return nil
}

// startedBefore reports whether, of two operations in what a sync.Once runs, one is in a
// goroutine that is started there before the other.
func (f *finder) startedBefore(x, y *event, inY bool) bool {
	_, rx, ry := part(x.chain, y.chain)
	if !inY {
		rx, ry = ry, rx
	}
	return rx == nil || ry == nil || f.p.linkFollows(ry, rx)
}

// sameLock reports whether two locks are one, if the two operations concern one object.
func (f *finder) sameLock(x, y *event, h, g *path) bool {
	common, _, _ := part(x.chain, y.chain)
	for i := range common {
		if link := nth(x.chain, i); link.mode == spawned && f.en.ownObject(&event{path: h, chain: x.chain}, i) {
			if f.p.loops(x.chain, i) {
				return false // each goroutine has one of its own
			}
		}
	}
	return mayAlias(h, g) > never
}

func nth(c *chain, i int) *chain {
	for range i {
		c = c.next
	}
	return c
}

// loops reports whether one of the first links of a chain is in a loop.
func (p *summarizer) loops(c *chain, upTo int) bool {
	for i := 0; i <= upTo && c != nil; i, c = i+1, c.next {
		if p.InLoop(c.instr) {
			return true
		}
	}
	return false
}

// region reports whether two operations of one goroutine are in one lock
// region: a lock was taken once for both.
func region(x, y *event) bool {
	for _, h := range x.locks {
		for _, g := range y.locks {
			if h.at == g.at {
				return true
			}
		}
	}
	return false
}

// protected reports whether an operation holds a lock or is atomic by itself.
func protected(e *event) bool {
	return slices.ContainsFunc(e.locks, func(h held) bool { return !h.done }) || e.op.atomic()
}

// follows returns what is left of the chains of two operations of one goroutine,
// if y may follow x there.
func (f *finder) follows(x, y *event) (rx, ry *chain, ok bool) {
	_, rx, ry = part(x.chain, y.chain)
	if rx == nil || ry == nil || rx.spawns() || ry.spawns() || rx.instr.Parent() != ry.instr.Parent() {
		return nil, nil, false
	}
	return rx, ry, f.p.linkFollows(rx, ry)
}

// derivedFrom are the values of a function that are made from v, v first, as
// far as it makes sense to look.
func (p *summarizer) derivedFrom(v ssa.Value) []ssa.Value {
	derived := p.facts(v.Parent()).derived
	if set, ok := derived[v]; ok {
		return set
	}
	set := []ssa.Value{v}
	for i := 0; i < len(set) && len(set) < maxDerived; i++ {
		refs := set[i].Referrers()
		if refs == nil {
			continue
		}
		for _, r := range *refs {
			var next ssa.Value
			switch r := r.(type) {
			case *ssa.Store:
				if a, ok := r.Addr.(*ssa.Alloc); ok && r.Val == set[i] {
					next = a
				}
			case ssa.Value:
				next = r
			}
			if next != nil && !slices.Contains(set, next) {
				set = append(set, next)
			}
		}
	}
	derived[v] = slices.Clip(set)
	return set
}

// maxDerived bounds the values that are followed from one.
const maxDerived = 60

// dependence of one operation on what another one returned.
type dependence uint8

const (
	independent dependence = iota
	byBranch               // it is executed only if the value is so and so
	byValue                // it is given the value
)

// depends says how the link b depends on the value of link a, of one function.
func (p *summarizer) depends(a, b *chain) dependence {
	v, ok := a.instr.(ssa.Value)
	if !ok || a.mode != plain {
		return independent
	}
	key := [2]ssa.Instruction{a.instr, b.instr}
	known := p.facts(v.Parent()).dependences
	d, ok := known[key]
	if !ok {
		d = p.dependsOn(v, b.instr)
		known[key] = d
	}
	return d
}

func (p *summarizer) dependsOn(v ssa.Value, in ssa.Instruction) dependence {
	set := p.derivedFrom(v)
	self, _ := in.(ssa.Value)
	for _, o := range in.Operands(nil) {
		if o != nil && *o != nil && slices.Contains(set, *o) && (*o != v || self != v) {
			return byValue
		}
	}
	for _, cond := range p.branchesOn(v) {
		if program.OnlyIfTaken(cond, 0, in) || program.OnlyIfTaken(cond, 1, in) {
			return byBranch
		}
	}
	return independent
}

// branchesOn are the branches that depend on the value.
func (p *summarizer) branchesOn(v ssa.Value) []*ssa.If {
	var out []*ssa.If
	for _, x := range p.derivedFrom(v) {
		refs := x.Referrers()
		if refs == nil {
			continue
		}
		for _, r := range *refs {
			if cond, ok := r.(*ssa.If); ok {
				out = append(out, cond)
			}
		}
	}
	return out
}

// decides reports whether the value of the link is looked at in a branch.
func (p *summarizer) decides(a *chain) bool {
	v, ok := a.instr.(ssa.Value)
	return ok && len(p.branchesOn(v)) > 0
}
