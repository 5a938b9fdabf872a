//go:build hocket_overlay

package runtime

import "unsafe"

// Reads-from pairs, the coverage of a search (Wolff et al., ASPLOS 2024): which
// write a read took its value from, and which operation on a synchronisation
// object came before this one, if another goroutine did it. A place is the
// code at a relative pc, of a goroutine of a role; so pairs mean the same in all
// runs of one build. Each pair is noted once, with the point of the schedule
// where it came first: what a later run may start from.
//
// The last writers live in the race detector's shadow, and are forgotten with
// it when memory is allocated again.

// hkPairs says whether pairs are noted.
var hkPairs bool

const (
	hkPairRange  = 8  // granules of a range access that are looked at
	hkPairFrames = 6  // of the stack that make the place of a synchronisation
	hkPairTries  = 32 // entries looked at; a pair that finds none free is lost
	hkPairByte   = 28 // shift of the byte's number + 1 in hkrLast.gid
	hkRoles      = 4  // children of one parent told apart, if they run the same function
)

// hkRole is what goroutines have in common that start the same function and
// are late children of one parent: a thousand equal workers show nothing new.
func hkRole(startpc uintptr, index uint32) uint32 {
	return uint32(hkMix(uint64(startpc-hkText)<<8 | uint64(min(index, hkRoles))))
}

// hkPairPlain notes a plain access at pc.
func hkPairPlain(gp *g, addr, size uintptr, scalar, write bool, pc uintptr) {
	place := uint32(pc-hkText) ^ gp.hk.role
	if scalar {
		hkPairAt(gp, addr, 1+uint32(addr&7), place, !write, write)
		return
	}
	end := addr + min(size, hkPairRange*8)
	for at := addr &^ 7; at < end; at += 8 {
		hkPairAt(gp, at, 0, place, !write, write)
	}
}

// hkPairSync notes an operation on the object at addr, which it changes unless
// it only looks. It must be called by the function that the operation's wrapper
// calls, so that the frames are those of the program.
func hkPairSync(gp *g, addr uintptr, looks bool) {
	if addr < 4096 || !hkrOn {
		return
	}
	var pcs [hkPairFrames]uintptr
	n := fpTracebackPCs(unsafe.Pointer(getfp()), pcs[:])
	h := uint64(0)
	for _, pc := range pcs[:n] {
		h = hkMix(h ^ uint64(pc-hkText))
	}
	hkPairAt(gp, addr, 0, uint32(h)^gp.hk.role, true, !looks)
}

// hkOnlyLooks is true of operations that change nothing for others.
func hkOnlyLooks(op uint8, val uint64) bool {
	switch op {
	case hkOpAtomicLoad, hkOpMapRead, hkOpRLock:
		return true
	case hkOpAtomicCAS, hkOpTryLock, hkOpTryRLock:
		return val == 0
	}
	return false
}

// hkPairAt notes an access to the granule of addr: which pairs with the last
// writer there if it reads, and is the last writer if it writes. which is the
// number of the byte + 1, or 0 for all of the granule.
func hkPairAt(gp *g, addr uintptr, which, place uint32, reads, writes bool) {
	leaf := hkrLeafOf(addr)
	if leaf == nil {
		return
	}
	i := addr >> hkrGranuleShift % hkrLeafCells
	last := &leaf.last[i]
	if reads && last.gid != 0 && last.gid&hkrStateGid != gp.hk.id {
		if b := last.gid >> hkPairByte; b == which || b == 0 || which == 0 {
			hkPair(last.place, place, gp.hk.cnt)
		}
	}
	if writes {
		leaf.noted.add(i / hkrBlockCells)
		last.place, last.gid = place, gp.hk.id&hkrStateGid|which<<hkPairByte
	}
}

// hkPair enters a pair of places in the run file's table.
func hkPair(from, to, cnt uint32) {
	id := hkMix(uint64(from)<<32|uint64(to)) >> hkPairCountBits << hkPairCountBits
	base, mask := hkBase+uintptr(hkHdr[hkWPairOff]), hkHdr[hkWPairCap]-1
	for k := uint64(0); k < hkPairTries; k++ {
		p := base + uintptr((id>>hkPairCountBits+k)&mask)*hkPairSize
		switch e := *(*uint64)(unsafe.Pointer(p)); {
		case e == 0:
			hkPut64(p, id|1)
			hkPut32(p+8, uint32(hkHdr[hkWPickLen]))
			hkPut32(p+12, cnt)
			hkHdr[hkWPairLen]++
			return
		case e&^(1<<hkPairCountBits-1) == id:
			if e+1 < id+1<<hkPairCountBits {
				hkPut64(p, e+1)
			}
			return
		}
	}
}
