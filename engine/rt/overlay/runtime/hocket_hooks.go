//go:build hocket_overlay

package runtime

import "unsafe"

// Switch points and events. The wrappers of sync, sync/atomic and the channel
// operations call hkPoint before an operation and hkDone after it.

// hkUser returns the running goroutine if it is under control and may be
// switched here, else nil.
//
//go:nosplit
func hkUser() *g {
	if !hkRunning {
		return nil
	}
	gp := getg()
	if gp.hk.id == 0 || gp.hk.nest > 0 {
		return nil
	}
	mp := gp.m
	if gp == mp.g0 || gp == mp.gsignal || mp.locks != 0 || mp.mallocing != 0 || mp.dying != 0 || mp.preemptoff != "" {
		return nil
	}
	return gp
}

// hkPoint is the switch point before operation op on addr.
//
//go:linkname hkPoint
func hkPoint(op uint8, addr unsafe.Pointer) {
	gp := hkUser()
	if gp == nil {
		return
	}
	gp.hk.addrs[0] = 0
	hkStep(gp, op, uintptr(addr))
}

func hkStep(gp *g, op uint8, addr uintptr) {
	hkRoom(false)
	hkFirst(gp)
	if hkCollects {
		hkCollectDue(gp)
	}
	gp.hk.op = op
	gp.hk.addr = addr
	gp.hk.wr = op != hkOpAtomicLoad && op != hkOpMapRead && op != hkOpRead && op != hkOpReadRange
	gp.hk.plain = 0
	gp.hk.times = 0
	hkSpinCount(gp, op)
	hkSpend(hkCostStep)
	hkTickOn()
	hkHdr[hkWSteps]++
	hkHdr[hkWLastGID] = uint64(gp.hk.id)
	if hkHdr[hkWPauseG] == gp.hk.key && uint64(gp.hk.cnt) >= hkHdr[hkWPauseAt] {
		hkPause()
	}
	if hkHdr[hkWSteps] > hkHdr[hkWStepMax] {
		hkQuit(hkStatusStepMax)
	}
	if faketime-hkEpoch > int64(hkHdr[hkWVirtualMax]) {
		hkQuit(hkStatusVirtualMax)
	}
	if stands := hkPolicyOf().stands; stands != nil {
		stands(gp)
	}
	if hkHolding {
		hkHoldAt(gp)
	}
	gp.hk.at = true
	if hkNoCollect == 0 || op == hkOpGosched || gp.hk.spin >= hkSpinSoft {
		hkTurn(gp)
	} // else nobody is preempted while allocations are counted, on one processor
	gp.hk.at = false
	if gp.hk.hold != 0 {
		hkLetGo(gp)
	}
	hkSwitchTo(gp)
	hkFlushDue()
	if op != hkOpRead && op != hkOpWrite {
		hkFlush(gp.hk.id)
	}
	gp.hk.cnt++
	if hkPicks != 0 {
		hkPut32(hkPicks+8, gp.hk.cnt)
	}
	hkHash(gp.hk.key ^ uint64(op))
}

// hkTurn decides who runs next, and returns when gp does.
func hkTurn(gp *g) {
	gp.hk.ext = false // the scheduler may have found it before the picker did
	mp := acquirem()
	pp := mp.p.ptr()
	hkDrain(pp)
	if hkDelayDraws {
		hkDelayDrawn(pp, gp)
	}
	if when := pp.timers.wakeTime(); hkSys.n > 0 || sched.gcwaiting.Load() || when != 0 && when <= faketime || hkSelfAwaits(pp, gp) || hkOrdersHold(pp, gp) {
		hkPrev.set(gp)
		releasem(mp)
		goyield()
	} else {
		var self guintptr
		self.set(gp)
		hkSetAdd(self)
		next := hkDecide(gp)
		if next == gp {
			releasem(mp)
		} else {
			hkSetDel(gp.hk.id)
			hkNext.set(next)
			releasem(mp)
			goyield()
		}
	}
}

//go:nosplit
func hkHash(x uint64) {
	hkHdr[hkWHash] = (hkHdr[hkWHash] ^ x) * 1099511628211
}

// hkSpinCount counts operations of gp during which nothing changed that it
// could be waiting for. If everybody runnable spins, only time can help.
func hkSpinCount(gp *g, op uint8) {
	if gp.hk.spinW != hkWrites {
		gp.hk.spinW = hkWrites
		gp.hk.spin = 0
		gp.hk.loop = hkLoop{}
	}
	if gp.hk.loop.again(op, max(gp.hk.addr, gp.hk.addrs[0])) {
		gp.hk.spin++
	}
	if gp.hk.spin <= hkSpinHard || gp.hk.spin%64 != 0 {
		return
	}
	for id := hkSetFirst(); id != 0; id = hkSetNext(id) {
		if q := hkByID[id].ptr(); q.hk.spin < hkSpinHard || q.hk.spinW != hkWrites {
			return
		}
	}
	if hkExt.n > 0 {
		hkTakeExt()
		return
	}
	when := gp.m.p.ptr().timers.wakeTime()
	if hkOutsideLasts() {
		usleep(1000)
		when = min(when, faketime+1000*1000) // no more than has passed outside
	} else if when == 0 && !netpollAnyWaiters() && hkStuck.n == 0 {
		hkLoops()
	}
	if when > faketime {
		faketime = hkArrival(when)
		hkHdr[hkWJumps]++
	}
}

// hkNews notes a change that a spinning goroutine may have waited for.
//
//go:nosplit
func hkNews() { hkWrites++ }

// hkYieldSelf is what the runtime's own calls of goyield and Gosched do under
// control: let the runtime's goroutines run, then go on with the same one.
func hkYieldSelf() {
	if !hkRunning || hkNext != 0 || hkPrev != 0 {
		return
	}
	if gp := getg(); gp.hk.id != 0 {
		hkNext.set(gp)
	}
}

// hkGosched replaces Gosched for user goroutines; false: run the original.
func hkGosched() bool {
	gp := hkUser()
	if gp == nil {
		hkYieldSelf()
		return false
	}
	gp.hk.addrs[0] = 0
	hkStep(gp, hkOpGosched, 0)
	hkEvent(gp, hkOpGosched, 0, 0, false, 0)
	gp.hk.op = 0
	return true
}

// hkDone records the completion of op on addr.
//
//go:linkname hkDone
func hkDone(op uint8, addr unsafe.Pointer, val, aux uint64) {
	gp := hkUser()
	if gp == nil {
		return
	}
	gp.hk.op = 0
	gp.hk.addrs[0] = 0
	if op >= hkOpLock && op <= hkOpTryRLock {
		hkHolds(gp, op, uintptr(addr), val == 1 || op != hkOpTryLock && op != hkOpTryRLock)
	}
	switch op {
	case hkOpLock, hkOpUnlock, hkOpRLock, hkOpRUnlock, hkOpAtomicLoad, hkOpMapRead, hkOpCondWait:
	case hkOpAtomicCAS, hkOpTryLock, hkOpTryRLock, hkOpSend, hkOpRecv:
		if val != 0 {
			hkWrites++
		}
	case hkOpSelect, hkOpNetAccept, hkOpNetRead, hkOpNetWrite:
		if int64(val) >= 0 {
			hkWrites++
		}
	default:
		hkWrites++
	}
	if hkPairs {
		hkPairSync(gp, uintptr(addr), hkOnlyLooks(op, val))
	}
	hkHash(gp.hk.key ^ uint64(op)<<8 ^ hkMix(val))
	hkEvent(gp, op, uintptr(addr), val, true, aux)
}

// hkNote records what an operation found on its way, and is no operation itself.
//
//go:linkname hkNote
func hkNote(op uint8, addr unsafe.Pointer, val, aux uint64) {
	if gp := hkUser(); gp != nil && hkEv {
		hkEvent(gp, op, uintptr(addr), val, true, aux)
	}
}

// hkDonePtr is hkDone for a pointer value: recorded, but not hashed.
//
//go:linkname hkDonePtr
func hkDonePtr(op uint8, addr unsafe.Pointer, val, aux uintptr) {
	gp := hkUser()
	if gp == nil {
		return
	}
	gp.hk.op = 0
	if op != hkOpAtomicLoad {
		hkWrites++
	}
	if hkPairs {
		hkPairSync(gp, uintptr(addr), op == hkOpAtomicLoad)
	}
	hkEvent(gp, op, uintptr(addr), uint64(val), true, uint64(aux))
}

// hkNest switches the hooks off (d = 1) and on again (d = -1) for the running
// goroutine, around the inside of a wrapped operation.
//
//go:linkname hkNest
//go:nosplit
func hkNest(d int32) {
	if hkOn {
		getg().hk.nest += d
	}
}

func hkEvent(gp *g, op uint8, obj uintptr, val uint64, hasVal bool, aux uint64) {
	hkRoom(false)
	if !hkEv {
		return
	}
	st := uint32(0)
	if hkStk {
		st = hkStack()
	}
	hkRec(gp.hk.id, op, obj, st, gp.hk.cnt, val, hasVal, aux)
}

// hkFirst records the first step of a goroutine, late but before anything
// else that it does.
func hkFirst(gp *g) {
	if gp.hk.started {
		return
	}
	gp.hk.started = true
	if hkEv {
		hkRec(gp.hk.id, hkOpStart, 0, 0, gp.hk.cnt, 0, false, 0)
	}
}

// hkSpawned follows newproc on the parent's stack.
func hkSpawned() {
	child := hkChild
	gp := hkUser()
	if gp == nil || child == 0 {
		return
	}
	hkFirst(gp)
	hkWrites++
	st := hkStack()
	if child < uint32(hkHdr[hkWGoCap]) {
		hkPut32(hkBase+uintptr(hkHdr[hkWGoOff])+uintptr(child)*hkGoSize+24, st)
	}
	if hkEv {
		hkRec(gp.hk.id, hkOpSpawn, 0, st, gp.hk.cnt, 0, false, uint64(child))
	}
	hkHash(gp.hk.key ^ uint64(hkOpSpawn)<<8)
	gp.hk.addrs[0] = 0
	hkStep(gp, hkOpSpawn, 0)
	gp.hk.op = 0
}

// hkGoend is called by a goroutine that ends.
func hkGoend(gp *g) {
	if gp.hk.id == 0 || !hkRunning {
		return
	}
	hkFlush(gp.hk.id)
	hkRoom(false)
	hkFirst(gp)
	hkWrites++
	hkHash(gp.hk.key ^ uint64(hkOpEnd)<<8)
	if gp.hk.id < uint32(hkHdr[hkWGoCap]) {
		hkPut32(hkBase+uintptr(hkHdr[hkWGoOff])+uintptr(gp.hk.id)*hkGoSize+28, 1)
	}
	if hkEv {
		hkRec(gp.hk.id, hkOpEnd, 0, 0, gp.hk.cnt, 0, false, 0)
	}
}

// hkPark precedes gopark.
func hkPark(reason waitReason) {
	if !hkRunning {
		return
	}
	gp := getg()
	if gp.hk.id == 0 || gp == gp.m.g0 {
		return
	}
	hkFlush(gp.hk.id)
	hkRoom(false)
	hkFirst(gp)
	gp.hk.parked = true
	if hkEv {
		hkRec(gp.hk.id, hkOpBlock, gp.hk.addr, hkStack(), gp.hk.cnt, uint64(reason)|hkCapOf(gp), true, uint64(gp.hk.op))
	}
}

// hkReady precedes ready.
func hkReady(gp *g) {
	if !hkRunning || gp.hk.id == 0 {
		return
	}
	by, cnt, op := uint32(0), uint32(0), hkOpNone
	if cur := getg().m.curg; cur != nil {
		by, cnt, op = cur.hk.id, cur.hk.cnt, cur.hk.op
	}
	if op != hkOpUnlock && op != hkOpRUnlock { // those that poll under a lock wake each other
		hkWrites++
	}
	if !hkEv {
		return
	}
	hkRec(by, hkOpUnblock, 0, 0, cnt, 0, false, uint64(gp.hk.id))
}

// hkTestParallel is called by testing.(*T).Parallel.
//
//go:linkname hkTestParallel
func hkTestParallel() {
	if hkRunning {
		hkHdr[hkWParallel]++
	}
}

// hkTestFail is called by testing.(*common).Fail.
//
//go:linkname hkTestFail
func hkTestFail() {
	if !hkRunning {
		return
	}
	gp := getg()
	hkHdr[hkWFailCount]++
	st := hkStack()
	if hkHdr[hkWFailGID] == 0 {
		hkHdr[hkWFailGID] = uint64(gp.hk.id)
		hkHdr[hkWFailStack] = uint64(st)
		hkTimedOut(gp)
	}
	if hkEv && gp.hk.id != 0 {
		hkFirst(gp)
		hkRec(gp.hk.id, hkOpTestFail, 0, st, gp.hk.cnt, 0, false, 0)
	}
}
