//go:build hocket_overlay

package runtime

import (
	"internal/stringslite"
	"unsafe"
)

// Virtual time. faketime is the playground's. It moves with whatever a goroutine
// does, as on a real machine: by a fixed cost for each reading of the clock, each
// switch point and each access that the compiler announces. So two readings are
// never equal, and equal schedules give equal times. When nothing can run it
// jumps to the next timer.

// What a goroutine's doings cost, in ns.
const (
	hkCostRead = 40
	hkCostStep = 20

	// hkLate is by how much the clock passes a timer that it jumps to, about what a
	// real machine is late. Timers set in a row for the same time fire together.
	hkLate = 50 * 1000

	// hkTickMax bounds what the schedule's clock step adds in all: a long program
	// would come to its time-outs by it.
	hkTickMax = 10 * 1000 * 1000
)

var (
	hkTimes      uint32 // clock readings since time last jumped
	hkAccesses   int64  // plain accesses since the clock was last moved, 1 ns each
	hkTicked     int64  // what the clock step has added
	hkTimerG     uint32 // creator of the timer that is firing
	hkTimerKey   uint64
	hkTimerN     uint32
	hkTimerFires uint32
	hkTimerEarly bool
)

// hkNow is the virtual clock.
//
//go:nosplit
func hkNow() int64 { return faketime }

// hkSpend moves the clock by what was done since it was moved last, and by cost.
//
//go:nosplit
func hkSpend(cost int64) {
	faketime += cost + hkAccesses
	hkAccesses = 0
}

// hkTickOn moves the clock by the schedule's clock step, at a switch point.
func hkTickOn() {
	if hkTicked < hkTickMax {
		hkTicked += hkTick
		faketime += hkTick
	}
}

// hkArrival is the time at which a jump of the clock to a timer ends.
func hkArrival(when int64) int64 { return max(faketime, when+hkLate) }

// hkClock precedes a reading of the clock by package time. A program that does
// nothing but read it waits for time to pass: others get a turn, and time passes
// faster.
func hkClock() {
	if !hkRunning || getg().hk.id == 0 {
		return
	}
	hkLooks++
	hkSpend(hkCostRead)
	if hkHdr[hkWClockRead] == 0 && hkReadByProgram() {
		hkHdr[hkWClockRead] = 1
	}
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

// hkReadByProgram is false of a reading whose time no schedule changes, before
// there are two goroutines, and of one by package testing, which only measures how
// long a test takes.
func hkReadByProgram() bool {
	if hkGen < 2 {
		return false
	}
	var pcs [8]uintptr
	n := fpTracebackPCs(unsafe.Pointer(getfp()), pcs[:])
	for _, pc := range pcs[:n] {
		name := funcname(findfunc(pc))
		if !stringslite.HasPrefix(name, "runtime.") && !stringslite.HasPrefix(name, "time.") {
			return !stringslite.HasPrefix(name, "testing.")
		}
	}
	return false
}

// hkClockMax readings in a row, by one goroutine, make a loop that waits.
const hkClockMax = 1000

// hkTimer is what Hocket keeps per timer (a field of timer).
type hkTimerInfo struct {
	g     uint32
	n     uint32 // of those that g made
	key   uint64
	fires uint32
	early bool // fired last during a delay, and fires once
}

// hkTimerInit names a timer after its creator, and records that there is one: it
// may fire in other schedules, if not in this one.
func hkTimerInit(t *timer, when int64, arg any) {
	if !hkOn {
		return
	}
	hkTimerSet(when)
	gp := getg()
	if gp.hk.id == 0 {
		return
	}
	gp.hk.timers++
	t.hk.g, t.hk.n = gp.hk.id, gp.hk.timers
	t.hk.key = hkMix(gp.hk.key ^ uint64(gp.hk.timers)<<32)
	if gp := hkUser(); gp != nil {
		hkFirst(gp)
		hkEvent(gp, hkOpTimer, hkTimerChan(arg), 0, false, uint64(t.hk.n))
	}
}

// hkTimerReset precedes the setting of a timer that was made before: it may fire
// once more.
func hkTimerReset(t *timer, when int64) {
	hkTimerSet(when)
	if gp := hkUser(); gp != nil && t.hk.g != 0 {
		hkFirst(gp)
		hkEvent(gp, hkOpTimer, 0, uint64(t.hk.g), true, uint64(t.hk.n)|hkTimerWaits(t))
	}
}

// hkTimerStop precedes the stopping of a timer, which may have fired.
func hkTimerStop(t *timer) {
	if gp := hkUser(); gp != nil && t.hk.g != 0 {
		hkFirst(gp)
		hkEvent(gp, hkOpTimerStop, 0, uint64(t.hk.g), true, uint64(t.hk.n)|hkTimerWaits(t))
	}
}

// hkTimerWaits is 1<<32 if a timer is still to fire.
func hkTimerWaits(t *timer) uint64 {
	if hkIsPending(t) {
		return 1 << 32
	}
	return 0
}

// hkTimerFire precedes a timer's function: goroutines that it starts are
// named after the timer.
func hkTimerFire(t *timer) {
	hkWrites++
	hkTimerG, hkTimerN, hkTimerKey, hkTimerFires = t.hk.g, t.hk.n, t.hk.key, t.hk.fires
	t.hk.fires++
	t.hk.early = hkPassEnd != 0 && t.when <= hkPassEnd && t.period == 0
	hkTimerEarly = t.hk.early
	if c := (*hchan)(unsafe.Pointer(hkTimerChan(t.arg))); c != nil {
		c.hkClosed = 0
		if t.hk.early {
			c.hkClosed = hkClosedEarly
		}
	}
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
	hkLooks++
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

// hkPoolDrop decides whether a Pool drops what it is given back: an input, but none of the
// program's own random numbers.
//
//go:linkname hkPoolDrop
func hkPoolDrop() bool {
	if hkRunning && hkHdr[hkWChoices] == 0 && hkPoolOfProgram() {
		hkHdr[hkWChoices]++
	}
	v, ok := hkCheap()
	return ok && v%4 == 0
}

// hkPoolOfProgram is false of what the standard library gives back to its own pools.
func hkPoolOfProgram() bool {
	var pcs [8]uintptr
	n := fpTracebackPCs(unsafe.Pointer(getfp()), pcs[:])
	for _, pc := range pcs[:n] {
		name := funcname(findfunc(pc))
		if stringslite.HasPrefix(name, "runtime.") || stringslite.HasPrefix(name, "sync.") {
			continue
		}
		for _, std := range [...]string{
			"bufio.", "compress/", "crypto/", "encoding/", "fmt.", "go/", "html/", "internal/", "io.", "io/", "log.", "log/", "math/", "mime/",
			"net.", "net/", "os.", "os/", "reflect.", "regexp.", "regexp/", "strings.", "testing.", "text/", "unique.", "vendor/",
		} {
			if stringslite.HasPrefix(name, std) {
				return false
			}
		}
		return true
	}
	return true
}

// hkRandom fills b from the input stream; false: ask the operating system.
//
//go:linkname hkRandom
func hkRandom(b []byte) bool {
	if !hkOn {
		return false
	}
	hkHdr[hkWRandom] = 1
	for len(b) > 0 {
		v := rand()
		for i := 0; i < 8 && len(b) > 0; i++ {
			b[0] = byte(v >> (8 * i))
			b = b[1:]
		}
	}
	return true
}
