//go:build hocket_overlay

package runtime

// Who holds a lock, for goroutines that wait for one when the run ends. Runs
// that record events don't need it; others know it from here alone.

// hkHeldMax is how many locks of one goroutine are known.
const hkHeldMax = 6

// hkHolds notes what an operation on a lock has done.
func hkHolds(gp *g, op uint8, addr uintptr, ok bool) {
	switch op {
	case hkOpUnlock, hkOpRUnlock:
		if !hkReleases(gp, addr) {
			forEachGRace(func(other *g) { // locked by one, unlocked by another
				ok = ok && !hkReleases(other, addr)
			})
		}
	default:
		for i := range gp.hk.held {
			if ok && gp.hk.held[i] == 0 {
				gp.hk.held[i] = addr
				return
			}
		}
	}
}

func hkReleases(gp *g, addr uintptr) bool {
	for i := range gp.hk.held {
		if gp.hk.held[i] == addr {
			gp.hk.held[i] = 0
			return true
		}
	}
	return false
}

// hkHolder is a goroutine that holds the lock that gp waits for, 0 if none is
// known; another than gp if there is one.
func hkHolder(gp *g) (id uint32) {
	if gp.hk.op < hkOpLock || gp.hk.op > hkOpTryRLock || gp.hk.addr == 0 {
		return 0
	}
	forEachGRace(func(other *g) {
		for _, addr := range other.hk.held {
			if addr == gp.hk.addr && other.hk.id != 0 && (id == 0 || other != gp) {
				id = other.hk.id
			}
		}
	})
	return id
}
