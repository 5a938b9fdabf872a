//go:build hocket_overlay

package runtime

import "unsafe"

// The strategy that keeps orders: a goroutine does not begin an operation before
// others have come as far as is asked.

// hkOrderCnt is how many switch points each goroutine has passed, or is about to.
var hkOrderCnt *[hkIDCap]uint32

func hkOrderRan(gp *g) {
	if hkOrderCnt == nil {
		if hkOrderCnt = (*[hkIDCap]uint32)(hkSysAlloc(hkIDCap * 4)); hkOrderCnt == nil {
			return
		}
	}
	n := gp.hk.cnt
	if gp.hk.at {
		n++
	}
	hkOrderCnt[gp.hk.id] = n
}

// hkOrdered is hkDefault among those whom the orders let run.
func hkOrdered(self *g) uint32 {
	id := hkDefault(self)
	if hkMayBegin(hkByID[id].ptr()) {
		return id
	}
	for id := hkSetFirst(); id != 0; id = hkSetNext(id) {
		if hkMayBegin(hkByID[id].ptr()) {
			return id
		}
	}
	hkHdr[hkWOrdersLost]++
	return id
}

var hkOrderJumps int // times that the clock passed since somebody could run

// hkOrdersHold reports whether the orders let nobody run who can, and a timer is
// pending that may change it. self stands at a switch point; nil: nobody does.
func hkOrdersHold(pp *p, self *g) bool {
	if hkHdr[hkWStrategy] != hkStrategyOrders || !hkRunning || hkSeg < int(hkHdr[hkWSegLen]) || hkOrderJumps >= hkAwaitMax {
		return false
	}
	if self != nil && !hkSetHas(self) && hkMayBegin(self) {
		return false
	}
	for id := hkSetFirst(); id != 0; id = hkSetNext(id) {
		if hkMayBegin(hkByID[id].ptr()) {
			hkOrderJumps = 0
			return false
		}
	}
	when := pp.timers.wakeTime()
	return when != 0 && when-hkEpoch <= int64(hkHdr[hkWVirtualMax]) && hkMayDelay(when)
}

// hkOrdersPass passes the clock to the next timer.
func hkOrdersPass(pp *p, self *g) {
	hkOrderJumps++
	hkAwaitJump, hkAwaited = true, true
	hkPass(pp.timers.wakeTime(), hkFirstTimer(pp), self)
}

// hkMayBegin reports whether a goroutine may begin what it stands before.
func hkMayBegin(gp *g) bool {
	if !gp.hk.at {
		return true
	}
	next := gp.hk.cnt + 1
	n := uintptr(hkHdr[hkWOrderLen])
	base := hkBase + uintptr(hkHdr[hkWOrderOff])
	lo, hi := uintptr(0), n
	for lo < hi {
		m := (lo + hi) / 2
		p := base + m*hkOrderSize
		key, cnt := *(*uint64)(unsafe.Pointer(p)), *(*uint32)(unsafe.Pointer(p + 8))
		if key < gp.hk.key || key == gp.hk.key && cnt < next {
			lo = m + 1
		} else {
			hi = m
		}
	}
	for ; lo < n; lo++ {
		p := base + lo*hkOrderSize
		if *(*uint64)(unsafe.Pointer(p)) != gp.hk.key || *(*uint32)(unsafe.Pointer(p + 8)) != next {
			return true
		}
		id := hkIDOf(*(*uint64)(unsafe.Pointer(p + 16)))
		if id == 0 || hkOrderCnt == nil || hkOrderCnt[id] < *(*uint32)(unsafe.Pointer(p + 12)) {
			return false
		}
	}
	return true
}
