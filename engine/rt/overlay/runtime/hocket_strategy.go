//go:build hocket_overlay

package runtime

// The strategies: who runs next after the last of a schedule's segments.

// hkPolicy is what one strategy does; a nil function does nothing. All are top-level
// functions, so that the linker lays the table out, and none may allocate.
type hkPolicy struct {
	born   func(gp *g)          // gp has been created
	stands func(gp *g)          // gp stands before its next operation
	choose func(self *g) uint32 // which of those that can, several, runs next; self as in hkDecide
	chosen func(gp *g)          // gp is about to go on
}

// hkPolicies are the strategies by their number in the run file.
var hkPolicies = [...]hkPolicy{
	hkStrategyReplay: {choose: hkDefault},
	hkStrategyRandom: {choose: hkUniform},
	hkStrategyPOS:    {born: hkPrioDraw, stands: hkPrioDraw, choose: hkPOS, chosen: hkPOSRan},
	hkStrategyPCT:    {born: hkPrioDraw, choose: hkPCT},
	hkStrategyOrders: {choose: hkOrdered, chosen: hkOrderRan},
}

// hkPolicyOf is the strategy of this run.
func hkPolicyOf() *hkPolicy { return &hkPolicies[hkHdr[hkWStrategy]] }

// hkPrioDraw gives a goroutine a priority above all those that were lowered.
func hkPrioDraw(gp *g) { hkPrioSet(gp.hk.id, hkRand()|hkPrioDrawn) }

// hkPrioDrawn is the lowest priority that is drawn.
const hkPrioDrawn = 1 << 63

// hkBorn tells the strategy of a goroutine that has been created.
func hkBorn(gp *g) {
	if born := hkPolicyOf().born; born != nil {
		born(gp)
	}
}

// hkDefault is the rule after the last segment: stay; a goroutine that yields
// or only spins lets the next one go; else the one created first.
func hkDefault(self *g) uint32 {
	if self == nil || !hkSetHas(self) {
		return hkSetFirst()
	}
	id := self.hk.id
	if self.hk.op == hkOpGosched || self.hk.spin >= hkSpinSoft && self.hk.spinW == hkWrites {
		if id = hkSetNext(id); id == 0 {
			id = hkSetFirst()
		}
	}
	return id
}

// hkUniform chooses at random among all, or among those that do not only spin.
func hkUniform(*g) uint32 {
	news := hkAnyNews()
	for range 16 {
		id := hkSetKth(int(hkRand() % uint64(hkN)))
		if !news || hkByID[id].ptr().hk.spin < hkSpinSoft {
			return id
		}
	}
	for id := hkSetFirst(); id != 0; id = hkSetNext(id) {
		if hkByID[id].ptr().hk.spin < hkSpinSoft {
			return id
		}
	}
	return hkSetFirst()
}

// hkChangesDraw draws the steps at which PCT lowers the running goroutine's
// priority. It does so under every strategy that is given a depth: what is drawn
// after it must not depend on who uses the steps.
func hkChangesDraw() {
	d := hkHdr[hkWDepth]
	for i := uint64(0); i+1 < d && i < uint64(len(hkChange)); i++ {
		n := hkHdr[hkWLength]
		if n == 0 {
			n = 1000
		}
		hkChange[i] = 1 + hkRand()%n
	}
}

// hkPCT is the choice of probabilistic concurrency testing (Burckhardt et al.,
// ASPLOS 2010).
func hkPCT(*g) uint32 {
	news := hkAnyNews()
	id := hkHighest(news, false)
	for k := range hkChange {
		if hkChange[k] != 0 && hkChange[k] == hkHdr[hkWSteps] {
			hkChange[k] = 0
			hkPrioSet(id, uint64(len(hkChange)-k))
			id = hkHighest(news, false)
		}
	}
	return id
}

// hkPOS is the choice of partial order sampling (Yuan et al., CAV 2018).
func hkPOS(*g) uint32 { return hkHighest(hkAnyNews(), true) }

// hkWithNews is one that had news when it was looked for last.
var hkWithNews uint32

// hkAnyNews reports whether somebody in the set does not only spin.
func hkAnyNews() bool {
	if gp := hkByID[hkWithNews].ptr(); gp != nil && gp.hk.spin < hkSpinSoft {
		return true
	}
	for id := hkSetFirst(); id != 0; id = hkSetNext(id) {
		if gp := hkByID[id].ptr(); !hkOnlySpins(gp) {
			if gp.hk.spinW != hkWrites {
				gp.hk.spin = 0
			}
			hkWithNews = id
			return true
		}
	}
	return false
}

// hkSpinners bounds how many of those that only spin are looked at in one choice.
const hkSpinners = 64

// hkHighest is the goroutine of highest priority; if somebody in the set has
// news, of those that do not only spin. With redraw those get lower priorities, so
// that they are not looked at again and again.
func hkHighest(news, redraw bool) uint32 {
	best := hkSetBest()
	for i := 0; redraw && news && i < hkSpinners && hkPrio[best] > hkPrioDrawn && hkOnlySpins(hkByID[best].ptr()); i++ {
		hkPrioSet(best, hkPrioDrawn|hkRand()%(hkPrio[best]-hkPrioDrawn))
		best = hkSetBest()
	}
	if news && hkOnlySpins(hkByID[best].ptr()) {
		best = 0
		for id := hkSetFirst(); id != 0; id = hkSetNext(id) {
			if !hkOnlySpins(hkByID[id].ptr()) && (best == 0 || hkPrio[id] > hkPrio[best]) {
				best = id
			}
		}
		if best == 0 {
			best = hkSetFirst()
		}
	}
	if hkByID[best].ptr().hk.spin >= hkSpinSoft { // all spin: take turns
		hkLow++
		hkPrioSet(best, 1<<40-hkLow)
		hkHdr[hkWStarved]++
	}
	return best
}

func hkOnlySpins(gp *g) bool { return gp.hk.spin >= hkSpinSoft && gp.hk.spinW == hkWrites }

// hkPOSMax bounds how many priorities one operation draws anew: of very many that
// it races with, those that came last.
const hkPOSMax = 256

// hkPOSRan gives new priorities to those whose pending operation races with
// the one that gp is about to perform (partial order sampling).
func hkPOSRan(gp *g) {
	if gp.hk.op == 0 {
		return
	}
	left := hkPOSMax
	if gp.hk.addr != 0 {
		left = hkPOSRedraw(gp, hkObjHead[hkMix(uint64(gp.hk.addr))%hkObjHeads], left)
	}
	for _, x := range gp.hk.addrs {
		if x == 0 {
			break
		}
		if x != gp.hk.addr {
			left = hkPOSRedraw(gp, hkObjHead[hkMix(uint64(x))%hkObjHeads], left)
		}
	}
	hkPOSRedraw(gp, hkMany, left)
	hkPrioDraw(gp)
}

// hkPOSRedraw does so for a list, and says how many more may be drawn.
func hkPOSRedraw(gp *g, id uint32, left int) int {
	for ; id != 0 && left > 0; id = hkObjNext[id] {
		q := hkByID[id].ptr()
		if (q.hk.wr || gp.hk.wr) && hkSameObj(q, gp) {
			hkPrioDraw(q)
			left--
		}
	}
	return left
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
