//go:build hocket_overlay

package runtime

// The strategies: who runs next after the last of a schedule's segments.

// hkPolicy is what one strategy does; a nil function does nothing. All are top-level
// functions, so that the linker lays the table out, and none may allocate.
type hkPolicy struct {
	born   func(gp *g)       // gp has been created
	stands func(gp *g)       // gp stands before its next operation
	choose func(self *g) int // which of hkSet, several, runs next; self as in hkDecide
	chosen func(gp *g)       // gp is about to go on
}

// hkPolicies are the strategies by their number in the run file.
var hkPolicies = [...]hkPolicy{
	hkStrategyReplay: {choose: hkDefault},
	hkStrategyRandom: {choose: hkUniform},
	hkStrategyPOS:    {born: hkPrioDraw, stands: hkPrioDraw, choose: hkPOS, chosen: hkPOSRan},
	hkStrategyPCT:    {born: hkPrioDraw, choose: hkPCT},
}

// hkPolicyOf is the strategy of this run.
func hkPolicyOf() *hkPolicy { return &hkPolicies[hkHdr[hkWStrategy]] }

// hkPrioDraw gives a goroutine a priority above all those that were lowered.
func hkPrioDraw(gp *g) { gp.hk.prio = hkRand() | 1<<63 }

// hkBorn tells the strategy of a goroutine that has been created.
func hkBorn(gp *g) {
	if born := hkPolicyOf().born; born != nil {
		born(gp)
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

// hkUniform chooses at random among all, or among those that do not only spin.
func hkUniform(*g) int {
	news := hkAnyNews()
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
func hkPCT(*g) int {
	news := hkAnyNews()
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

// hkPOS is the choice of partial order sampling (Yuan et al., CAV 2018).
func hkPOS(*g) int { return hkHighest(hkAnyNews()) }

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

// hkHighest is the goroutine of highest priority; if somebody in the set has
// news, of those that do not only spin.
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
			hkPrioDraw(q)
		}
	}
	hkPrioDraw(gp)
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
