package analysis

import (
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// baseKind is where an access path begins.
type baseKind uint8

const (
	noBase   baseKind = iota
	global            // a package variable
	alloc             // made at a place, in a calling context
	param             // a parameter, receiver included, of the function at hand
	free              // a captured variable of the function at hand
	outside           // what an unknown caller passed
	function          // a function value
)

// base is what an access path begins with. Comparable.
type base struct {
	kind  baseKind
	obj   any    // *ssa.Global, *ssa.Function, *types.TypeName for outside, else nil
	index int    // of param and free
	ctx   *chain // of alloc: the way to the instruction that makes it
}

// stepKind is one step of a path.
type stepKind uint8

const (
	toField stepKind = iota
	toElem           // any element of a slice, array, map; what a channel carries
	toSpare          // elements behind a slice's length, written by append
	toDeref          // what the pointer stored here points to
)

type step struct {
	kind  stepKind
	field token.Pos // of the field's declaration; so the variants of a package agree
	name  string
	index string // of toElem: a constant index, "own" for one of the goroutine's own, "" unknown
}

// path is an address: of a variable, field, element, or object. Immutable.
// Interned by key.
type path struct {
	base   base
	steps  []step
	typ    types.Type // of what lies there, may be nil
	name   string     // of the base, for people
	unsure bool       // one of several possibilities
	key    string
	text   string // memo of typ as text
}

// maxSteps bounds recursion through linked structures.
const maxSteps = 6

func newPath(b base, name string, typ types.Type) *path {
	p := &path{base: b, name: name, typ: typ}
	p.key = fmt.Sprintf("%d:%p:%s:%d", b.kind, b.ctx, identity(b.obj), b.index)
	return p
}

// identity tells objects apart; only equality of the result means something.
func identity(obj any) string {
	if pos, ok := obj.(token.Pos); ok {
		return strconv.Itoa(int(pos))
	}
	return fmt.Sprintf("%p", obj)
}

// with is the path one step further; nil if that is too far.
func (p *path) with(s step, typ types.Type) *path {
	if p == nil || len(p.steps) >= maxSteps || p.base.kind == function {
		return nil
	}
	q := &path{base: p.base, name: p.name, typ: typ, unsure: p.unsure}
	q.steps = append(append(make([]step, 0, len(p.steps)+1), p.steps...), s)
	q.key = fmt.Sprintf("%s/%d.%d%s", p.key, s.kind, s.field, s.index)
	return q
}

// ofSome is a field's path of an object that is not known, nil if the path ends in no field.
func (p *path) ofSome() *path {
	n := len(p.steps)
	if n == 0 || p.steps[n-1].kind != toField {
		return nil
	}
	return newPath(base{}, "", nil).with(p.steps[n-1], p.typ).doubtful()
}

func (p *path) doubtful() *path {
	if p == nil || p.unsure {
		return p
	}
	q := *p
	q.unsure = true
	return &q
}

// bucket groups paths that may be the same location: those that end in the
// same field, or are the same variable. "" if it can't be told.
func (p *path) bucket() string {
	suffix := ""
	for i := len(p.steps) - 1; i >= 0; i-- {
		switch s := p.steps[i]; s.kind {
		case toField:
			return fmt.Sprintf("f%d%s", s.field, suffix)
		case toElem:
			suffix = "[]" + suffix
		case toSpare:
			suffix = "+" + suffix
		case toDeref:
			suffix = "*" + suffix
		}
	}
	switch p.base.kind {
	case global:
		return "g" + identity(p.base.obj) + suffix
	case alloc:
		return fmt.Sprintf("a%p%s", p.base.ctx.last().instr, suffix)
	case outside:
		return "o" + identity(p.base.obj) + suffix
	}
	return ""
}

// words is the path for people: "field n of cache", "variable total".
func (p *path) words() string {
	what, i := "", len(p.steps)-1
	for ; i >= 0 && p.steps[i].kind != toField; i-- {
		switch p.steps[i].kind {
		case toElem:
			what = "elements of "
		case toSpare:
			what = "spare capacity of "
		}
	}
	if i >= 0 {
		owner := ""
		if cut := strings.LastIndexByte(p.steps[i].name, '.'); cut >= 0 {
			owner = p.steps[i].name[:cut]
			return what + "field " + p.steps[i].name[cut+1:] + " of " + owner + p.of(i)
		}
		return what + "field " + p.steps[i].name
	}
	if p.name == "" {
		return what + "a value"
	}
	if p.base.kind == outside {
		return what + p.name
	}
	return what + "variable " + p.name
}

// of names the variable or field that holds the struct itself, by which equal
// fields are told apart.
func (p *path) of(i int) string {
	if i > 0 && p.steps[i-1].kind == toField {
		return " in " + p.steps[i-1].name
	}
	if i == 0 && p.base.kind == global {
		return " in " + p.name
	}
	return ""
}

// short is the path as code would say it: "Cache.mu", "live.mu".
func (p *path) short() string {
	for i := len(p.steps) - 1; i >= 0; i-- {
		if p.steps[i].kind != toField {
			continue
		}
		if i == 0 && p.base.kind == global && p.name != "" {
			return p.name + "." + lastName(p.steps[i].name)
		}
		return p.steps[i].name
	}
	if p.name == "" {
		return "lock"
	}
	return p.name
}

func lastName(name string) string {
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Sureness of mayAlias.
const (
	never  = 0.0
	byType = 0.45 // nothing but the type speaks for it
	likely = 0.7
	same   = 1.0
)

// mayAlias says how likely two addresses are one, from 0 to 1.
func mayAlias(p, q *path) float64 {
	i, j := len(p.steps)-1, len(q.steps)-1
	through := false // a pointer was followed
	for ; i >= 0 && j >= 0; i, j = i-1, j-1 {
		s, t := p.steps[i], q.steps[j]
		if s.kind != t.kind || s.field != t.field || distinct(s, t) {
			if through && s.kind != toSpare && t.kind != toSpare && !siblings(s, t) && alike(p, q) {
				return byType
			}
			return never
		}
		through = through || s.kind == toDeref
	}
	var v float64
	switch {
	case i < 0 && j < 0:
		v = aliasBases(p.base, q.base, through)
	case i < 0:
		v = rooted(p, q, j, through)
	default:
		v = rooted(q, p, i, through)
	}
	if v < same && !alike(p, q) {
		return never
	}
	return v
}

func (p *path) typeText() string {
	if p.text == "" {
		p.text = types.TypeString(p.typ, nil)
	}
	return p.text
}

// alike reports whether the types, where known, are the same. Variants of a package have types
// of their own, so their names are compared.
func alike(p, q *path) bool {
	if p.typ == nil || q.typ == nil || types.Identical(p.typ, q.typ) {
		return true
	}
	return p.typeText() == q.typeText()
}

// siblings reports whether different fields of one struct hold different objects, as a rule.
func siblings(s, t step) bool {
	cut := func(x step) string { return x.name[:strings.LastIndexByte(x.name, '.')+1] }
	return s.kind == toField && t.kind == toField && cut(s) != "" && cut(s) == cut(t)
}

func distinct(s, t step) bool {
	return s.kind == toElem && s.index != "" && t.index != "" && (s.index != t.index || s.index == "own")
}

func aliasBases(a, b base, through bool) float64 {
	if a == b {
		return same
	}
	known := func(x base) bool { return x.kind == global || x.kind == alloc }
	switch {
	case known(a) && known(b):
		if through {
			return byType
		}
		return never
	case a.kind == outside && b.kind == outside:
		if a.obj != b.obj && !through {
			return never
		}
		return byType
	}
	return byType
}

// rooted: p is at its base, q goes on at step j.
func rooted(p, q *path, j int, through bool) float64 {
	switch {
	case q.steps[j].kind == toDeref:
		if p.base.kind == global && !through {
			return never // hardly anyone points to a variable of a package
		}
		return byType
	case through:
		return byType
	case p.base.kind == outside:
		return byType * 0.8
	}
	return never
}
