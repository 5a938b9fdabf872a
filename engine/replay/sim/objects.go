package sim

import "github.com/hocket-dev/hocket/engine/trace"

// object is what all shared objects have in common.
type object struct {
	id trace.ObjID
	vc clock // released by synchronisation on it
}

func (t *Thread) object() object {
	t.m.objects++
	return object{id: trace.ObjID(t.m.objects)}
}

// sync joins clocks both ways: more happens-before than Go's memory model
// gives some operations, which is good enough to drive tests.
func (t *Thread) sync(o *object) {
	t.vc.join(o.vc)
	o.vc = t.vc.clone()
	t.vc.tick(t.id)
}

// Int is a shared variable.
type Int struct {
	object
	v      int
	access shadow
}

// Int makes a variable.
func (t *Thread) Int() *Int { return &Int{object: t.object()} }

// Load is an atomic load, Store an atomic store.
func (t *Thread) Load(v *Int) (x int) {
	t.perform(&op{kind: trace.OpAtomicLoad, obj: &v.object, at: here(), do: func() { t.sync(&v.object); x = v.v }})
	return x
}

func (t *Thread) Store(v *Int, x int) {
	t.perform(&op{kind: trace.OpAtomicStore, obj: &v.object, at: here(), write: true, do: func() { t.sync(&v.object); v.v = x }})
}

// Add is an atomic addition; it returns the new value.
func (t *Thread) Add(v *Int, d int) (x int) {
	t.perform(&op{kind: trace.OpAtomicRMW, obj: &v.object, at: here(), write: true, do: func() {
		t.sync(&v.object)
		v.v += d
		x = v.v
	}})
	return x
}

// Read and Write are plain accesses: switch points only where hot.
func (t *Thread) Read(v *Int) (x int) {
	t.plain(&op{kind: trace.OpRead, obj: &v.object, at: here(), do: func() { x = v.v }}, v)
	return x
}

func (t *Thread) Write(v *Int, x int) {
	t.plain(&op{kind: trace.OpWrite, obj: &v.object, at: here(), write: true, do: func() { v.v = x }}, v)
}

func (t *Thread) plain(o *op, v *Int) {
	do := o.do
	o.do = func() { v.access.check(t, o); do() }
	if t.m.hot[o.at.pc] {
		t.perform(o)
		return
	}
	o.do()
}

// Mutex is a lock.
type Mutex struct {
	object
	held bool
}

// Mutex makes a lock.
func (t *Thread) Mutex() *Mutex { return &Mutex{object: t.object()} }

func (t *Thread) lockOp(m *Mutex, at place) *op {
	return &op{
		kind: trace.OpLock, obj: &m.object, at: at, write: true, reason: "sync.Mutex.Lock",
		ready: func() bool { return !m.held },
		do:    func() { m.held = true; t.sync(&m.object) },
	}
}

// Lock and Unlock are those of sync.Mutex.
func (t *Thread) Lock(m *Mutex) { t.perform(t.lockOp(m, here())) }

func (t *Thread) Unlock(m *Mutex) {
	t.perform(&op{kind: trace.OpUnlock, obj: &m.object, at: here(), write: true, do: func() {
		m.held = false
		t.sync(&m.object)
	}})
}

// Cond is a condition variable without a lock of its own.
type Cond struct {
	object
	waiting []*bool
}

// Cond makes a condition variable.
func (t *Thread) Cond() *Cond { return &Cond{object: t.object()} }

// Wait releases m, waits for a signal and takes m again.
func (t *Thread) Wait(c *Cond, m *Mutex) {
	at, woken := here(), false
	t.perform(&op{kind: trace.OpCondWait, obj: &c.object, at: at, write: true, do: func() {
		c.waiting = append(c.waiting, &woken)
		m.held = false
		t.sync(&m.object)
	}})
	t.perform(&op{
		kind: trace.OpCondWake, obj: &c.object, at: at, reason: "sync.Cond.Wait",
		ready: func() bool { return woken }, do: func() { t.sync(&c.object) },
	})
	t.perform(t.lockOp(m, at))
}

// Signal wakes one waiter.
func (t *Thread) Signal(c *Cond) {
	t.perform(&op{kind: trace.OpSignal, obj: &c.object, at: here(), write: true, do: func() {
		t.sync(&c.object)
		if len(c.waiting) > 0 {
			*c.waiting[0] = true
			c.waiting = c.waiting[1:]
		}
	}})
}

// WaitGroup is sync.WaitGroup.
type WaitGroup struct {
	object
	n int
}

// WaitGroup makes one that waits for n Done calls.
func (t *Thread) WaitGroup(n int) *WaitGroup { return &WaitGroup{object: t.object(), n: n} }

// Done and Join are Done and Wait of sync.WaitGroup.
func (t *Thread) Done(w *WaitGroup) {
	t.perform(&op{kind: trace.OpWGDone, obj: &w.object, at: here(), write: true, do: func() { t.sync(&w.object); w.n-- }})
}

func (t *Thread) Join(w *WaitGroup) {
	t.perform(&op{
		kind: trace.OpWGWait, obj: &w.object, at: here(), reason: "sync.WaitGroup.Wait",
		ready: func() bool { return w.n <= 0 }, do: func() { t.sync(&w.object) },
	})
}
