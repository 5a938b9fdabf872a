//go:build hocket_overlay

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// What an operation does when it happens: hkDid, with its object's lock held. Where
// an object has no lock of its own, a stripe stands for it: two objects of one stripe
// get orders that were real, and not needed.

// hkDid is an operation on o.
//
//go:nosplit
func hkDid(o *hkObj, kind uint32) {
	h := &getg().hk
	if h.id == 0 {
		return
	}
	n := uint32(*h.ops)
	if o.own != h.id {
		hkOrder(h, o, kind, n)
		o.own = h.id
	}
	o.n = n
	hkNext(h, n)
}

// hkNext counts operation n as done.
//
//go:nosplit
func hkNext(h *hkG, n uint32) {
	atomic.StoreRel64(h.ops, uint64(n)+1)
	if n+1 == h.total { // 0 where nothing is followed
		atomic.Xadd(&hkArrived, 1)
	}
}

// hkOrder records that the operation follows the object's last.
//
//go:nosplit
func hkOrder(h *hkG, o *hkObj, kind, n uint32) {
	if o.own == 0 || hkMode != hkRecords || o.own == h.seenID && o.n <= h.seenN {
		return
	}
	h.seenID, h.seenN = o.own, o.n
	hkEmit(h, kind, n, o.own, o.n)
}

// hkFailed is an operation that was tried in vain, and took no effect.
//
//go:nosplit
func hkFailed(kind uint32) {
	h := &getg().hk
	if h.id == 0 {
		return
	}
	n := uint32(*h.ops)
	hkFailure(h, kind, n)
	hkNext(h, n)
}

// hkFailedDid is the same where hkDid has counted it.
//
//go:nosplit
func hkFailedDid(kind uint32) {
	if h := &getg().hk; h.id != 0 {
		hkFailure(h, kind, uint32(*h.ops)-1)
	}
}

//go:nosplit
func hkFailure(h *hkG, kind, n uint32) {
	if hkMode != hkRecords {
		return
	}
	if h.fail != 0 && h.failKind == kind {
		count := (*uint32)(unsafe.Pointer(h.fail + 8))
		if c := *count &^ hkFailBit; n == h.at+c+1 && c < hkMaxDistance {
			*count++
			return
		}
	}
	hkEmit(h, kind, n, 0, hkFailBit)
	if !h.full {
		h.fail, h.failKind = h.p-hkRecordSize, kind
	}
}

// hkChose is the outcome of the operation that was counted last.
//
//go:nosplit
func hkChose(kind, value uint32) {
	if h := &getg().hk; h.id != 0 && hkMode == hkRecords {
		hkEmit(h, kind, uint32(*h.ops)-1, 0, value)
	}
}

type hkStripe struct {
	lock uint32
	hkObj
	_ [52]byte
}

var hkStripes [4096]hkStripe

// hkLockStripe returns the locked stripe of an address; nil if this goroutine is
// not recorded. Nothing may park until it is unlocked.
//
//go:nosplit
func hkLockStripe(p unsafe.Pointer) *hkStripe {
	if getg().hk.id == 0 {
		return nil
	}
	s := hkStripeOf(p)
	hkLockWord(&s.lock)
	return s
}

//go:nosplit
func hkStripeOf(p unsafe.Pointer) *hkStripe {
	return &hkStripes[(uint64(uintptr(p))>>3)*0x9E3779B97F4A7C15>>52]
}

//go:nosplit
func hkLockWord(l *uint32) {
	if !atomic.Cas(l, 0, 1) {
		hkSpin(l)
	}
}

//go:nosplit
func hkSpin(l *uint32) {
	for i := 0; !atomic.Cas(l, 0, 1); i++ {
		if i < 100 {
			procyield(10)
		} else {
			osyield()
		}
	}
}

// hkLockAny does so for each goroutine; nil if nothing is recorded or followed.
//
//go:nosplit
func hkLockAny(p unsafe.Pointer) *hkStripe {
	if hkMode == hkOff {
		return nil
	}
	s := hkStripeOf(p)
	hkLockWord(&s.lock)
	return s
}

// hkDone is the operation for which the stripe was locked.
//
//go:nosplit
func (s *hkStripe) hkDone(kind uint32) {
	if s != nil {
		hkDid(&s.hkObj, kind)
		atomic.StoreRel(&s.lock, 0)
	}
}

// hkBegin and hkEnd are around an operation on the object at p outside this
// package: it is not preempted meanwhile.
func hkBegin(p unsafe.Pointer) unsafe.Pointer {
	mp := acquirem()
	s := hkLockStripe(p)
	if s == nil {
		releasem(mp)
	}
	return unsafe.Pointer(s)
}

func hkEnd(s unsafe.Pointer, kind uint32) {
	if s != nil {
		(*hkStripe)(s).hkDone(kind)
		releasem(getg().m)
	}
}

// hkFailedEnd is for an operation that was tried in vain.
func hkFailedEnd(s unsafe.Pointer, kind uint32) {
	if s != nil {
		hkFailed(kind)
		atomic.StoreRel(&(*hkStripe)(s).lock, 0)
		releasem(getg().m)
	}
}

// hkCounted is an operation that needs no order.
//
//go:nosplit
func hkCounted(kind uint32) {
	if h := &getg().hk; h.id != 0 {
		hkNext(h, uint32(*h.ops))
	}
}

// hkSelDid is a select on its channels, all locked.
func hkSelDid(scases []scase, lockorder []uint16) {
	h := &getg().hk
	if h.id == 0 {
		return
	}
	n := uint32(*h.ops)
	var last *hchan
	for _, i := range lockorder {
		c := scases[i].c
		if c == last {
			continue // sorted: cases on one channel are neighbours
		}
		last = c
		if c.hk.own != h.id {
			hkOrder(h, &c.hk, hkKindSelect, n)
			c.hk.own = h.id
		}
		c.hk.n = n
	}
	hkNext(h, n)
}

// hkSelTimed reports whether the clock has a say in a select.
func hkSelTimed(scases []scase) bool {
	for i := range scases {
		if c := scases[i].c; c != nil && c.timer != nil {
			return true
		}
	}
	return false
}

// hkSelChose keeps the case of a select where the order of operations on its
// channels does not decide it.
func hkSelChose(scases []scase, slept bool, casi int) {
	if hkMode == hkRecords && (slept || hkSelTimed(scases)) {
		hkChose(hkKindSelect, uint32(casi))
	}
	if h := &getg().hk; h.places != 0 && *h.ops <= uint64(h.total) {
		*(*uint32)(unsafe.Pointer(h.places + uintptr(*h.ops-1)*hkPlaceSize)) |= uint32(casi+1) << 8
	}
}

// hkChanLen is len(c).
func hkChanLen(c *hchan) int {
	hkGate(hkKindLen)
	lock(&c.lock)
	hkDid(&c.hk, hkKindLen)
	n := int(c.qcount)
	unlock(&c.lock)
	return n
}
