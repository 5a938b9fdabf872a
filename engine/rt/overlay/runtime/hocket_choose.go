//go:build hocket_overlay

package runtime

import "unsafe"

// Who runs next among the goroutines in hkSet: the strategies, replay and the
// default rule after a schedule's last segment.

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
	if hkRunning && hkHdr[hkWStrategy] == hkStrategyPOS {
		hkPOSRan(gp)
	}
	return gp
}

func hkChoose(self *g) int {
	if i := hkReplay(); i >= 0 {
		return i
	}
	if hkHdr[hkWStrategy] == hkStrategyReplay {
		return hkDefault(self)
	}
	news := hkAnyNews()
	switch hkHdr[hkWStrategy] {
	case hkStrategyPOS:
		return hkHighest(news)
	case hkStrategyPCT:
		i := hkHighest(news)
		for k := range hkChange {
			if hkChange[k] != 0 && hkChange[k] == hkHdr[hkWSteps] {
				hkChange[k] = 0
				hkSet[i].ptr().hk.prio = uint64(len(hkChange) - k)
				i = hkHighest(news)
			}
		}
		return i
	}
	n := 0
	for i := 0; i < hkN; i++ {
		if !news || hkSet[i].ptr().hk.spin < hkSpinSoft {
			n++
		}
	}
	k := int(hkRand() % uint64(n))
	for i := 0; i < hkN; i++ {
		if !news || hkSet[i].ptr().hk.spin < hkSpinSoft {
			if k == 0 {
				return i
			}
			k--
		}
	}
	return 0
}

// hkAnyNews reports whether somebody in the set does not only spin.
func hkAnyNews() bool {
	for i := 0; i < hkN; i++ {
		if gp := hkSet[i].ptr(); gp.hk.spin < hkSpinSoft || gp.hk.spinW != hkWrites {
			if gp.hk.spinW != hkWrites {
				gp.hk.spin = 0
			}
			return true
		}
	}
	return false
}

func hkHighest(news bool) int {
	best := -1
	for i := 0; i < hkN; i++ {
		gp := hkSet[i].ptr()
		if news && gp.hk.spin >= hkSpinSoft && gp.hk.spinW == hkWrites {
			continue
		}
		if best < 0 || gp.hk.prio > hkSet[best].ptr().hk.prio {
			best = i
		}
	}
	if best < 0 {
		best = 0
	}
	gp := hkSet[best].ptr()
	if gp.hk.spin >= hkSpinSoft { // all spin: take turns
		hkLow++
		gp.hk.prio = 1<<40 - hkLow
		hkHdr[hkWStarved]++
	}
	return best
}

// hkPOSRan gives new priorities to those whose pending operation races with
// the one that gp is about to perform (partial order sampling).
func hkPOSRan(gp *g) {
	if gp.hk.op == 0 {
		return
	}
	for i := 0; i < hkN; i++ {
		q := hkSet[i].ptr()
		if q.hk.op != 0 && (q.hk.wr || gp.hk.wr) && hkSameObj(q, gp) {
			q.hk.prio = hkRand() | 1<<63
		}
	}
	gp.hk.prio = hkRand() | 1<<63
}

func hkSameObj(a, b *g) bool {
	if a.hk.addr != 0 && a.hk.addr == b.hk.addr {
		return true
	}
	for _, x := range a.hk.addrs {
		if x == 0 {
			break
		}
		if x == b.hk.addr {
			return true
		}
		for _, y := range b.hk.addrs {
			if y == x {
				return true
			}
		}
	}
	for _, y := range b.hk.addrs {
		if y != 0 && y == a.hk.addr {
			return true
		}
	}
	return false
}

// hkReplay follows the schedule's segments; -1 when they are used up. Every
// strategy does so first: a search goes on from the middle of an earlier run.
func hkReplay() int {
	n := int(hkHdr[hkWSegLen])
	for hkSeg < n {
		key, until, await := hkSegAt(hkSeg)
		if i := hkSetKey(key); i >= 0 {
			over := hkSegOver(hkSet[i].ptr(), until, hkSegUsed, await)
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

// hkDefault is the rule after the last segment: stay; a goroutine that yields
// or only spins lets the next one go; else the one created first.
func hkDefault(self *g) int {
	if self == nil {
		return 0
	}
	at := hkSetFind(self)
	if at < 0 {
		return 0
	}
	if self.hk.op == hkOpGosched || self.hk.spin >= hkSpinSoft && self.hk.spinW == hkWrites {
		return (at + 1) % hkN
	}
	return at
}
