package sim

import "github.com/hocket-dev/hocket/engine/trace"

// Int is a shared variable.
type Int struct {
	object
	v      int
	access shadow
}

// Int makes a variable.
func (t *Thread) Int() *Int { return t.intAt(t.here()) }

func (t *Thread) intAt(at place) *Int {
	return &Int{object: t.object(at, trace.ObjHeap, "int", "int", 8, 0)}
}

// atomic is an operation of sync/atomic; do returns the event's value and aux.
func (t *Thread) atomic(kind trace.Op, v *Int, at place, write bool, do func() (value, aux uint64)) {
	o := &op{kind: kind, obj: &v.object, at: at, write: write}
	o.run = always(func() { o.value, o.aux = do() })
	t.perform(o)
}

// Load is an atomic load, Store an atomic store.
func (t *Thread) Load(v *Int) int { return t.loadAt(v, t.here()) }

func (t *Thread) loadAt(v *Int, at place) (x int) {
	t.atomic(trace.OpAtomicLoad, v, at, false, func() (uint64, uint64) {
		t.acquire(&v.object)
		x = v.v
		return uint64(x), 0
	})
	return x
}

func (t *Thread) Store(v *Int, x int) { t.storeAt(v, x, t.here()) }

func (t *Thread) storeAt(v *Int, x int, at place) {
	t.atomic(trace.OpAtomicStore, v, at, true, func() (uint64, uint64) {
		t.releaseMerge(&v.object)
		v.v = x
		return uint64(x), 0
	})
}

// Add is an atomic addition, Swap an exchange: Add returns the new value, Swap
// the old one.
func (t *Thread) Add(v *Int, d int) (x int) {
	t.rmw(v, t.here(), func(old int) int { x = old + d; return x })
	return x
}

func (t *Thread) Swap(v *Int, x int) (old int) {
	t.rmw(v, t.here(), func(o int) int { old = o; return x })
	return old
}

func (t *Thread) rmw(v *Int, at place, f func(old int) int) {
	t.atomic(trace.OpAtomicRMW, v, at, true, func() (uint64, uint64) {
		t.acquire(&v.object)
		t.releaseMerge(&v.object)
		old := v.v
		v.v = f(old)
		return uint64(v.v), uint64(old)
	})
}

// CAS is an atomic compare-and-swap.
func (t *Thread) CAS(v *Int, old, new int) bool { return t.casAt(v, old, new, t.here()) }

func (t *Thread) casAt(v *Int, old, new int, at place) (swapped bool) {
	t.atomic(trace.OpAtomicCAS, v, at, true, func() (uint64, uint64) {
		t.acquire(&v.object)
		found := v.v
		t.m.event(t, trace.Event{Op: trace.OpAtomicOld, Obj: v.id, Stack: t.m.stack(at), Value: uint64(old), HasValue: true})
		if swapped = found == old; swapped {
			t.releaseMerge(&v.object)
			v.v = new
			return 1, uint64(new)
		}
		return 0, uint64(found)
	})
	return swapped
}

// Read and Write are plain accesses: switch points only where hot.
func (t *Thread) Read(v *Int) (x int) {
	t.plain(&op{kind: trace.OpRead, obj: &v.object, at: t.here(), aux: 8}, v, func() int { x = v.v; return x })
	return x
}

func (t *Thread) Write(v *Int, x int) {
	t.plain(&op{kind: trace.OpWrite, obj: &v.object, at: t.here(), write: true, aux: 8}, v, func() int { v.v = x; return x })
}

func (t *Thread) plain(o *op, v *Int, do func() int) {
	o.inner = !t.m.hot[o.at.pc]
	if o.inner {
		t.m.first(t)
	}
	o.run = always(func() {
		v.access.check(t, o)
		o.value = uint64(do())
	})
	t.perform(o)
}
