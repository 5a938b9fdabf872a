//go:build hocket_overlay

package poll

import (
	atomic "internal/hkatomic"
	"unsafe"
)

// The lock of a file or connection. To lock it, or to count a use of it, is one
// operation: whether the file is closed follows from its order. To unlock it is none, as
// with a Mutex.

type hkStripe struct{ lock, own, n, _ uint32 }

//go:linkname hkBeginAt runtime.hkBeginAt
//go:noescape
func hkBeginAt(s unsafe.Pointer) unsafe.Pointer

//go:linkname hkEnd runtime.hkEnd
//go:noescape
func hkEnd(s unsafe.Pointer, kind uint32)

//go:linkname hkLeave runtime.hkLeave
//go:noescape
func hkLeave(s unsafe.Pointer)

func (mu *fdMutex) incref() bool {
	if hkMode == 0 {
		return mu.hkOrigincref()
	}
	return mu.hkLock(0, 0, 0, nil)
}

func (mu *fdMutex) rwlock(read bool) bool {
	switch {
	case hkMode == 0:
		return mu.hkOrigrwlock(read)
	case read:
		return mu.hkLock(mutexRLock, mutexRWait, mutexRMask, &mu.rsema)
	default:
		return mu.hkLock(mutexWLock, mutexWWait, mutexWMask, &mu.wsema)
	}
}

// hkLock sets a bit, for which it waits, and counts a use.
func (mu *fdMutex) hkLock(bit, wait, mask uint64, sema *uint32) bool {
	if hkFollows {
		hkGate(hkKindFile)
	}
	for {
		s := hkBeginAt(unsafe.Pointer(&mu.hk))
		old := atomic.LoadUint64(&mu.state)
		closed, free := old&mutexClosed != 0, old&bit == 0
		new, full := old+wait, (old+wait)&mask == 0
		if free {
			new = (old | bit) + mutexRef
			full = new&mutexRefMask == 0
		}
		changed := !closed && !full && atomic.CompareAndSwapUint64(&mu.state, old, new)
		if closed || changed && free {
			hkEnd(s, hkKindFile)
			return !closed
		}
		hkLeave(s)
		switch {
		case full:
			panic(overflowMsg)
		case changed:
			runtime_Semacquire(sema)
		}
	}
}

func (mu *fdMutex) increfAndClose() bool {
	if hkMode == 0 || atomic.LoadUint64(&mu.state)&mutexRefMask == mutexRefMask {
		return mu.hkOrigincrefAndClose()
	}
	if hkFollows {
		hkGate(hkKindFile)
	}
	s := hkBeginAt(unsafe.Pointer(&mu.hk))
	ok := mu.hkOrigincrefAndClose()
	hkEnd(s, hkKindFile)
	return ok
}
