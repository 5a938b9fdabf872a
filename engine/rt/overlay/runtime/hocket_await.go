//go:build hocket_overlay

package runtime

import "unsafe"

// Segments that await: virtual time passes while their goroutine can't run,
// although others could; and those of a timer: time passes until it fires. The
// picker moves the clock and says that there is nobody to run, and the scheduler's
// search for work begins again, with the timers.

// hkAwaitMax is how many timers one segment waits for: a ticker never ends.
const hkAwaitMax = 1000

var (
	hkAwaitAny  bool // some segment awaits, or is a timer's
	hkAwaitSeg  int  // the segment that hkAwaitN belongs to
	hkAwaitN    int  // jumps made for it
	hkAwaitDone int  // the segments before this one waited long enough
	hkAwaitVain int  // 1 + the last segment that time passed for in vain
	hkAwaited   bool // time passed since the last goroutine was chosen
	hkAwaitJump bool // the clock was moved: the search for work begins again
)

// hkSegAt reads a segment of the schedule; flags are hkSegAwait and hkSegTimer.
func hkSegAt(i int) (key uint64, until, flags uint32) {
	p := unsafe.Pointer(hkBase + uintptr(hkHdr[hkWSegOff]) + uintptr(i)*hkSegSize)
	return *(*uint64)(p), *(*uint32)(add(p, 8)), *(*uint32)(add(p, 12)) & (hkSegAwait | hkSegTimer)
}

func hkAwaitInit() {
	for i := 0; i < int(hkHdr[hkWSegLen]); i++ {
		_, _, flags := hkSegAt(i)
		hkAwaitAny = hkAwaitAny || flags != 0
	}
}

// hkAwaits is the segment that time must pass for before anybody is chosen, -1
// if there is none. It skips the segments that hkReplay will leave behind, and
// those of timers that are not pending or too far away. self is as in hkDecide.
func hkAwaits(pp *p, self *g) int {
	if !hkAwaitAny || !hkRunning {
		return -1
	}
	used := hkSegUsed
	for i := hkSeg; i < int(hkHdr[hkWSegLen]); i++ {
		key, until, flags := hkSegAt(i)
		await := flags&hkSegAwait != 0
		if flags&hkSegTimer != 0 {
			if t := hkPendingTimer(pp, self, key); t != nil && hkMayDelay(t.when) {
				return i
			}
			hkHdr[hkWDiverged]++
			hkSeg, hkSegUsed, used = i+1, false, false
			continue
		}
		at := hkSetKey(key)
		switch {
		case at != 0:
			if !hkSegOver(hkByID[at].ptr(), until, used, await || i == hkSeg && hkGoesOn()) {
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

// hkGoesOn is whether there is no choice: the segment of the goroutine that ran last
// goes on, though it was blocked, as nobody else can run.
func hkGoesOn() bool { return hkN == 1 && hkKeys[hkSetFirst()] == hkLastKey }

// hkSelfAwaits is whether time must pass before gp, which stands at a switch
// point, or anybody else is chosen. That is for the scheduler to do.
func hkSelfAwaits(pp *p, gp *g) bool {
	if !hkAwaitAny {
		return false
	}
	var self guintptr
	self.set(gp)
	hkSetAdd(self)
	i := hkAwaits(pp, gp)
	hkSetDel(gp.hk.id)
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

// hkGone reports whether the goroutine of a key has ended.
func hkGone(key uint64) bool {
	id := hkIDOf(key)
	if id == 0 || uint64(id) >= hkHdr[hkWGoCap] {
		return false
	}
	return *(*uint32)(unsafe.Pointer(hkBase + uintptr(hkHdr[hkWGoOff]) + uintptr(id)*hkGoSize + 28)) != 0
}

// hkPassTime moves the clock for segment i; false: no timer is left for it, or none
// within the delay that the schedule allows, or something outside is under way, which
// must not seem slower than it is.
func hkPassTime(pp *p, i int, self *g) bool {
	if key, _, flags := hkSegAt(i); flags&hkSegTimer != 0 {
		hkDelay(hkPendingTimer(pp, self, key), self)
		hkSeg, hkSegUsed, hkAwaitJump = i+1, false, true
		return true
	}
	if hkAwaitSeg != i {
		hkAwaitSeg, hkAwaitN = i, 0
	}
	when := pp.timers.wakeTime()
	if when == 0 || when-hkEpoch > int64(hkHdr[hkWVirtualMax]) || hkAwaitN >= hkAwaitMax || !hkMayDelay(when) {
		hkAwaitDone = i + 1
		hkAwaitedInVain(i)
		return false
	}
	hkAwaitN++
	hkAwaitJump, hkAwaited = true, true
	hkPass(when, hkFirstTimer(pp), self)
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
