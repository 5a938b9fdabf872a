//go:build hocket_overlay

package runtime

import (
	"internal/abi"
	"unsafe"
)

// Collection of memory. When the collector runs is a choice of the schedule, in
// programs that could tell: those with weak pointers, cleanups, finalizers or
// pools. The goroutines that run cleanups and finalizers are under control then,
// from the first collection on. A collection is one operation: nobody else runs
// in the meantime.

var (
	hkCollects  bool // the program could tell when the collector runs
	hkNoCollect int32
	hkGCPercent int32    = 100 // what the program was told that it is
	hkCollector func(*g)       // hkCollect; a direct call would be a cycle of initialisation
)

// hkCollectDue runs the collector before the operation of gp that the schedule
// or the strategy names.
func hkCollectDue(gp *g) {
	n := int(hkHdr[hkWCollectLen])
	due := false
	for i := 0; i < n; i++ {
		p := hkCollectAt(i)
		if *(*uint64)(p) == gp.hk.key && *(*uint32)(add(p, 8)) == gp.hk.cnt && *(*uint32)(add(p, 12)) == 0 {
			*(*uint32)(add(p, 12)) = 1
			due = true
		}
	}
	for _, w := range [...]int{hkWCollectStep1, hkWCollectStep2} {
		if at := hkHdr[w]; at != 0 && hkHdr[hkWSteps]+1 >= at && hkMayCollect() {
			hkHdr[w] = 0
			if !due && uint64(n) < hkHdr[hkWCollectCap] {
				p := uintptr(hkCollectAt(n))
				hkPut64(p, gp.hk.key)
				hkPut32(p+8, gp.hk.cnt)
				hkPut32(p+12, 1)
				hkHdr[hkWCollectLen]++
				due = true
			}
		}
	}
	if due && hkMayCollect() {
		hkCollector(gp)
		hkEvent(gp, hkOpCollect, 0, 0, false, 0)
	}
}

func hkCollectAt(i int) unsafe.Pointer {
	return unsafe.Pointer(hkBase + uintptr(hkHdr[hkWCollectOff]) + uintptr(i)*hkCollectSize)
}

// hkMayCollect: the program has not switched the collector off, and does not
// count allocations.
func hkMayCollect() bool { return hkNoCollect == 0 && hkGCPercent >= 0 }

// hkCollect runs the collector and makes what waited for it runnable.
func hkCollect(gp *g) {
	if hkCollects {
		hkControlCleanups(gp)
	}
	hkRunning, hkFrozen = false, true
	hkEnder.set(gp)
	hkOrigGC()
	systemstack(func() {
		if fingStatus.Load()&(fingWait|fingWake) == fingWait|fingWake {
			if fg := wakefing(); fg != nil {
				ready(fg, 0, true)
			}
		}
		if gcCleanups.needsWake() {
			gcCleanups.wake()
		}
	})
	hkEnder = 0
	hkNext, hkPrev = 0, 0
	hkRunning, hkFrozen = true, false
	hkWrites++
}

// GC replaces runtime.GC.
func GC() {
	gp := hkUser()
	if gp == nil {
		hkNest(1)
		hkOrigGC()
		hkNest(-1)
		return
	}
	gp.hk.addrs[0] = 0
	hkStep(gp, hkOpCollect, 0)
	hkCollect(gp)
	gp.hk.op = 0
	hkEvent(gp, hkOpCollect, 0, 0, false, 0)
}

// hkControlCleanups names the goroutines that run finalizers and cleanups, as if
// by had started them, so that they are scheduled as all others.
func hkControlCleanups(by *g) {
	fin, clean := abi.FuncPCABIInternal(runFinalizers), abi.FuncPCABIInternal(runCleanups)
	systemstack(func() {
		forEachGRace(func(gp *g) {
			if gp.hk.id == 0 && readgstatus(gp)&^_Gscan == _Gwaiting && (gp.startpc == fin || gp.startpc == clean) {
				by.hk.kids++
				hkNameG(gp, by.hk.id, by.hk.kids, by.hk.key, 0)
			}
		})
	})
}

// hkIdleCleaner reports whether a goroutine waits for finalizers or cleanups to
// run.
func hkIdleCleaner(gp *g) bool {
	return gp.waitreason == waitReasonFinalizerWait || gp.waitreason == waitReasonCleanupWait
}

// hkShuffle gives the cleanups that came in one collection an order by the
// select seed; seed 0 leaves it as it is.
func hkShuffle(b *cleanupBlock) {
	gp := getg()
	if !hkRunning || gp.hk.id == 0 || hkHdr[hkWSelectSeed] == 0 {
		return
	}
	for i := int(b.n) - 1; i > 0; i-- {
		gp.hk.sel++
		j := int(hkMix(hkMix(gp.hk.key^hkHdr[hkWSelectSeed]*0x9E3779B97F4A7C15)+gp.hk.sel) >> 33 % uint64(i+1))
		b.cleanups[i], b.cleanups[j] = b.cleanups[j], b.cleanups[i]
	}
}

// hkSetGCPercent keeps the collector as it is under control, and the program's
// setting for choices of the schedule. false: set it.
func hkSetGCPercent(in int32) (old int32, kept bool) {
	if !hkRunning {
		return 0, false
	}
	old = hkGCPercent
	hkGCPercent = max(in, -1)
	return old, true
}

// hkAllocsCounted is called by testing.AllocsPerRun: pools must not be emptied, and
// other goroutines not run, while allocations are counted.
//
//go:linkname hkAllocsCounted
func hkAllocsCounted(d int32) { hkNoCollect += d }

// hkInited: packages are initialised, and main.main is about to run.
var hkInited bool

// hkAwaitsCollector notes that a goroutine made something, after packages were
// initialised, by which one can tell when the collector runs.
func hkAwaitsCollector(kind byte) {
	switch kind {
	case _KindSpecialFinalizer, _KindSpecialCleanup, _KindSpecialWeakHandle:
		if gp := getg().m.curg; hkRunning && hkInited && gp != nil && gp.hk.id != 0 {
			hkHdr[hkWAwaits] = 1
		}
	}
}

// hkMemStats notes that the program reads how much was allocated: the runtime and
// all goroutines allocate, and the schedule has its part in it.
func hkMemStats() {
	if hkUser() != nil {
		hkHdr[hkWMemStats] = 1
	}
}
