//go:build hocket_overlay

package runtime

import (
	"internal/abi"
	"internal/runtime/sys"
	"unsafe"
)

// What the compiler and the runtime call in a race build. raceenabled is
// true, so that the runtime announces every happens-before edge of Go's memory
// model at the places that its authors chose; the functions here replace
// ThreadSanitizer. g.racectx holds the detector's goroutine index + 1.

const raceenabled = true

var hkHotN int

//go:nosplit
func hkTid(gp *g) (uint32, bool) {
	return uint32(gp.racectx - 1), hkrOn && gp.racectx != 0
}

// hkPlain is called before a plain access of size bytes at addr.
func hkPlain(addr, size uintptr, scalar, write bool, pc uintptr) {
	if !hkRunning {
		return
	}
	gp := getg()
	if gp.hk.id == 0 || addr-gp.stack.lo < gp.stack.hi-gp.stack.lo || size == 0 || addr < 4096 {
		return
	}
	hkRoom(false)
	if n := hkHdr[hkWHotLen]; n != 0 && hkHot(uint64(pc-hkText), n) {
		if hkUser() != nil {
			gp.hk.addrs[0] = 0
			op := hkOpRead
			if write {
				op = hkOpWrite
			}
			hkStep(gp, op, addr)
			gp.hk.op = 0
		}
	}
	if write {
		hkWrites++
	}
	gp.hk.plain++
	hkAccesses++
	if gp.hk.plain > hkPlainMax && hkUser() != nil {
		gp.hk.addrs[0] = 0
		gp.hk.spin += hkSpinSoft
		hkStep(gp, hkOpGosched, 0)
		gp.hk.op = 0
	}
	if tid, ok := hkTid(gp); ok {
		hkrAccess(tid, gp.hk.id, addr, size, scalar, write, pc)
		if hkPairs {
			hkPairPlain(gp, addr, size, scalar, write, pc)
		}
	}
	if hkPl && hkWatched(addr, size) {
		hkFirst(gp)
		op := hkOpRead
		if write {
			op = hkOpWrite
		}
		if !scalar {
			op += hkOpReadRange - hkOpRead
		}
		hkEvent(gp, op, addr, hkPeek(addr, scalar), scalar, uint64(size))
	}
}

// hkAtomicAccess is an atomic operation on the memory at addr, by the code at pc:
// it races with plain accesses that nothing orders.
//
//go:linkname hkAtomicAccess
func hkAtomicAccess(addr unsafe.Pointer, write bool, pc uintptr) {
	if !hkRunning {
		return
	}
	gp, at := getg(), uintptr(addr)
	if gp.hk.id == 0 || gp.hk.nest > 0 || gp.raceignore != 0 || at-gp.stack.lo < gp.stack.hi-gp.stack.lo || at < 4096 {
		return
	}
	if tid, ok := hkTid(gp); ok {
		hkrAtomic(tid, gp.hk.id, at, write, pc)
	}
}

// hkPeek reads the aligned bytes at addr, at most 8.
func hkPeek(addr uintptr, scalar bool) uint64 {
	p := unsafe.Pointer(addr)
	switch {
	case !scalar:
		return 0
	case addr%8 == 0:
		return *(*uint64)(p)
	case addr%4 == 0:
		return uint64(*(*uint32)(p))
	case addr%2 == 0:
		return uint64(*(*uint16)(p))
	}
	return uint64(*(*uint8)(p))
}

func hkHot(pc, n uint64) bool {
	base := hkBase + uintptr(hkHdr[hkWHotOff])
	for i := uint64(0); i < n; i++ {
		if *(*uint64)(unsafe.Pointer(base + uintptr(i)*8)) == pc {
			return true
		}
	}
	return false
}

// hkWatched reports whether an access touches a watched granule; an empty
// watch list watches everything.
func hkWatched(addr, size uintptr) bool {
	n := hkHdr[hkWWatchLen]
	if n == 0 {
		return true
	}
	base := hkBase + uintptr(hkHdr[hkWWatchOff])
	first, last := uint64(addr&^7), uint64((addr+size-1)&^7)
	lo, hi := uint64(0), n
	for lo < hi {
		m := (lo + hi) / 2
		if *(*uint64)(unsafe.Pointer(base + uintptr(m)*8)) < first {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo < n && *(*uint64)(unsafe.Pointer(base + uintptr(lo)*8)) <= last
}

// hkRaceReport stores a race once per pair of places.
func hkRaceReport(addr uintptr, gid1 uint32, pc1 uint32, write1 bool, gid2 uint32, pc2 uintptr, write2 bool) {
	rel2 := uint64(pc2 - hkText)
	base := hkBase + uintptr(hkHdr[hkWRaceOff])
	for i := uint64(0); i < hkHdr[hkWRaceLen]; i++ {
		p := base + uintptr(i)*hkRaceSize
		if *(*uint64)(unsafe.Pointer(p + 16)) == uint64(pc1) && *(*uint64)(unsafe.Pointer(p + 24)) == rel2 {
			return
		}
	}
	p := hkEntry(hkWRaceOff, hkRaceSize)
	if p == 0 {
		return
	}
	fl := uint32(0)
	if write1 {
		fl |= 1
	}
	if write2 {
		fl |= 2
	}
	hkPut64(p, uint64(addr))
	hkPut32(p+8, gid1)
	hkPut32(p+12, gid2)
	hkPut64(p+16, uint64(pc1))
	hkPut64(p+24, rel2)
	hkPut32(p+32, hkStack())
	hkPut32(p+36, fl)
	hkPut64(p+40, hkHdr[hkWEventLen])
}

// hkSharedFound notes a granule that several goroutines use.
func hkSharedFound(addr uintptr) {
	if p := hkEntry(hkWSharedOff, 8); p != 0 {
		hkPut64(p, uint64(addr))
	}
}

//go:nosplit
func hkMallocType(typ *_type) {
	if hkRunning {
		getg().hk.typ = uintptr(unsafe.Pointer(typ))
	}
}

func raceread(addr uintptr) { hkPlain(addr, 1, true, false, sys.GetCallerPC()) }
func racewrite(addr uintptr) {
	pc := sys.GetCallerPC()
	hkPlain(addr, 1, true, true, pc)
	hkStoring(addr, uint64(pc-hkText))
}
func racereadrange(addr, size uintptr) {
	hkPlain(addr, size, false, false, sys.GetCallerPC())
}
func racewriterange(addr, size uintptr) {
	hkPlain(addr, size, false, true, sys.GetCallerPC())
	hkStoreOver(addr, size)
}

//go:nosplit
func racefuncenter(pc uintptr) {}

//go:nosplit
func racefuncenterfp(fp uintptr) {}

//go:nosplit
func racefuncexit() {}

func raceReadObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	k := t.Kind()
	if k == abi.Array || k == abi.Struct {
		racereadrangepc(addr, t.Size_, callerpc, pc)
	} else {
		racereadpc(addr, callerpc, pc)
	}
}

func raceWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	k := t.Kind()
	if k == abi.Array || k == abi.Struct {
		racewriterangepc(addr, t.Size_, callerpc, pc)
	} else {
		racewritepc(addr, callerpc, pc)
	}
}

func racewritepc(addr unsafe.Pointer, callerpc, pc uintptr) {
	hkPlain(uintptr(addr), 1, true, true, callerpc)
	hkStoreOver(uintptr(addr), hkStoreWide)
}
func racereadpc(addr unsafe.Pointer, callerpc, pc uintptr) {
	hkPlain(uintptr(addr), 1, true, false, callerpc)
}

// hkMapClone precedes maps.Clone of the map p, which has no hook in Go.
func hkMapClone(p unsafe.Pointer) { hkPlain(uintptr(p), 1, true, false, sys.GetCallerPC()) }

func racereadrangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	hkPlain(uintptr(addr), sz, false, false, callerpc)
}
func racewriterangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	hkPlain(uintptr(addr), sz, false, true, callerpc)
	hkStoreOver(uintptr(addr), sz)
}

func raceinit() (uintptr, uintptr)                    { hkInit(); return 0, 1 }
func racefini()                                       { exit(0) }
func raceproccreate() uintptr                         { return 1 }
func raceprocdestroy(ctx uintptr)                     {}
func racemapshadow(addr unsafe.Pointer, size uintptr) {}

func raceacquire(addr unsafe.Pointer) { raceacquireg(getg(), addr) }

//go:nosplit
func raceacquireg(gp *g, addr unsafe.Pointer) {
	if tid, ok := hkTid(gp); ok && getg().raceignore == 0 {
		hkrAcquire(tid, uintptr(addr))
	}
}

func raceacquirectx(racectx uintptr, addr unsafe.Pointer) {
	if hkrOn && racectx != 0 {
		hkrAcquire(uint32(racectx-1), uintptr(addr))
	}
}

func racerelease(addr unsafe.Pointer) { racereleaseg(getg(), addr) }

func racereleaseg(gp *g, addr unsafe.Pointer) {
	if tid, ok := hkTid(gp); ok && getg().raceignore == 0 {
		hkrRelease(tid, uintptr(addr))
	}
}

func racereleaseacquire(addr unsafe.Pointer) { racereleaseacquireg(getg(), addr) }

func racereleaseacquireg(gp *g, addr unsafe.Pointer) {
	if tid, ok := hkTid(gp); ok && getg().raceignore == 0 {
		hkrReleaseAcquire(tid, uintptr(addr))
	}
}

func racereleasemerge(addr unsafe.Pointer) { racereleasemergeg(getg(), addr) }

func racereleasemergeg(gp *g, addr unsafe.Pointer) {
	if tid, ok := hkTid(gp); ok && getg().raceignore == 0 {
		hkrReleaseMerge(tid, uintptr(addr))
	}
}

func racefingo() {
	if tid, ok := hkTid(getg()); ok {
		hkrAcquireAll(tid)
	}
}

func racemalloc(p unsafe.Pointer, sz uintptr) {
	if hkrOn {
		hkrMalloc(uintptr(p), sz)
	}
	gp := getg()
	if !hkRunning || gp.hk.id == 0 {
		return
	}
	hkRoom(false)
	if !hkAl {
		return
	}
	q := hkEntry(hkWAllocOff, hkAllocSize)
	if q == 0 {
		return
	}
	hkPut64(q, uint64(uintptr(p)))
	hkPut64(q+8, uint64(sz))
	hkPut64(q+16, uint64(gp.hk.typ))
	hkPut32(q+24, hkStack())
	hkPut32(q+28, gp.hk.id)
	hkPut64(q+32, hkHdr[hkWEventLen])
}

func racefree(p unsafe.Pointer, sz uintptr) {}

func racegostart(pc uintptr) uintptr {
	if !hkrOn {
		return 0
	}
	gp := getg()
	spawn := gp
	if gp.m.curg != nil {
		spawn = gp.m.curg
	}
	return racectxstartGid(spawn.racectx, hkChild)
}

func racectxstartGid(spawn uintptr, gid uint32) uintptr {
	parent := uint32(hkMaxUint32)
	if spawn != 0 {
		parent = uint32(spawn - 1)
	}
	return uintptr(hkrGoStart(parent, gid)) + 1
}

func racegoend() {
	gp := getg()
	hkGoend(gp)
	if tid, ok := hkTid(gp); ok {
		hkrGoEnd(tid)
		gp.racectx = 0
	}
}

func racectxstart(spawnctx, racectx uintptr) uintptr {
	if !hkrOn {
		return 0
	}
	return racectxstartGid(racectx, 0)
}

func racectxend(racectx uintptr) {
	if hkrOn && racectx != 0 {
		hkrGoEnd(uint32(racectx - 1))
	}
}
