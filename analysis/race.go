package analysis

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// races are accesses that no lock keeps apart, and uses of what another
// goroutine tears down, locked or not.
func (f *finder) races() {
	for _, name := range f.names {
		es := f.buckets[name]
		for i, x := range es {
			for _, y := range es[i:] {
				f.race(name, x, y)
			}
		}
		if f.p.ctx.Err() != nil {
			return
		}
	}
}

func (f *finder) race(name string, x, y *event) {
	if !x.op.writes() && !y.op.writes() {
		return
	}
	alias := mayAlias(x.path, y.path)
	if alias == never || f.separate(x.path, y.path) {
		return
	}
	torn := teardown(x, y) || teardown(y, x)
	lock := f.common(x, y)
	if (lock != nil || x.op.atomic() && y.op.atomic()) && !torn || !f.en.parallel(x, y) {
		return
	}
	if !x.op.writes() || teardown(y, x) && !teardown(x, y) {
		x, y = y, x
	}
	c := &candidate{kind: Race, x: x, y: y, what: x.path.words(), group: name}
	if torn {
		c.kind = Order
		f.torn(c, alias, lock)
	} else {
		f.bare(c, alias)
	}
	f.add(c)
}

// bare is a race without a lock in common.
func (f *finder) bare(c *candidate, alias float64) {
	x, y := c.x, c.y
	hx, hy := locksOf(x), locksOf(y)
	c.score = 0.5 + 0.25*alias
	switch {
	case len(hx) > 0 && len(hy) > 0:
		c.score += 0.1
		c.why = fmt.Sprintf("the locks differ: %s here, %s there", hx[0].lock.short(), hy[0].lock.short())
	case len(hx) > 0:
		c.score += 0.12
		c.why = fmt.Sprintf("the %s holds %s, the %s holds no lock", x.op, hx[0].lock.short(), y.op)
	case len(hy) > 0:
		c.score += 0.12
		c.why = fmt.Sprintf("the %s holds %s, the %s holds no lock", y.op, hy[0].lock.short(), x.op)
	default:
		c.why = "no lock is held at either"
	}
	if len(x.locks) > len(hx) || len(y.locks) > len(hy) {
		c.why += "; a sync.Once orders only those that call its Do"
	}
	if x.op.atomic() != y.op.atomic() {
		c.why = "one of the two is atomic, the other is not"
		c.score += 0.05
	}
	last := step{}
	if n := len(x.path.steps); n > 0 {
		last = x.path.steps[n-1]
	}
	switch {
	case last.kind == toSpare:
		c.score += 0.15
		c.why = "append writes behind the slice's length, into memory that all who append to it share; " + c.why
	case last.kind == toElem && isSlice(x):
		c.score -= 0.3 // the elements are usually different ones
	case x.value == derived && x.op == opWrite:
		c.score += 0.06
		c.why = "read, changed and written back in steps: an update is lost if another comes between; " + c.why
	}
	if f.en.callers && (fluent(x.chain.instr.Parent()) || fluent(y.chain.instr.Parent())) {
		c.score -= 0.2 // set up before it is shared
	}
	if f.flagged(x, y) {
		c.score -= 0.2 // an atomic or another lock region seems to keep them in order
	}
}

// fluent reports a method that returns its receiver, or is called With..., as
// those do that set something up in a chain of calls.
func fluent(fn *ssa.Function) bool {
	sig := fn.Signature
	if strings.HasPrefix(fn.Name(), "With") && sig.Recv() != nil && sig.Results().Len() == 1 {
		return true
	}
	return sig.Recv() != nil && sig.Results().Len() == 1 && types.Identical(sig.Recv().Type(), sig.Results().At(0).Type())
}

func isSlice(e *event) bool {
	_, isMap := e.chain.last().instr.(*ssa.MapUpdate)
	if c, ok := e.chain.last().instr.(*ssa.Call); ok {
		b, ok := c.Call.Value.(*ssa.Builtin)
		isMap = ok && (b.Name() == "delete" || b.Name() == "clear")
	}
	return !isMap
}

// teardown reports whether x drops the reference that y goes through.
func teardown(x, y *event) bool {
	if !x.op.writes() || x.value != nilValue || y.op.writes() || len(x.path.steps) == 0 {
		return false
	}
	switch in := x.chain.last().instr.(type) {
	case *ssa.Store:
		return breaks(in.Val.Type())
	case *ssa.Call:
		return x.op == opStore && len(in.Call.Args) > 1 && breaks(in.Call.Args[1].Type())
	}
	return false
}

// breaks reports whether a nil value of the type can't be used as others can.
func breaks(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Signature:
		return true
	}
	return false
}

func (f *finder) torn(c *candidate, alias float64, lock *held) {
	c.score = 0.5 + 0.3*alias
	c.why = "it is set to nil here, and nothing makes sure that the other goroutine is done with it"
	if lock != nil || c.x.op.atomic() {
		c.score -= 0.05
		if alias < same {
			c.score -= 0.15
		}
		c.why += "; the lock does not order the two"
	}
	if lock != nil && f.unlinks(c.x) {
		c.score -= 0.3
	}
	if f.ready(c.y, lock != nil) {
		c.score -= 0.4 // the reader is ready for nil
	}
	if slices.Contains([]string{"Close", "Stop", "Shutdown"}, c.x.fn.Name()) && f.en.callers {
		c.score -= 0.1
	}
}

// unlinks reports whether the object is taken out of a linked structure where
// its fields are cleared: under the lock, nobody gets at it any more.
func (f *finder) unlinks(x *event) bool {
	at, ok := x.chain.last().instr.(*ssa.Store)
	if !ok {
		return false
	}
	field, ok := at.Addr.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	for _, b := range at.Parent().Blocks {
		for _, in := range b.Instrs {
			st, ok := in.(*ssa.Store)
			if !ok || isNil(st.Val) || !types.Identical(st.Val.Type(), field.X.Type()) {
				continue
			}
			if other, ok := st.Addr.(*ssa.FieldAddr); ok && other.X != field.X && f.p.Before(st, at) {
				return true // e.prev.next = e.next
			}
		}
	}
	return false
}

// ready reports whether the reader is ready for nil: the reading is compared
// with nil, or under the lock an earlier one in its region was.
func (f *finder) ready(y *event, locked bool) bool {
	if f.p.quiet(y.chain.last().instr) {
		return true
	}
	for _, r := range f.buckets[y.path.bucket()] {
		if locked && r != y && !r.op.writes() && r.path.key == y.path.key && region(r, y) && f.p.quiet(r.chain.last().instr) {
			if rr, ry, ok := f.follows(r, y); ok && f.p.Before(rr.instr, ry.instr) {
				return true
			}
		}
	}
	return false
}

// comparesNil reports whether a loaded reference is compared with nil.
func (p *summarizer) comparesNil(load ssa.Instruction) bool {
	v, ok := load.(ssa.Value)
	return ok && slices.ContainsFunc(p.derivedFrom(v), func(x ssa.Value) bool { return isNilTest(x) })
}

func isNilTest(v ssa.Value) bool {
	cmp, ok := v.(*ssa.BinOp)
	return ok && (isNil(cmp.X) || isNil(cmp.Y))
}

// quiet reports whether a loaded reference is compared with nil and the nil
// case does not panic.
func (p *summarizer) quiet(load ssa.Instruction) bool {
	v, ok := load.(ssa.Value)
	if !ok {
		return false
	}
	tested := false
	for _, cond := range p.branchesOn(v) {
		if !isNilTest(cond.Cond) {
			continue
		}
		for _, s := range cond.Block().Succs {
			if _, panics := s.Instrs[len(s.Instrs)-1].(*ssa.Panic); panics {
				return false
			}
		}
		tested = true
	}
	return tested
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// flagged reports whether an atomic store after x and an atomic load before y,
// or the other way round, seem to hand the data over.
func (f *finder) flagged(x, y *event) bool {
	for _, name := range f.names {
		for _, w := range f.buckets[name] {
			if !w.op.atomic() || !w.op.writes() {
				continue
			}
			for _, r := range f.buckets[name] {
				if r.op.atomic() && r.op != opStore && (f.hands(x, w, r, y) || f.hands(y, w, r, x)) {
					return true
				}
			}
		}
	}
	return false
}

func (f *finder) hands(x, w, r, y *event) bool {
	_, _, after := f.follows(x, w)
	if !after || !f.en.lastBefore(x, w) {
		return false
	}
	return r != w && f.en.precedes(r, y) && mayAlias(w.path, r.path) > never
}
