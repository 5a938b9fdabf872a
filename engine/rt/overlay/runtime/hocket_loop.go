//go:build hocket_overlay

package runtime

// Livelocks: everybody who can run goes round in a loop, and nothing changes that
// any of them could be waiting for. Only then, a timer, the outside or the clock
// could help; if there is none, the run ends.

// hkLoop tells operations on the same objects, again and again, from a walk over
// many: Brent's search for a cycle.
type hkLoop struct {
	at     uintptr // an object that the next cycle should come to again
	since  uint32  // operations since it was chosen, or was come to
	most   uint32  // after so many, another one is chosen, for longer
	found  bool    // it was come to again
	yields bool    // the last operation was Gosched
}

// again reports whether an operation is one of a cycle.
func (l *hkLoop) again(op uint8, addr uintptr) bool {
	if op == hkOpGosched {
		again := l.yields || l.found
		l.yields = true
		return again
	}
	l.yields = false
	if l.most == 0 {
		*l = hkLoop{at: addr, most: 1}
		return false
	}
	if l.since++; addr == l.at {
		l.since, l.found = 0, true
	} else if l.since >= l.most {
		*l = hkLoop{at: addr, most: min(l.most*2, 1<<20)}
	}
	return l.found
}

// hkLoopRounds operations of each goroutine without news make a livelock: a loop
// that gives up by counting does so earlier.
const hkLoopRounds = 20000

var (
	hkLooks    uint64 // values taken from outside: the clock, random numbers, system calls
	hkLooping  bool   // everybody who can run has been without news for long
	hkLoopFrom uint64 // switch points passed when that began
	hkLoopW    uint64 // hkWrites then
	hkLoopL    uint64 // hkLooks then
)

// hkLoops is called at a switch point at which everybody has been without news for
// long, no timer is pending and nothing is under way outside.
func hkLoops() {
	if !hkLooping || hkLoopW != hkWrites || hkLoopL != hkLooks {
		hkLoopOver()
		hkLooping, hkLoopFrom, hkLoopW, hkLoopL = true, hkHdr[hkWSteps], hkWrites, hkLooks
		return
	}
	if hkHdr[hkWSteps]-hkLoopFrom > hkLoopRounds*uint64(hkN+1) {
		hkLooping = false
		hkQuit(hkStatusLivelock)
	}
}

// hkLoopOver follows a loop that ended by itself. Its events were not recorded.
func hkLoopOver() {
	if hkLooping && hkEv {
		hkHdr[hkWDropped]++
		hkEv, hkPl = false, false
	}
	hkLooping = false
}

// hkLoopQuiet reports whether what is done now is the same again and again, so that
// it is not recorded.
func hkLoopQuiet() bool {
	if hkLooping && (hkLoopW != hkWrites || hkLoopL != hkLooks) {
		hkLoopOver()
	}
	return hkLooping
}
