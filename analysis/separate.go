package analysis

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// separate reports whether two paths begin in different objects, each of which holds a
// reference to something of its own from there: two caches, each with a map
// that was made for it. What is stored there is known, and it is not the same.
func (f *finder) separate(p, q *path) bool {
	if p.base.kind != alloc || q.base.kind != alloc || p.base == q.base {
		return false
	}
	a, b := f.stored(p), f.stored(q)
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for _, x := range a {
		for _, y := range b {
			if x.key == y.key {
				return false
			}
		}
	}
	return true
}

// resolved is a path that goes through a reference of the object where it begins,
// if one thing only is stored there, as the way to that thing.
func (f *finder) resolved(p *path) *path {
	for range maxSteps {
		i := slices.IndexFunc(p.steps, func(s step) bool { return s.kind == toDeref })
		if i < 0 || p.base.kind != alloc {
			break
		}
		var to *path
		for _, w := range f.stores[rebuilt(p, i).key] {
			if w.value == nilValue {
				continue
			}
			if len(w.to) != 1 || to != nil && to.key != w.to[0].key {
				return p
			}
			to = w.to[0]
		}
		if to == nil {
			break
		}
		for _, s := range p.steps[i+1:] {
			if to = to.with(s, nil); to == nil {
				return p
			}
		}
		p = to
	}
	return p
}

// stored are the objects that the first reference on a path may lead to, nil if
// they are not all known.
func (f *finder) stored(p *path) []*path {
	i := 0
	for i < len(p.steps) && p.steps[i].kind != toDeref {
		i++
	}
	if i == len(p.steps) {
		return nil
	}
	var out []*path
	for _, w := range f.stores[rebuilt(p, i).key] {
		if w.value == nilValue {
			continue
		}
		if len(w.to) == 0 {
			return nil
		}
		for _, q := range w.to {
			if q.base.kind != alloc || len(q.steps) > 0 || !madeHere(q) {
				return nil
			}
			out = append(out, q)
		}
	}
	return out
}

// madeHere reports whether the object is made where its path begins, not by code that is not
// seen, which might return one object twice.
func madeHere(q *path) bool {
	_, unseen := q.base.ctx.last().instr.(ssa.CallInstruction)
	return !unseen
}

// perhapsTwo reports whether it is not known that two operations concern one object.
func (f *finder) perhapsTwo(x, y *event) bool {
	if mayAlias(x.path, y.path) < same {
		return mayAlias(f.resolved(x.path), f.resolved(y.path)) < same
	}
	common, _, _ := part(x.chain, y.chain)
	return loose(x.path) && spawnsAt(x.chain) < common && spawnsAt(x.chain) >= 0
}

// loose reports whether a path goes through an element of which it is not known
// which one it is: through it two goroutines may well get at two objects.
func loose(q *path) bool {
	for i, s := range q.steps {
		if s.kind == toElem && s.index == "" && (i < len(q.steps)-1) {
			return true
		}
	}
	return false
}
