//go:build hocket_overlay

package runtime

import "unsafe"

// Who runs next among the goroutines that can: first those of the schedule's
// segments, then whom the strategy of the run chooses.

// hkDecide takes the goroutine that runs next out of the set. self is the
// goroutine that stands at a switch point, nil if the last one blocked or ended.
func hkDecide(self *g) *g {
	id := hkSetFirst()
	if hkRunning {
		if hkN > 1 {
			id = hkChoose(self)
		} else {
			// Blocked or not, there is no choice: its segment goes on.
			gp := hkByID[id].ptr()
			gp.hk.parked = gp.hk.parked && gp.hk.key != hkLastKey
			hkAlone(gp)
		}
	}
	gp := hkByID[id].ptr()
	hkSetDel(id)
	if hkRunning {
		if chosen := hkPolicyOf().chosen; chosen != nil {
			chosen(gp)
		}
	}
	return gp
}

func hkChoose(self *g) uint32 {
	if id := hkReplay(); id != 0 {
		return id
	}
	return hkNotHeld(hkPolicyOf().choose(self))
}

// hkReplay follows the schedule's segments; 0 when they are used up. Every
// strategy does so first: a search goes on from the middle of an earlier run.
func hkReplay() uint32 {
	n := int(hkHdr[hkWSegLen])
	for hkSeg < n {
		key, until, flags := hkSegAt(hkSeg)
		if id := hkSetKey(key); id != 0 {
			over := hkSegOver(hkByID[id].ptr(), until, hkSegUsed, flags&hkSegAwait != 0)
			hkSegUsed = true
			if !over {
				return id
			}
		}
		if !hkSegUsed && hkSeg+1 != hkAwaitVain { // such a one is among those that were run
			hkHdr[hkWDiverged]++
		}
		hkSegUsed = false
		hkSeg++
	}
	return 0
}

// hkAlone follows the schedule when gp is all that can run: it ends the present
// segment if that was another goroutine's, which must not be taken up again
// once it is woken, and notes that gp's own segment has begun.
func hkAlone(gp *g) {
	for hkSeg < int(hkHdr[hkWSegLen]) {
		p := hkBase + uintptr(hkHdr[hkWSegOff]) + uintptr(hkSeg)*hkSegSize
		if *(*uint64)(unsafe.Pointer(p)) == gp.hk.key {
			hkSegUsed = true
			return
		}
		if !hkSegUsed {
			return
		}
		hkSegUsed = false
		hkSeg++
	}
}
