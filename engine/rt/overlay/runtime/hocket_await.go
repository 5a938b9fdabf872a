//go:build hocket_overlay

package runtime

import "unsafe"

// Segments that await: virtual time passes while their goroutine can't run,
// although others could. The scheduler does it on its own way to idleness: the
// picker says that there is nobody, the clock jumps to the next timer, and the
// search for work begins again.

// hkAwaitMax is how many timers one segment waits for: a ticker never ends.
const hkAwaitMax = 1000

var (
	hkAwaitAny  bool // some segment awaits
	hkAwaitSeg  int  // the segment that hkAwaitN belongs to
	hkAwaitN    int  // jumps made for it
	hkAwaitDone int  // the segments before this one waited long enough
	hkAwaitVain int  // 1 + the last segment that time passed for in vain
	hkAwaited   bool // time passed since the last goroutine was chosen
	hkAwaitJump bool // the next search for work moves the clock
)

// hkSegAt reads a segment of the schedule.
func hkSegAt(i int) (key uint64, until uint32, await bool) {
	p := unsafe.Pointer(hkBase + uintptr(hkHdr[hkWSegOff]) + uintptr(i)*hkSegSize)
	key, until = *(*uint64)(p), *(*uint32)(add(p, 8))
	return key, until, *(*uint32)(add(p, 12))&hkSegAwait != 0
}

func hkAwaitInit() {
	for i := 0; i < int(hkHdr[hkWSegLen]); i++ {
		_, _, await := hkSegAt(i)
		hkAwaitAny = hkAwaitAny || await
	}
}

// hkAwaits is the segment that time must pass for before anybody is chosen, -1
// if there is none. It skips the segments that hkReplay will leave behind.
func hkAwaits() int {
	if !hkAwaitAny || !hkRunning || !hkPolicyOf().awaits {
		return -1
	}
	used := hkSegUsed
	for i := hkSeg; i < int(hkHdr[hkWSegLen]); i++ {
		key, until, await := hkSegAt(i)
		at := hkSetKey(key)
		switch {
		case at >= 0:
			if !hkSegOver(hkSet[at].ptr(), until, used, await) {
				return -1
			}
		case !await:
			if !used && hkN <= 1 {
				return -1 // kept while there is no choice, see hkAlone
			}
		case used && hkParkedAt(key, until):
		case i < hkAwaitDone:
		case !hkGone(key):
			return i
		}
		used = false
	}
	return -1
}

// hkSelfAwaits is whether time must pass before gp, which stands at a switch
// point, or anybody else is chosen. That is for the scheduler to do.
func hkSelfAwaits(gp *g) bool {
	if !hkAwaitAny {
		return false
	}
	var self guintptr
	self.set(gp)
	hkSetAdd(self)
	i := hkAwaits()
	hkSetDel(hkSetFind(gp))
	return i >= 0
}

// hkSegOver says whether a segment has no more to do for its goroutine, which
// can run. One that waited for time goes on after it was blocked.
func hkSegOver(gp *g, until uint32, used, await bool) bool {
	if used && gp.hk.parked && !await {
		return true // and was woken before anybody ran
	}
	return gp.hk.cnt > until || gp.hk.cnt == until && gp.hk.at
}

// hkParkedAt says whether the goroutine that ran last, and can't go on, has done
// what its segment was for: it sleeps, or waits for its partner, after the last
// switch point. A receive was not done yet.
func hkParkedAt(key uint64, until uint32) bool {
	gp := hkLast.ptr()
	return gp != nil && hkLastKey == key && gp.hk.key == key && gp.hk.cnt >= until &&
		gp.hk.op != hkOpRecv && gp.hk.op != hkOpSelect
}

// hkSetKey finds a goroutine that can run by its key.
func hkSetKey(key uint64) int {
	for i := 0; i < hkN; i++ {
		if hkSet[i].ptr().hk.key == key {
			return i
		}
	}
	return -1
}

// hkGone reports whether the goroutine of a key has ended.
func hkGone(key uint64) bool {
	base := hkBase + uintptr(hkHdr[hkWGoOff])
	n := min(hkHdr[hkWGoLen], hkHdr[hkWGoCap])
	for i := uintptr(1); i < uintptr(n); i++ {
		p := unsafe.Pointer(base + i*hkGoSize)
		if *(*uint64)(p) == key {
			return *(*uint32)(add(p, 28)) != 0
		}
	}
	return false
}

// hkPassTime prepares a jump of the clock for segment i; false: no timer is left
// for it, or something outside is under way, which must not seem slower than it
// is.
func hkPassTime(pp *p, i int) bool {
	if hkAwaitSeg != i {
		hkAwaitSeg, hkAwaitN = i, 0
	}
	when := pp.timers.wakeTime()
	if when == 0 || when-hkEpoch > int64(hkHdr[hkWVirtualMax]) || hkAwaitN >= hkAwaitMax || hkOutsideBusy() {
		hkAwaitDone = i + 1
		hkAwaitedInVain(i)
		return false
	}
	hkAwaitN++
	hkAwaitJump, hkAwaited = true, true
	return true
}

// hkAwaitedInVain lists the segment among those that were run, so that the same
// time passes when they are repeated.
func hkAwaitedInVain(i int) {
	if !hkAwaited {
		return
	}
	hkAwaited = false
	hkAwaitVain = i + 1
	hkPickLeft()
	key, until, _ := hkSegAt(i)
	hkLastKey = 0
	hkPicks = hkEntry(hkWPickOff, hkSegSize)
	if hkPicks != 0 {
		hkPut64(hkPicks, key)
		hkPut32(hkPicks+8, until)
		hkPut32(hkPicks+12, hkSegAwait|1)
		hkPicks = 0
	}
}

// hkAwaitedPick marks the segment being run: time passed for it.
func hkAwaitedPick() {
	if hkAwaited {
		hkAwaited = false
		*(*uint32)(unsafe.Pointer(hkPicks + 12)) |= hkSegAwait
	}
}

// hkPickLeft notes why the segment being run ends.
func hkPickLeft() {
	if hkPicks != 0 {
		p := (*uint32)(unsafe.Pointer(hkPicks + 12))
		*p = *p&hkSegAwait | hkWhyLeft()
	}
}
