//go:build hocket_overlay

package sync

import (
	isync "internal/sync"
	"internal/synctest"
	"runtime"
	"unsafe"
)

// The operations of sync, recorded and followed. What they are made of (the mutex
// inside a RWMutex, a Once or a Map, and all atomics of this package) is none.

type hkObj struct{ own, n uint32 }

//go:linkname hkFollows runtime.hkFollows
var hkFollows bool

//go:linkname hkMode runtime.hkMode
var hkMode uint32

const (
	hkGo = iota
	hkFail
	hkChosen
	hkFree
)

//go:linkname hkGate runtime.hkGate
func hkGate(kind uint32) (do, value uint32)

//go:linkname hkDid runtime.hkDid
//go:noescape
func hkDid(o *hkObj, kind uint32)

//go:linkname hkFailed runtime.hkFailed
func hkFailed(kind uint32)

//go:linkname hkChose runtime.hkChose
func hkChose(kind, value uint32)

//go:linkname hkBegin runtime.hkBegin
//go:noescape
func hkBegin(p unsafe.Pointer) unsafe.Pointer

//go:linkname hkEnd runtime.hkEnd
//go:noescape
func hkEnd(s unsafe.Pointer, kind uint32)

//go:linkname hkLock runtime.hkLock
func hkLock(m *Mutex)

func (m *Mutex) Lock() { hkLock(m) }

func (m *Mutex) TryLock() bool {
	if hkFollows {
		switch do, _ := hkGate(hkKindLock); do {
		case hkFail:
			return false
		case hkGo:
			m.mu.Lock() // its holder has yet to unlock it
			hkDid(&m.hk, hkKindLock)
			return true
		}
	}
	if !m.mu.TryLock() {
		hkFailed(hkKindLock)
		return false
	}
	hkDid(&m.hk, hkKindLock)
	return true
}

//go:linkname hkAddAt runtime.hkAddAt
//go:noescape
func hkAddAt(p *int32, d int32, kind uint32) int32

// hkReads is where RLock takes effect. unlocks is how many Unlocks had been before.
func (rw *RWMutex) hkReads() (readers int32, unlocks uint32) {
	return hkReadAt((*int32)(unsafe.Pointer(&rw.readerCount)), &rw.w.hk.n)
}

// hkReadTurn waits for the Unlock of the writer that came before. The semaphore does
// not say whose it is: a reader that came behind the next writer may get what an
// earlier one was woken for, and so be done before that writer. It gives it back.
// rw.w.hk is free for the count: the mutex inside is no object of its own.
func (rw *RWMutex) hkReadTurn(unlocks uint32) {
	for {
		runtime_SemacquireRWMutexR(&rw.readerSem, false, 0)
		if hkMode == 0 || hkLoad(&rw.w.hk.n) != unlocks {
			return
		}
		runtime_Semrelease(&rw.readerSem, false, 0)
		runtime.Gosched()
	}
}

// hkUnlocks is where Unlock lets readers in.
func (rw *RWMutex) hkUnlocks() int32 {
	return hkUnlockAt((*int32)(unsafe.Pointer(&rw.readerCount)), rwmutexMaxReaders, &rw.w.hk.n)
}

//go:linkname hkReadAt runtime.hkReadAt
//go:noescape
func hkReadAt(readers *int32, unlocks *uint32) (int32, uint32)

//go:linkname hkUnlockAt runtime.hkUnlockAt
//go:noescape
func hkUnlockAt(readers *int32, d int32, unlocks *uint32) int32

//go:linkname hkLoad runtime.hkLoad
//go:noescape
func hkLoad(p *uint32) uint32

// hkWrites is where Lock takes effect: readers wait from here on.
func (rw *RWMutex) hkWrites() int32 {
	return hkAddAt((*int32)(unsafe.Pointer(&rw.readerCount)), -rwmutexMaxReaders, hkKindLock)
}

func (rw *RWMutex) RLock() {
	if hkFollows {
		hkGate(hkKindRLock)
	}
	rw.hkOrigRLock()
}

func (rw *RWMutex) Lock() {
	if hkFollows {
		hkGate(hkKindLock)
	}
	rw.hkOrigLock()
}

func (rw *RWMutex) TryRLock() bool {
	if hkFollows {
		switch do, _ := hkGate(hkKindRLock); do {
		case hkFail:
			return false
		case hkGo:
			rw.hkOrigRLock()
			return true
		}
	}
	s := hkBegin(unsafe.Pointer(&rw.readerCount))
	if rw.hkOrigTryRLock() {
		hkEnd(s, hkKindRLock)
		return true
	}
	hkFailedEnd(s, hkKindRLock)
	return false
}

func (rw *RWMutex) TryLock() bool {
	if hkFollows {
		switch do, _ := hkGate(hkKindLock); do {
		case hkFail:
			return false
		case hkGo:
			rw.hkOrigLock()
			return true
		}
	}
	s := hkBegin(unsafe.Pointer(&rw.readerCount))
	if rw.hkOrigTryLock() {
		hkEnd(s, hkKindLock)
		return true
	}
	hkFailedEnd(s, hkKindLock)
	return false
}

//go:linkname hkFailedEnd runtime.hkFailedEnd
//go:noescape
func hkFailedEnd(s unsafe.Pointer, kind uint32)

//go:linkname hkCounted runtime.hkCounted
func hkCounted(kind uint32)

//go:linkname hkWaitFlag runtime.hkWaitFlag
//go:noescape
func hkWaitFlag(p *uint32, kind uint32)

// Do is one operation; the log has which call ran f. The others need no order:
// they return when it is done.
func (o *Once) Do(f func()) {
	if hkMode == 0 {
		o.hkOrigDo(f)
		return
	}
	do := uint32(hkFree)
	if hkFollows {
		do, _ = hkGate(hkKindOnce)
	}
	if do == hkGo {
		hkWaitFlag((*uint32)(unsafe.Pointer(&o.done)), hkKindOnce)
	}
	if o.done.Load() {
		hkCounted(hkKindOnce)
		return
	}
	o.hkSlow(f)
}

func (o *Once) hkSlow(f func()) {
	o.m.mu.Lock()
	defer o.m.mu.Unlock()
	hkCounted(hkKindOnce)
	if !o.done.Load() {
		hkChose(hkKindOnce, 1)
		defer o.done.Store(true)
		f()
	}
}

// hkAdd is where Add takes effect.
func (wg *WaitGroup) hkAdd(delta uint64) uint64 {
	s := hkBegin(unsafe.Pointer(wg))
	n := wg.state.Add(delta)
	hkEnd(s, hkKindGroup)
	return n
}

// Add is one operation with the reset of a counter that came to 0: what Add calls
// beside it meet must follow from the order alone.
func (wg *WaitGroup) Add(delta int) {
	if hkFollows {
		hkGate(hkKindGroup)
	}
	s := unsafe.Pointer(nil)
	if hkMode != 0 && !synctest.IsInBubble() {
		s = hkBegin(unsafe.Pointer(wg))
	}
	if s == nil {
		wg.hkOrigAdd(delta)
		return
	}
	state := wg.state.Add(uint64(delta) << 32)
	v, w := int32(state>>32), uint32(state&0x7fffffff)
	bubbled := state&waitGroupBubbleFlag != 0
	if v == 0 && w > 0 && !bubbled {
		wg.state.Store(0)
	}
	hkEnd(s, hkKindGroup)
	switch {
	case bubbled:
		fatal("sync: WaitGroup.Add called from inside and outside synctest bubble")
	case v < 0:
		panic("sync: negative WaitGroup counter")
	case w != 0 && delta > 0 && v == int32(delta):
		panic("sync: WaitGroup misuse: Add called concurrently with Wait")
	case v == 0:
		for ; w != 0; w-- {
			runtime_Semrelease(&wg.sema, false, 0)
		}
	}
}

// Wait is an operation when it begins to wait, and another one when it goes on.
func (wg *WaitGroup) Wait() {
	if hkFollows {
		hkGate(hkKindGroup)
	}
	s := unsafe.Pointer(nil)
	if hkMode != 0 {
		s = hkBegin(unsafe.Pointer(wg))
	}
	if s == nil {
		wg.hkOrigWait()
		return
	}
	state := wg.state.Load()
	bubbled := state&waitGroupBubbleFlag != 0
	waits := state>>32 != 0 && !bubbled
	for waits && !wg.state.CompareAndSwap(state, state+1) { // by a goroutine that is not recorded
		state = wg.state.Load()
		waits = state>>32 != 0
	}
	hkEnd(s, hkKindGroup)
	if bubbled {
		wg.hkOrigWait()
	}
	if !waits {
		return
	}
	runtime_SemacquireWaitGroup(&wg.sema, false)
	if hkFollows {
		hkGate(hkKindWoke)
	}
	s = hkBegin(unsafe.Pointer(wg))
	again := wg.state.Load() != 0
	hkEnd(s, hkKindWoke)
	if again {
		panic("sync: WaitGroup is reused before previous Wait has returned")
	}
}

// hkMap makes each operation of a Map one that no other interrupts.
type hkMap struct {
	mu isync.Mutex
	hk hkObj
}

func (m *hkMap) begin() {
	if hkFollows {
		hkGate(hkKindMap)
	}
	m.mu.Lock()
	hkDid(&m.hk, hkKindMap)
}

func (m *Map) Load(key any) (value any, ok bool) {
	if hkMode == 0 {
		return m.m.Load(key)
	}
	m.hk.begin()
	defer m.hk.mu.Unlock() // a key that can't be hashed panics
	return m.m.Load(key)
}

func (m *Map) Store(key, value any) {
	m.Swap(key, value)
}

func (m *Map) Clear() {
	if hkMode != 0 {
		m.hk.begin()
		defer m.hk.mu.Unlock()
	}
	m.m.Clear()
}

func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	if hkMode != 0 {
		m.hk.begin()
		defer m.hk.mu.Unlock()
	}
	return m.m.LoadOrStore(key, value)
}

func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	if hkMode != 0 {
		m.hk.begin()
		defer m.hk.mu.Unlock()
	}
	return m.m.LoadAndDelete(key)
}

func (m *Map) Delete(key any) {
	m.LoadAndDelete(key)
}

func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	if hkMode != 0 {
		m.hk.begin()
		defer m.hk.mu.Unlock()
	}
	return m.m.Swap(key, value)
}

func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	if hkMode != 0 {
		m.hk.begin()
		defer m.hk.mu.Unlock()
	}
	return m.m.CompareAndSwap(key, old, new)
}

func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	if hkMode != 0 {
		m.hk.begin()
		defer m.hk.mu.Unlock()
	}
	return m.m.CompareAndDelete(key, old)
}

// Range visits what is in the map at one moment.
func (m *Map) Range(f func(key, value any) bool) {
	if hkMode == 0 {
		m.m.Range(f)
		return
	}
	type entry struct{ key, value any }
	var all []entry
	m.hk.begin()
	m.m.Range(func(key, value any) bool {
		all = append(all, entry{key, value})
		return true
	})
	m.hk.mu.Unlock()
	for _, e := range all {
		if !f(e.key, e.value) {
			return
		}
	}
}

// hkPool is what a Pool keeps in a recorded run.
type hkPool [4]unsafe.Pointer

//go:linkname hkPoolGet runtime.hkPoolGet
//go:noescape
func hkPoolGet(shelves *hkPool) any

//go:linkname hkPoolPut runtime.hkPoolPut
func hkPoolPut(shelves *hkPool, x any)

func (p *Pool) Put(x any) {
	if hkMode == 0 {
		p.hkOrigPut(x)
		return
	}
	if x == nil {
		return
	}
	if hkFollows {
		hkGate(hkKindPool)
	}
	hkPoolPut(&p.hk, x)
}

func (p *Pool) Get() any {
	if hkMode == 0 {
		return p.hkOrigGet()
	}
	if hkFollows {
		hkGate(hkKindPool)
	}
	x := hkPoolGet(&p.hk)
	if x == nil && p.New != nil {
		x = p.New()
	}
	return x
}
