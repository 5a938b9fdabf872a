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
	if !hkAgain(o) {
		hkTook(o, kind)
	}
}

// hkAgain is an operation on o, if the last one on it was this goroutine's. Most are: it
// is so short that it is inlined, which hkDid is not.
//
//go:nosplit
func hkAgain(o *hkObj) bool {
	h := &getg().hk
	if h.id == 0 || o.own != h.id {
		return false
	}
	o.n = uint32(*h.ops)
	hkPublish64(h.ops, *h.ops+1)
	return true
}

// hkTook is an operation on o where hkAgain is not. A run that follows comes here always:
// objects are nobody's there.
//
//go:nosplit
func hkTook(o *hkObj, kind uint32) {
	h := &getg().hk
	if h.id == 0 {
		return
	}
	n := uint32(*h.ops)
	hkOwn(h, o, kind, n)
	hkNext(h, n)
}

// hkOwn makes operation n the last one on o.
//
//go:nosplit
func hkOwn(h *hkG, o *hkObj, kind, n uint32) {
	if hkMode != hkRecords {
		return
	}
	if o.own != h.id {
		hkOrder(h, o, kind, n)
	}
	o.own, o.n = h.id, n
}

// hkNext counts operation n as done.
//
//go:nosplit
func hkNext(h *hkG, n uint32) {
	hkPublish64(h.ops, *h.ops+1)
	if n+1 == h.total { // 0 where nothing is followed
		atomic.Xadd(&hkArrived, 1)
	}
}

// hkOrder records that the operation follows the object's last.
//
//go:nosplit
func hkOrder(h *hkG, o *hkObj, kind, n uint32) {
	if o.own != 0 && (o.own != h.seenID || o.n > h.seenN) {
		hkEmit(h, kind, n, o.own, o.n)
	}
}

// hkMutex is a sync.Mutex.
type hkMutex struct {
	state, sema uint32
	hk          hkObj
}

// hkLock is Mutex.Lock: all in one function, since it is called and not inlined.
func hkLock(m *hkMutex) {
	if hkFollows {
		hkGate(hkKindLock)
	}
	if !atomic.Cas(&m.state, 0, 1) {
		hkLockSlow(m)
	}
	if !hkAgain(&m.hk) {
		hkTook(&m.hk, hkKindLock)
	}
}

//go:linkname hkLockSlow internal/sync.hkLockSlow
func hkLockSlow(m *hkMutex)

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
		count := (*uint32)(unsafe.Pointer(h.fail))
		if c := *count &^ hkFailBit; n == h.at+c+1 && c < hkMaxDistance {
			*count++
			return
		}
	}
	hkEmit(h, kind, n, 0, hkFailBit)
	if !h.full {
		h.fail, h.failKind = h.p-4, kind
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
	_ uint32
}

// Words of one cache line have stripes of one cache line: those who use the one at once
// wait for each other as they do in a program that is not recorded.
var hkStripes [2048][64 / unsafe.Sizeof(hkStripe{})]hkStripe

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
	return &hkStripes[(uint64(uintptr(p))>>6)*0x9E3779B97F4A7C15>>53][uintptr(p)>>3%4]
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
		if !hkAgain(&s.hkObj) {
			hkTook(&s.hkObj, kind)
		}
		hkPublish(&s.lock, 0)
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

// hkBeginAt is hkBegin for an object that has a stripe of its own.
func hkBeginAt(s unsafe.Pointer) unsafe.Pointer {
	if getg().hk.id == 0 {
		return nil
	}
	acquirem()
	hkLockWord(&(*hkStripe)(s).lock)
	return s
}

func hkEnd(s unsafe.Pointer, kind uint32) {
	if s != nil {
		(*hkStripe)(s).hkDone(kind)
		releasem(getg().m)
	}
}

// hkLeave is hkEnd where nothing was done.
func hkLeave(s unsafe.Pointer) {
	if s != nil {
		hkPublish(&(*hkStripe)(s).lock, 0)
		releasem(getg().m)
	}
}

// hkFailedEnd is for an operation that was tried in vain.
func hkFailedEnd(s unsafe.Pointer, kind uint32) {
	if s != nil {
		hkFailed(kind)
		hkPublish(&(*hkStripe)(s).lock, 0)
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
		hkOwn(h, &c.hk, hkKindSelect, n)
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
