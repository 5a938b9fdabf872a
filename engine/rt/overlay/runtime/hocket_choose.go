//go:build hocket_overlay

package runtime

import "unsafe"

// Who runs next among the goroutines in hkSet: first those of the schedule's
// segments, then whom the strategy of the run chooses.

// hkDecide takes the goroutine that runs next out of hkSet. self is the
// goroutine that stands at a switch point, nil if the last one blocked or ended.
func hkDecide(self *g) *g {
	i := 0
	if hkRunning {
		if hkN > 1 {
			i = hkChoose(self)
		} else {
			// Blocked or not, there is no choice: its segment goes on.
			gp := hkSet[0].ptr()
			gp.hk.parked = gp.hk.parked && gp.hk.key != hkLastKey
			hkAlone(gp)
		}
	}
	gp := hkSet[i].ptr()
	hkSetDel(i)
	if hkRunning {
		if chosen := hkPolicyOf().chosen; chosen != nil {
			chosen(gp)
		}
	}
	return gp
}

func hkChoose(self *g) int {
	if i := hkReplay(); i >= 0 {
		return i
	}
	return hkPolicyOf().choose(self)
}

// hkReplay follows the schedule's segments; -1 when they are used up. Every
// strategy does so first: a search goes on from the middle of an earlier run.
func hkReplay() int {
	n := int(hkHdr[hkWSegLen])
	for hkSeg < n {
		key, until, flags := hkSegAt(hkSeg)
		if i := hkSetKey(key); i >= 0 {
			over := hkSegOver(hkSet[i].ptr(), until, hkSegUsed, flags&hkSegAwait != 0)
			hkSegUsed = true
			if !over {
				return i
			}
		}
		if !hkSegUsed && hkSeg+1 != hkAwaitVain { // such a one is among those that were run
			hkHdr[hkWDiverged]++
		}
		hkSegUsed = false
		hkSeg++
	}
	return -1
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
