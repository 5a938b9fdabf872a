//go:build hocket_overlay

package sync

import (
	"internal/race"
	"unsafe"
)

// Wrappers of sync's operations: a switch point before, an event after. The
// overlay generator renames the originals to hkOrig...; the op numbers
// (hkOp...) are added to this package by the generator.

//go:linkname hkPoolDrop runtime.hkPoolDrop
func hkPoolDrop() bool

//go:linkname hkPoint runtime.hkPoint
func hkPoint(op uint8, addr unsafe.Pointer)

//go:linkname hkDone runtime.hkDone
func hkDone(op uint8, addr unsafe.Pointer, val, aux uint64)

//go:linkname hkNote runtime.hkNote
func hkNote(op uint8, addr unsafe.Pointer, val, aux uint64)

//go:linkname hkNest runtime.hkNest
func hkNest(d int32)

func hkBool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (m *Mutex) Lock() {
	hkPoint(hkOpLock, unsafe.Pointer(m))
	hkNest(1)
	m.hkOrigLock()
	hkNest(-1)
	hkDone(hkOpLock, unsafe.Pointer(m), 0, 0)
}

func (m *Mutex) TryLock() bool {
	hkPoint(hkOpTryLock, unsafe.Pointer(m))
	hkNest(1)
	ok := m.hkOrigTryLock()
	hkNest(-1)
	hkDone(hkOpTryLock, unsafe.Pointer(m), hkBool(ok), 0)
	return ok
}

func (m *Mutex) Unlock() {
	hkPoint(hkOpUnlock, unsafe.Pointer(m))
	hkNest(1)
	m.hkOrigUnlock()
	hkNest(-1)
	hkDone(hkOpUnlock, unsafe.Pointer(m), 0, 0)
}

func (rw *RWMutex) Lock() {
	hkPoint(hkOpLock, unsafe.Pointer(rw))
	hkNest(1)
	rw.hkOrigLock()
	hkNest(-1)
	hkDone(hkOpLock, unsafe.Pointer(rw), 0, 0)
}

func (rw *RWMutex) TryLock() bool {
	hkPoint(hkOpTryLock, unsafe.Pointer(rw))
	hkNest(1)
	ok := rw.hkOrigTryLock()
	hkNest(-1)
	hkDone(hkOpTryLock, unsafe.Pointer(rw), hkBool(ok), 0)
	return ok
}

func (rw *RWMutex) Unlock() {
	hkPoint(hkOpUnlock, unsafe.Pointer(rw))
	hkNest(1)
	rw.hkOrigUnlock()
	hkNest(-1)
	hkDone(hkOpUnlock, unsafe.Pointer(rw), 0, 0)
}

func (rw *RWMutex) RLock() {
	hkPoint(hkOpRLock, unsafe.Pointer(rw))
	hkNest(1)
	rw.hkOrigRLock()
	hkNest(-1)
	hkDone(hkOpRLock, unsafe.Pointer(rw), 0, 0)
}

func (rw *RWMutex) TryRLock() bool {
	hkPoint(hkOpTryRLock, unsafe.Pointer(rw))
	hkNest(1)
	ok := rw.hkOrigTryRLock()
	hkNest(-1)
	hkDone(hkOpTryRLock, unsafe.Pointer(rw), hkBool(ok), 0)
	return ok
}

func (rw *RWMutex) RUnlock() {
	hkPoint(hkOpRUnlock, unsafe.Pointer(rw))
	hkNest(1)
	rw.hkOrigRUnlock()
	hkNest(-1)
	hkDone(hkOpRUnlock, unsafe.Pointer(rw), 0, 0)
}

func (wg *WaitGroup) Add(delta int) {
	op := uint8(hkOpWGAdd)
	if delta < 0 {
		op = hkOpWGDone
	}
	hkPoint(op, unsafe.Pointer(wg))
	wg.hkAdd(delta)
	hkDone(op, unsafe.Pointer(wg), uint64(delta), 0)
}

func (wg *WaitGroup) hkAdd(delta int) {
	hkNest(1)
	defer hkNest(-1) // Add panics when the counter gets negative
	wg.hkOrigAdd(delta)
}

func (wg *WaitGroup) Wait() {
	hkPoint(hkOpWGWait, unsafe.Pointer(wg))
	wg.hkWait()
	hkDone(hkOpWGWait, unsafe.Pointer(wg), 0, 0)
}

func (wg *WaitGroup) hkWait() {
	hkNest(1)
	defer hkNest(-1) // Wait panics on misuse
	wg.hkOrigWait()
}

// Do releases before done is visible: the fast path of another caller must
// see everything that f did.
func (o *Once) Do(f func()) {
	hkPoint(hkOpOnceDo, unsafe.Pointer(o))
	ran := false
	o.hkOrigDo(func() {
		ran = true
		defer race.ReleaseMerge(unsafe.Pointer(o))
		f()
	})
	race.Acquire(unsafe.Pointer(o))
	hkDone(hkOpOnceDo, unsafe.Pointer(o), hkBool(ran), 0)
}

// hkLoad is the look at done inside Do, on which its outcome depends.
func (o *Once) hkLoad() bool {
	done := o.done.Load()
	hkNote(hkOpOnceLoad, unsafe.Pointer(o), hkBool(done), 0)
	return done
}

func (p *Pool) Get() any {
	hkPoint(hkOpPoolGet, unsafe.Pointer(p))
	x := p.hkGet()
	hkDone(hkOpPoolGet, unsafe.Pointer(p), 0, 0)
	return x
}

func (p *Pool) hkGet() any {
	hkNest(1)
	defer hkNest(-1)
	return p.hkOrigGet()
}

// hkNew calls New from inside Get: it is the program's code again.
func (p *Pool) hkNew() any {
	hkNest(-1)
	defer hkNest(1)
	return p.New()
}

func (p *Pool) Put(x any) {
	hkPoint(hkOpPoolPut, unsafe.Pointer(p))
	hkNest(1)
	p.hkOrigPut(x)
	hkNest(-1)
	hkDone(hkOpPoolPut, unsafe.Pointer(p), 0, 0)
}

func (m *Map) Load(key any) (value any, ok bool) {
	hkPoint(hkOpMapRead, unsafe.Pointer(m))
	hkInside(func() { value, ok = m.hkOrigLoad(key) })
	race.Acquire(unsafe.Pointer(m))
	hkDone(hkOpMapRead, unsafe.Pointer(m), hkBool(ok), 0)
	return
}

func (m *Map) Range(f func(key, value any) bool) {
	m.hkLook()
	hkInside(func() {
		m.hkOrigRange(func(key, value any) bool {
			hkNest(-1)
			defer hkNest(1)
			if !f(key, value) {
				return false
			}
			m.hkLook() // f may have let others run
			return true
		})
	})
}

// hkLook is what Range does before each element, and before it finds the end.
func (m *Map) hkLook() {
	hkPoint(hkOpMapRead, unsafe.Pointer(m))
	race.Acquire(unsafe.Pointer(m))
	hkDone(hkOpMapRead, unsafe.Pointer(m), 1, 0)
}

// hkInside runs the inside of an operation, which panics for a key that can't
// be hashed.
func hkInside(f func()) {
	hkNest(1)
	defer hkNest(-1)
	f()
}

// hkWrite is an operation that may change the map.
func (m *Map) hkWrite(f func() (changed bool)) {
	hkPoint(hkOpMapWrite, unsafe.Pointer(m))
	race.ReleaseMerge(unsafe.Pointer(m))
	var changed bool
	hkInside(func() { changed = f() })
	race.Acquire(unsafe.Pointer(m))
	hkDone(hkOpMapWrite, unsafe.Pointer(m), hkBool(changed), 0)
}

func (m *Map) Clear() {
	m.hkWrite(func() bool { m.hkOrigClear(); return true })
}

func (m *Map) Store(key, value any) {
	m.hkWrite(func() bool { m.hkOrigStore(key, value); return true })
}

func (m *Map) Delete(key any) {
	m.hkWrite(func() bool { m.hkOrigDelete(key); return true })
}

func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	m.hkWrite(func() bool { actual, loaded = m.hkOrigLoadOrStore(key, value); return !loaded })
	return
}

func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	m.hkWrite(func() bool { value, loaded = m.hkOrigLoadAndDelete(key); return loaded })
	return
}

func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	m.hkWrite(func() bool { previous, loaded = m.hkOrigSwap(key, value); return true })
	return
}

func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	m.hkWrite(func() bool { swapped = m.hkOrigCompareAndSwap(key, old, new); return swapped })
	return
}

func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	m.hkWrite(func() bool { deleted = m.hkOrigCompareAndDelete(key, old); return deleted })
	return
}
