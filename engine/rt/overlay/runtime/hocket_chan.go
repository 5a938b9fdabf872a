//go:build hocket_overlay

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// Wrappers of the channel operations, select, Cond's notification lists and
// time.Sleep: the overlay generator renames the originals to hkOrig...

func hkLenCap(c *hchan) uint64 {
	if c == nil {
		return 0
	}
	return uint64(uint32(c.qcount)) | uint64(c.dataqsiz)<<32
}

// hkCapOf is the capacity, shifted as in hkLenCap, of the channel that gp
// stands before sending to or receiving from; 0 otherwise.
func hkCapOf(gp *g) uint64 {
	c := (*hchan)(unsafe.Pointer(gp.hk.addr))
	if c == nil || gp.hk.op != hkOpSend && gp.hk.op != hkOpRecv {
		return 0
	}
	return uint64(c.dataqsiz) << 32
}

// hkTry marks an operation that would not have waited (trace.AuxTry).
func hkTry(block bool) uint64 {
	if block {
		return 0
	}
	return 1 << 31
}

func makechan(t *chantype, size int) *hchan {
	c := hkOrigmakechan(t, size)
	if n := hkUsed(hkWAllocOff); hkAl && hkRunning && n > 0 {
		// The allocation was recorded without the channel's type.
		p := hkBase + uintptr(hkHdr[hkWAllocOff]) + (n-1)*hkAllocSize
		if *(*uint64)(unsafe.Pointer(p)) == uint64(uintptr(unsafe.Pointer(c))) {
			hkPut64(p+16, uint64(uintptr(unsafe.Pointer(t))))
		}
	}
	return c
}

func chansend(c *hchan, ep unsafe.Pointer, block bool, callerpc uintptr) bool {
	hkPoint(hkOpSend, unsafe.Pointer(c))
	ok := hkOrigchansend(c, ep, block, callerpc)
	v := uint64(0)
	if ok {
		v = 1
	}
	hkDone(hkOpSend, unsafe.Pointer(c), v, hkLenCap(c)|hkTry(block))
	return ok
}

func chanrecv(c *hchan, ep unsafe.Pointer, block bool) (selected, received bool) {
	hkPoint(hkOpRecv, unsafe.Pointer(c))
	selected, received = hkOrigchanrecv(c, ep, block)
	v := uint64(0)
	if received {
		v = 1
	} else if selected {
		v = 2
	}
	if gp := hkUser(); gp != nil && v != 0 {
		hkReceived(gp, c)
	}
	hkDone(hkOpRecv, unsafe.Pointer(c), v, hkLenCap(c)|hkTry(block))
	return
}

// chanlen is a switch point, since a program may decide by it or wait for it.
func chanlen(c *hchan) int {
	hkPoint(hkOpRead, unsafe.Pointer(c))
	n := hkOrigchanlen(c)
	if gp := hkUser(); gp != nil {
		gp.hk.op = 0
		hkEvent(gp, hkOpChanLen, uintptr(unsafe.Pointer(c)), uint64(n), true, 0)
	}
	return n
}

func closechan(c *hchan) {
	hkPoint(hkOpClose, unsafe.Pointer(c))
	hkOrigclosechan(c)
	hkClosed(c)
	hkDone(hkOpClose, unsafe.Pointer(c), 1, hkLenCap(c))
}

func selectgo(cas0 *scase, order0 *uint16, pc0 *uintptr, nsends, nrecvs int, block bool) (int, bool) {
	gp := hkUser()
	if gp == nil {
		return hkOrigselectgo(cas0, order0, pc0, nsends, nrecvs, block)
	}
	cases := (*[1 << 16]scase)(unsafe.Pointer(cas0))[: nsends+nrecvs : nsends+nrecvs]
	clear(gp.hk.addrs[:])
	n := 0
	for i := range cases {
		if c := cases[i].c; c != nil && n < len(gp.hk.addrs) {
			gp.hk.addrs[n] = uintptr(unsafe.Pointer(c))
			n++
		}
	}
	hkStep(gp, hkOpSelect, gp.hk.addrs[0])
	ready := uint64(0)
	for i := range cases {
		if hkCaseReady(cases[i].c, i < nsends) {
			ready++
		}
	}
	if ready > 1 {
		hkHdr[hkWChoices]++
	}
	if hkEv {
		for i := range cases {
			hkNoteCase(gp, cases[i].c, i, i < nsends)
		}
	}
	casi := hkChoice(gp)
	taken, ok := hkTakeCase(cases, casi, nsends)
	if !taken {
		casi, ok = hkOrigselectgo(cas0, order0, pc0, nsends, nrecvs, block)
	}
	aux := uint64(uint32(len(cases))) | ready<<40
	if !block {
		aux |= 1 << 33
	}
	var c *hchan
	if casi >= 0 {
		c = cases[casi].c
		if casi < nsends {
			aux |= 1 << 32
		} else {
			hkReceived(gp, c)
		}
	}
	hkDone(hkOpSelect, unsafe.Pointer(c), uint64(casi), aux)
	return casi, ok
}

func hkNoteCase(gp *g, c *hchan, i int, send bool) {
	aux := uint64(0)
	if c != nil {
		aux = uint64(c.dataqsiz) << 32
	}
	if send {
		aux |= 1
	}
	hkEvent(gp, hkOpSelectCase, uintptr(unsafe.Pointer(c)), uint64(i), true, aux)
}

// hkTakeCase performs case i of a select if it is ready.
func hkTakeCase(cases []scase, i, nsends int) (taken, received bool) {
	switch {
	case i < 0 || i >= len(cases) || cases[i].c == nil:
		return false, false
	case i < nsends:
		return hkOrigchansend(cases[i].c, cases[i].elem, false, sys.GetCallerPC()), false
	}
	return hkOrigchanrecv(cases[i].c, cases[i].elem, false)
}

// hkChoice is the case that the schedule decides for the select of gp, whose
// point it has just passed; -1 if it does not.
func hkChoice(gp *g) int {
	lo, hi := uint64(0), hkHdr[hkWChoiceLen]
	base := hkBase + uintptr(hkHdr[hkWChoiceOff])
	for lo < hi {
		m := (lo + hi) / 2
		p := base + uintptr(m)*hkChoiceSize
		key, cnt := *(*uint64)(unsafe.Pointer(p)), *(*uint32)(unsafe.Pointer(p + 8))
		switch {
		case key == gp.hk.key && cnt == gp.hk.cnt:
			return int(*(*int32)(unsafe.Pointer(p + 12)))
		case key < gp.hk.key || key == gp.hk.key && cnt < gp.hk.cnt:
			lo = m + 1
		default:
			hi = m
		}
	}
	return -1
}

func hkCaseReady(c *hchan, send bool) bool {
	if c == nil {
		return false
	}
	if send {
		return c.closed != 0 || c.recvq.first != nil || c.qcount < c.dataqsiz
	}
	return c.closed != 0 || c.sendq.first != nil || c.qcount > 0
}

func hkSleep(ns int64) {
	if gp := hkUser(); gp != nil && !hkDraining {
		gp.hk.addrs[0] = 0
		hkStep(gp, hkOpSleep, 0)
		hkEvent(gp, hkOpSleep, 0, uint64(ns), true, 0)
		gp.hk.addr = 0
	}
}

func notifyListAdd(l *notifyList) uint32 {
	// Between the check of the condition and the ticket a signal is lost.
	hkPoint(hkOpCondWait, unsafe.Pointer(l))
	t := hkOrignotifyListAdd(l)
	if gp := hkUser(); gp != nil {
		hkFirst(gp)
		hkEvent(gp, hkOpCondWait, uintptr(unsafe.Pointer(l)), uint64(t), true, 0)
	}
	return t
}

func notifyListWait(l *notifyList, t uint32) {
	if gp := hkUser(); gp != nil {
		gp.hk.op = hkOpCondWait
		gp.hk.addr = uintptr(unsafe.Pointer(l))
	}
	hkOrignotifyListWait(l, t)
	raceacquire(unsafe.Pointer(l))
	hkDone(hkOpCondWake, unsafe.Pointer(l), uint64(t), 0)
}

func notifyListNotifyOne(l *notifyList) {
	hkPoint(hkOpSignal, unsafe.Pointer(l))
	racereleasemerge(unsafe.Pointer(l))
	hkOrignotifyListNotifyOne(l)
	hkDone(hkOpSignal, unsafe.Pointer(l), 0, 0)
}

func notifyListNotifyAll(l *notifyList) {
	hkPoint(hkOpBroadcast, unsafe.Pointer(l))
	racereleasemerge(unsafe.Pointer(l))
	hkOrignotifyListNotifyAll(l)
	hkDone(hkOpBroadcast, unsafe.Pointer(l), 0, 0)
}

// The atomic pointer operations, which sync/atomic takes from here.

func sync_atomic_StorePointer(ptr *unsafe.Pointer, new unsafe.Pointer) {
	hkPoint(hkOpAtomicStore, unsafe.Pointer(ptr))
	hkAtomicAccess(unsafe.Pointer(ptr), true, sys.GetCallerPC())
	racereleasemerge(unsafe.Pointer(ptr))
	hkNest(1)
	hkOrigsync_atomic_StorePointer(ptr, new)
	hkNest(-1)
	hkDonePtr(hkOpAtomicStore, unsafe.Pointer(ptr), uintptr(new), 0)
}

func sync_atomic_SwapPointer(ptr *unsafe.Pointer, new unsafe.Pointer) unsafe.Pointer {
	hkPoint(hkOpAtomicRMW, unsafe.Pointer(ptr))
	raceacquire(unsafe.Pointer(ptr))
	hkAtomicAccess(unsafe.Pointer(ptr), true, sys.GetCallerPC())
	racereleasemerge(unsafe.Pointer(ptr))
	hkNest(1)
	old := hkOrigsync_atomic_SwapPointer(ptr, new)
	hkNest(-1)
	hkDonePtr(hkOpAtomicRMW, unsafe.Pointer(ptr), uintptr(new), uintptr(old))
	return old
}

func sync_atomic_CompareAndSwapPointer(ptr *unsafe.Pointer, old, new unsafe.Pointer) bool {
	hkPoint(hkOpAtomicCAS, unsafe.Pointer(ptr))
	raceacquire(unsafe.Pointer(ptr))
	hkNest(1)
	ok := hkOrigsync_atomic_CompareAndSwapPointer(ptr, old, new)
	hkNest(-1)
	hkAtomicAccess(unsafe.Pointer(ptr), ok, sys.GetCallerPC())
	if ok {
		racereleasemerge(unsafe.Pointer(ptr))
	}
	v, aux := uint64(0), uint64(uintptr(*ptr))
	if ok {
		v, aux = 1, uint64(uintptr(new))
	}
	hkNote(hkOpAtomicOld, unsafe.Pointer(ptr), uint64(uintptr(old)), 0)
	hkDone(hkOpAtomicCAS, unsafe.Pointer(ptr), v, aux)
	return ok
}

// hkAcquire and hkRelease are the happens-before edges of sync/atomic and of
// internal/race.

//go:linkname hkAcquire
func hkAcquire(addr unsafe.Pointer) { raceacquire(addr) }

//go:linkname hkRelease
func hkRelease(addr unsafe.Pointer) { racerelease(addr) }

//go:linkname hkReleaseMerge
func hkReleaseMerge(addr unsafe.Pointer) { racereleasemerge(addr) }

//go:linkname hkReleaseAcquire
func hkReleaseAcquire(addr unsafe.Pointer) { racereleaseacquire(addr) }

//go:linkname hkRaceIgnore
//go:nosplit
func hkRaceIgnore(d int8) { getg().raceignore += d }

//go:linkname hkRaceAccess
func hkRaceAccess(addr unsafe.Pointer, size uintptr, scalar, write bool, pc uintptr) {
	if pc == 0 {
		pc = sys.GetCallerPC()
	}
	hkPlain(uintptr(addr), size, scalar, write, pc)
}

//go:linkname hkRaceObject
func hkRaceObject(t *_type, addr unsafe.Pointer, write bool, pc uintptr) {
	if write {
		raceWriteObjectPC(t, addr, pc, pc)
	} else {
		raceReadObjectPC(t, addr, pc, pc)
	}
}
