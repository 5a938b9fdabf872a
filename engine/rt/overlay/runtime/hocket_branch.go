//go:build hocket_overlay

package runtime

// Outcomes of branches, in programs whose sources have calls that tell them: those that
// a path recording is made with. They are no switch points and take no time, so that a
// schedule does the same in a program without them.

// HocketBranch tells the outcome of a branch, of which n is twice the number.
func HocketBranch(x bool, n uint16) bool {
	if x {
		n++
	}
	if hkRunning && hkHdr[hkWBranchCap] != 0 {
		hkBranch(n)
	}
	return x
}

// HocketChecked is HocketBranch, HocketFull is false: there is always room here, or
// none is needed.
func HocketChecked(x bool, n uint16) bool { return HocketBranch(x, n) }

func HocketFull() bool { return false }

func HocketMore() {}

func hkBranch(n uint16) {
	gp := getg()
	if gp.hk.id == 0 {
		return
	}
	if p := hkEntry(hkWBranchOff, hkBranchSize); p != 0 {
		hkPut32(p, gp.hk.id)
		hkPut32(p+4, uint32(n))
		hkPut32(p+8, gp.hk.cnt)
	}
}
