//go:build hocket_overlay

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The operations of sync/atomic: each together with its stripe.

func hkEnter(p unsafe.Pointer) *hkStripe {
	if hkFollows {
		hkGate(hkKindAtomic)
	}
	return hkLockStripe(p)
}

func hkLoad32(p *uint32) (v uint32) {
	s := hkEnter(unsafe.Pointer(p))
	v = atomic.Load(p)
	s.hkDone(hkKindAtomic)
	return
}

func hkStore32(p *uint32, v uint32) {
	s := hkEnter(unsafe.Pointer(p))
	atomic.Store(p, v)
	s.hkDone(hkKindAtomic)
	return
}

func hkSwap32(p *uint32, v uint32) (old uint32) {
	s := hkEnter(unsafe.Pointer(p))
	old = atomic.Xchg(p, v)
	s.hkDone(hkKindAtomic)
	return
}

func hkCas32(p *uint32, old, v uint32) (ok bool) {
	s := hkEnter(unsafe.Pointer(p))
	ok = atomic.Cas(p, old, v)
	s.hkDone(hkKindAtomic)
	return
}

func hkAdd32(p *uint32, d int32) (v uint32) {
	s := hkEnter(unsafe.Pointer(p))
	v = atomic.Xadd(p, d)
	s.hkDone(hkKindAtomic)
	return
}

func hkAnd32(p *uint32, m uint32) (old uint32) {
	s := hkEnter(unsafe.Pointer(p))
	old = atomic.And32(p, m)
	s.hkDone(hkKindAtomic)
	return
}

func hkOr32(p *uint32, m uint32) (old uint32) {
	s := hkEnter(unsafe.Pointer(p))
	old = atomic.Or32(p, m)
	s.hkDone(hkKindAtomic)
	return
}

func hkLoad64(p *uint64) (v uint64) {
	s := hkEnter(unsafe.Pointer(p))
	v = atomic.Load64(p)
	s.hkDone(hkKindAtomic)
	return
}

func hkStore64(p *uint64, v uint64) {
	s := hkEnter(unsafe.Pointer(p))
	atomic.Store64(p, v)
	s.hkDone(hkKindAtomic)
	return
}

func hkSwap64(p *uint64, v uint64) (old uint64) {
	s := hkEnter(unsafe.Pointer(p))
	old = atomic.Xchg64(p, v)
	s.hkDone(hkKindAtomic)
	return
}

func hkCas64(p *uint64, old, v uint64) (ok bool) {
	s := hkEnter(unsafe.Pointer(p))
	ok = atomic.Cas64(p, old, v)
	s.hkDone(hkKindAtomic)
	return
}

func hkAdd64(p *uint64, d int64) (v uint64) {
	s := hkEnter(unsafe.Pointer(p))
	v = atomic.Xadd64(p, d)
	s.hkDone(hkKindAtomic)
	return
}

func hkAnd64(p *uint64, m uint64) (old uint64) {
	s := hkEnter(unsafe.Pointer(p))
	old = atomic.And64(p, m)
	s.hkDone(hkKindAtomic)
	return
}

func hkOr64(p *uint64, m uint64) (old uint64) {
	s := hkEnter(unsafe.Pointer(p))
	old = atomic.Or64(p, m)
	s.hkDone(hkKindAtomic)
	return
}

func hkLoadPtr(p *unsafe.Pointer) (v unsafe.Pointer) {
	s := hkEnter(unsafe.Pointer(p))
	v = atomic.Loadp(unsafe.Pointer(p))
	s.hkDone(hkKindAtomic)
	return
}

func hkStorePtr(p *unsafe.Pointer, v unsafe.Pointer) {
	s := hkEnter(unsafe.Pointer(p))
	hkRawStorePtr(p, v)
	s.hkDone(hkKindAtomic)
	return
}

func hkSwapPtr(p *unsafe.Pointer, v unsafe.Pointer) (old unsafe.Pointer) {
	s := hkEnter(unsafe.Pointer(p))
	old = hkRawSwapPtr(p, v)
	s.hkDone(hkKindAtomic)
	return
}

func hkCasPtr(p *unsafe.Pointer, old, v unsafe.Pointer) (ok bool) {
	s := hkEnter(unsafe.Pointer(p))
	ok = hkRawCasPtr(p, old, v)
	s.hkDone(hkKindAtomic)
	return
}

// hkAddAt is an operation of a kind that takes effect by adding to a number.
func hkAddAt(p *int32, d int32, kind uint32) int32 {
	s := hkLockStripe(unsafe.Pointer(p))
	v := int32(atomic.Xadd((*uint32)(unsafe.Pointer(p)), d))
	s.hkDone(kind)
	return v
}

// hkReadAt is RLock, and hkUnlockAt what is no operation: each together with the
// number of unlocks. Goroutines that are not recorded lock the stripe, too.
func hkReadAt(readers *int32, unlocks *uint32) (int32, uint32) {
	s := hkLockAny(unsafe.Pointer(readers))
	n, u := int32(atomic.Xadd((*uint32)(unsafe.Pointer(readers)), 1)), *unlocks
	s.hkDone(hkKindRLock)
	return n, u
}

func hkUnlockAt(readers *int32, d int32, unlocks *uint32) int32 {
	s := hkLockAny(unsafe.Pointer(readers))
	if s != nil {
		hkPublish(unlocks, *unlocks+1)
	}
	n := int32(atomic.Xadd((*uint32)(unsafe.Pointer(readers)), d))
	if s != nil {
		hkPublish(&s.lock, 0)
	}
	return n
}

func hkLoad(p *uint32) uint32 { return atomic.Load(p) }

// The raw operations on pointers, which internal/hkatomic has, too.

//go:nosplit
//go:linkname hkRawStorePtr
func hkRawStorePtr(p *unsafe.Pointer, v unsafe.Pointer) {
	if writeBarrier.enabled {
		atomicwb(p, v)
	}
	atomic.StorepNoWB(noescape(unsafe.Pointer(p)), v)
}

//go:nosplit
//go:linkname hkRawSwapPtr
func hkRawSwapPtr(p *unsafe.Pointer, v unsafe.Pointer) unsafe.Pointer {
	if writeBarrier.enabled {
		atomicwb(p, v)
	}
	return unsafe.Pointer(atomic.Xchguintptr((*uintptr)(noescape(unsafe.Pointer(p))), uintptr(v)))
}

//go:nosplit
//go:linkname hkRawCasPtr
func hkRawCasPtr(p *unsafe.Pointer, old, v unsafe.Pointer) bool {
	if writeBarrier.enabled {
		atomicwb(p, v)
	}
	return atomic.Casp1((*unsafe.Pointer)(noescape(unsafe.Pointer(p))), old, v)
}
