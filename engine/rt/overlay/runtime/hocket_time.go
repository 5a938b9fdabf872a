//go:build hocket_overlay

package runtime

import _ "unsafe"

// Virtual time. faketime is the playground's: it jumps to the next timer when
// nothing can run. Under control it also advances by the clock step at each
// switch point, and a little when a program does nothing but read the clock.

var (
	hkTimes      uint32 // clock readings since time last jumped
	hkTimerG     uint32 // creator of the timer that is firing
	hkTimerKey   uint64
	hkTimerN     uint32
	hkTimerFires uint32
)

// hkNow is the virtual clock.
//
//go:nosplit
func hkNow() int64 { return faketime }

// hkClock precedes a reading of the clock by package time. A program that does
// nothing but read it waits for time to pass: it does, and others get a turn.
func hkClock() {
	gp := hkUser()
	if gp == nil {
		return
	}
	if hkTimes++; hkTimes > 2*hkClockMax {
		faketime += 1000
	}
	if gp.hk.times++; gp.hk.times > hkClockMax {
		gp.hk.addrs[0] = 0
		gp.hk.spin += hkSpinSoft
		hkStep(gp, hkOpGosched, 0)
		gp.hk.op = 0
	}
}

// hkClockMax readings in a row, by one goroutine, make a loop that waits.
const hkClockMax = 1000

// hkTimer is what Hocket keeps per timer (a field of timer).
type hkTimerInfo struct {
	g     uint32
	n     uint32 // of those that g made
	key   uint64
	fires uint32
}

// hkTimerInit names a timer after its creator, and records that there is one: it
// may fire in other schedules, if not in this one.
func hkTimerInit(t *timer) {
	if !hkOn {
		return
	}
	gp := getg()
	if gp.hk.id == 0 {
		return
	}
	gp.hk.timers++
	t.hk.g, t.hk.n = gp.hk.id, gp.hk.timers
	t.hk.key = hkMix(gp.hk.key ^ uint64(gp.hk.timers)<<32)
	if gp := hkUser(); gp != nil {
		hkFirst(gp)
		hkEvent(gp, hkOpTimer, 0, 0, false, uint64(t.hk.n))
	}
}

// hkTimerReset precedes the setting of a timer that was made before: it may fire
// once more.
func hkTimerReset(t *timer) {
	if gp := hkUser(); gp != nil && t.hk.g != 0 {
		hkFirst(gp)
		hkEvent(gp, hkOpTimer, 0, uint64(t.hk.g), true, uint64(t.hk.n))
	}
}

// hkTimerFire precedes a timer's function: goroutines that it starts are
// named after the timer.
func hkTimerFire(t *timer) {
	hkWrites++
	hkTimerG, hkTimerN, hkTimerKey, hkTimerFires = t.hk.g, t.hk.n, t.hk.key, t.hk.fires
	t.hk.fires++
}

// hkInput draws from the input stream: what the schedule does not decide.
//
//go:nosplit
func hkInput() (uint64, bool) {
	if !hkRunning {
		return 0, false
	}
	gp := getg()
	if gp.hk.id == 0 {
		return 0, false
	}
	gp.hk.rnd++
	return hkMix(hkMix(gp.hk.key^hkHdr[hkWInputSeed]*0x9E3779B97F4A7C15) + gp.hk.rnd), true
}

// hkMapOrder counts iterators over maps of several elements: the input decides
// what they meet first, no schedule does.
//
//go:linkname hkMapOrder
//go:nosplit
func hkMapOrder() {
	if hkRunning && getg().hk.id != 0 {
		hkHdr[hkWInputs]++
	}
}

// hkCheap is hkInput for the runtime's own draws: how many there are must not
// change what the program gets.
//
//go:nosplit
func hkCheap() (uint32, bool) {
	if !hkRunning {
		return 0, false
	}
	gp := getg()
	if gp.hk.id == 0 {
		return 0, false
	}
	gp.hk.cheap++
	return uint32(hkMix(gp.hk.key + hkHdr[hkWInputSeed]<<32 + uint64(gp.hk.cheap))), true
}

// hkSelOrdered draws of one goroutine keep the order of the source under seed 0.
// Beyond it a select in a loop may starve a case for ever, which Go's choice
// at random can't.
const hkSelOrdered = 1000

// hkSelRand gives the place of a select's case in its polling order. Seed 0
// polls in one fixed order, at first.
func hkSelRand(n uint32) uint32 {
	if !hkOn {
		return cheaprandn(n)
	}
	seed := hkHdr[hkWSelectSeed]
	gp := getg()
	gp.hk.sel++
	if seed == 0 && gp.hk.sel <= hkSelOrdered {
		return n - 1
	}
	return uint32(hkMix(hkMix(gp.hk.key^seed*0x9E3779B97F4A7C15)+gp.hk.sel) >> 33 % uint64(n))
}

func hkGomaxprocs(n int) int {
	old := int(hkProcs)
	if n > 0 {
		hkProcs = int32(n)
	}
	return old
}

// hkRandom fills b from the input stream; false: ask the operating system.
//
//go:linkname hkRandom
func hkRandom(b []byte) bool {
	if !hkOn {
		return false
	}
	for len(b) > 0 {
		v := rand()
		for i := 0; i < 8 && len(b) > 0; i++ {
			b[0] = byte(v >> (8 * i))
			b = b[1:]
		}
	}
	return true
}
