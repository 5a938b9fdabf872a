//go:build hocket_overlay

package runtime

import "unsafe"

// Goroutines that are held at places: a search that knows where goroutines stand in
// the end leads a run there by letting those wait that have arrived. It decides after
// the schedule's segments only, and what it decided is in the segments of the run, so
// that a replay needs none of this.

var (
	hkHolding bool                 // there are such places in this run
	hkHeldNow [hkHoldGroups]uint32 // how many are held, by group
	hkArrived [hkHoldGroups]uint32 // how many have arrived
)

const (
	// hkHoldDepth is how far up a stack the place is looked for.
	hkHoldDepth = 24
	// hkHoldPatience is for how many switch points of others one is held: they may
	// never come to rest.
	hkHoldPatience = 20000
)

// hkHoldAt decides whether gp, which stands before an operation, is held there.
func hkHoldAt(gp *g) {
	var pcs [hkHoldDepth]uintptr
	n := fpTracebackPCs(unsafe.Pointer(getfp()), pcs[:])
	for _, pc := range pcs[:n] {
		p := hkHoldOf(uint64(pc - hkText))
		if p == 0 {
			continue
		}
		group := *(*uint32)(unsafe.Pointer(p + 8)) % hkHoldGroups
		most, skip, chance := *(*uint32)(unsafe.Pointer(p + 12)), *(*uint32)(unsafe.Pointer(p + 16)), *(*uint32)(unsafe.Pointer(p + 20))
		hkArrived[group]++
		if hkArrived[group] > skip && hkHeldNow[group] < most && uint32(hkRand()%256) < chance&^hkHoldLast {
			gp.hk.hold, gp.hk.heldAt, gp.hk.holdLast = group+1, hkHdr[hkWSteps], chance&hkHoldLast != 0
			hkHeldNow[group]++
		}
		return
	}
}

// hkHoldOf finds the entry of a return address, 0 if there is none.
func hkHoldOf(pc uint64) uintptr {
	base := hkBase + uintptr(hkHdr[hkWHoldOff])
	lo, hi := uint64(0), hkHdr[hkWHoldLen]
	for lo < hi {
		m := (lo + hi) / 2
		p := base + uintptr(m)*hkHoldSize
		switch at := *(*uint64)(unsafe.Pointer(p)); {
		case at == pc:
			return p
		case at < pc:
			lo = m + 1
		default:
			hi = m
		}
	}
	return 0
}

// hkLetGo ends the hold of gp.
func hkLetGo(gp *g) {
	hkHeldNow[gp.hk.hold-1]--
	gp.hk.hold = 0
}

// hkNotHeld is id, which a strategy chose, unless that is held and another one that
// does not only spin is not, or is to go on first: of those, the one of highest
// priority.
func hkNotHeld(id uint32) uint32 {
	gp := hkByID[id].ptr()
	if gp.hk.hold == 0 || hkHdr[hkWSteps]-gp.hk.heldAt > hkHoldPatience {
		return id
	}
	free, first := uint32(0), uint32(0)
	for x := hkSetFirst(); x != 0; x = hkSetNext(x) {
		q := hkByID[x].ptr()
		switch {
		case q.hk.hold == 0 && q.hk.spin < hkSpinSoft:
			if free == 0 || hkPrio[x] > hkPrio[free] {
				free = x
			}
		case q.hk.hold != 0 && !q.hk.holdLast:
			if first == 0 || hkPrio[x] > hkPrio[first] {
				first = x
			}
		}
	}
	switch {
	case free != 0:
		return free
	case gp.hk.holdLast && first != 0:
		return first
	}
	return id // all who wait have arrived
}
