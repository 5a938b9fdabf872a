//go:build hocket_overlay

package runtime

import (
	"internal/abi"
	"unsafe"
)

// Delays: the clock passes to a timer although somebody could run, as on a real
// machine whose processors are busy with other things. In a schedule a delay is a
// segment of its own, whose key is the timer's name; the sampling strategies draw
// delays. All of a run's delays together stay within the schedule's.

// hkDelayed is one goroutine that could run while the clock passed.
type hkDelayed struct {
	gid, cnt, stack uint32
	time, ns        int64
	timer           uint64 // as OpDelay.Aux
}

var (
	hkDelayDraws bool      // the strategy draws delays
	hkDelayAt    [3]uint64 // steps at which it makes one, 0 if that is done
	hkDelayHand  uint64    // one in so many operations on a timer's channel is delayed until it fires
	hkDelayR     uint64    // the random stream of all this
	hkDelayLog   [256]hkDelayed
	hkDelayLogN  int
	hkEarlyG     bool  // a timer that fired during a delay started a goroutine
	hkPassEnd    int64 // where the clock stood after the last delay; 0 if it jumped since
)

// hkDelayInit draws where the strategy makes delays. One that keeps orders passes time
// only for them.
func hkDelayInit() {
	if s := hkHdr[hkWStrategy]; hkHdr[hkWDelayMax] == 0 || s == hkStrategyReplay || s == hkStrategyOrders {
		return
	}
	hkDelayDraws = true
	hkDelayR = hkMix(hkHdr[hkWSeed] ^ 0x2545F4914F6CDD1D)
	length := max(hkHdr[hkWLength], 100)
	for i := uint64(0); i <= hkDelayRand()%uint64(len(hkDelayAt)); i++ {
		hkDelayAt[i] = 1 + hkDelayRand()%length
	}
	hkDelayHand = 2 << (2 * (hkDelayRand() % 3))
}

func hkDelayRand() uint64 {
	hkDelayR += 0x9E3779B97F4A7C15
	return hkMix(hkDelayR)
}

// hkDelayDrawn makes a delay if one was drawn for here. self stands at a switch
// point, nil if the last goroutine blocked or ended.
func hkDelayDrawn(pp *p, self *g) bool {
	if hkSeg < int(hkHdr[hkWSegLen]) || hkDraining || !hkRunning {
		return false
	}
	if t := hkTimerAtHand(self, 0); t != nil && hkMayDelay(t.when) && hkDelayRand()%hkDelayHand == 0 {
		hkDelay(t, self)
		return true
	}
	for i, at := range hkDelayAt {
		if at == 0 || at > hkHdr[hkWSteps] {
			continue
		}
		hkDelayAt[i] = hkHdr[hkWSteps] + 1 + hkDelayRand()%64
		if t := hkFirstTimer(pp); t != nil && t.hk.key != 0 && hkMayDelay(t.when) {
			hkDelayAt[i] = 0
			hkDelay(t, self)
			return true
		}
	}
	return false
}

// hkMayDelay says whether the clock may pass to a time although somebody could run:
// not while something outside is under way, which would seem slower than it is.
func hkMayDelay(when int64) bool {
	return hkHdr[hkWDelayed]+uint64(max(when-faketime, 0)) <= hkHdr[hkWDelayMax] && !hkOutsideLasts()
}

// hkDelay lets the clock pass to a timer, and lists that among the segments run.
func hkDelay(t *timer, self *g) {
	hkPickLeft()
	hkLastKey = 0
	if p := hkEntry(hkWPickOff, hkSegSize); p != 0 {
		hkPut64(p, t.hk.key)
		hkPut32(p+8, uint32((t.when-faketime+999)/1000))
		hkPut32(p+12, hkSegTimer|1)
	}
	hkPicks = 0
	hkHash(t.hk.key ^ uint64(hkOpDelay)<<8)
	hkPass(t.when, t, self)
}

// hkPass moves the clock to a time while somebody could run.
func hkPass(when int64, t *timer, self *g) {
	ns := max(when-faketime, 0)
	hkHdr[hkWDelayed] += uint64(ns)
	if hkEv && t != nil {
		if self != nil {
			hkDelayNote(self, hkStackOfAny(self), ns, t)
		}
		for id := hkSetFirst(); id != 0; id = hkSetNext(id) {
			if gp := hkByID[id].ptr(); gp != self {
				hkDelayNote(gp, hkStackOf(gp), ns, t)
			}
		}
	}
	hkJump(when)
	faketime = hkArrival(when)
	hkPassEnd = faketime
}

// hkReceived notes whether gp has received from c what a timer sent that fired
// during a delay: its own, or by way of a goroutine that the timer started or that
// received from it, as of a context with a deadline.
func hkReceived(gp *g, c *hchan) {
	gp.hk.outAt = 0
	if c != nil && (c.hkClosed == hkClosedEarly || c.hkClosed == hkClosedAtInit && hkEarlyG) {
		gp.hk.outAt = gp.hk.cnt + 1
	}
}

// Values of hchan.hkClosed.
const (
	hkClosedEarly  = 1 + iota // because of a timer that fired during a delay; or it is that timer's own, and has what it sent
	hkClosedAtInit            // before there were two goroutines: package context's channel for contexts that have ended
)

// hkClosed notes why a channel is closed.
func hkClosed(c *hchan) {
	switch gp := hkUser(); {
	case gp == nil || c == nil:
	case hkGen < 2:
		c.hkClosed = hkClosedAtInit
	case gp.hk.early || gp.hk.outAt != 0:
		c.hkClosed = hkClosedEarly
	}
}

// hkOutMax is how many switch points package testing, log or an assertion passes
// from a time-out to the failure of the test, at most.
const hkOutMax = 60

// hkTimedOut notes that the program fails because gp came to a time-out of its own
// during a delay. A panic has causes of its own.
func hkTimedOut(gp *g) {
	if gp._panic == nil && gp.hk.outAt != 0 && gp.hk.cnt+1-gp.hk.outAt <= hkOutMax {
		hkHdr[hkWTimedOut] = 1
	}
}

// hkStackOfAny is the stack of a goroutine that may be the running one.
func hkStackOfAny(gp *g) uint32 {
	if gp == getg() {
		return hkStack()
	}
	return hkStackOf(gp)
}

func hkDelayNote(gp *g, stack uint32, ns int64, t *timer) {
	if hkDelayLogN < len(hkDelayLog) {
		hkDelayLog[hkDelayLogN] = hkDelayed{gp.hk.id, gp.hk.cnt, stack, faketime - hkEpoch, ns, uint64(t.hk.g)<<32 | uint64(t.hk.n)}
		hkDelayLogN++
	}
}

// hkDelaysOut records the delays of the run, at its end.
func hkDelaysOut() {
	for i := range hkDelayLog[:hkDelayLogN] {
		d := &hkDelayLog[i]
		hkRecAt(d.time, d.gid, hkOpDelay, 0, d.stack, d.cnt, uint64(d.ns), true, d.timer)
	}
	hkDelayLogN = 0
}

// hkFirstTimer is the pending timer that fires first, nil if there is none.
func hkFirstTimer(pp *p) (first *timer) {
	for _, tw := range pp.timers.heap {
		if t := tw.timer; hkIsPending(t) && (first == nil || t.when < first.when) {
			first = t
		}
	}
	return first
}

// hkPendingTimer finds a pending timer by its key. Timers whose channel nobody
// waits on are in no heap: that is looked at which self is about to operate on.
func hkPendingTimer(pp *p, self *g, key uint64) *timer {
	for _, tw := range pp.timers.heap {
		if t := tw.timer; t.hk.key == key && hkIsPending(t) {
			return t
		}
	}
	return hkTimerAtHand(self, key)
}

func hkIsPending(t *timer) bool { return t.when > 0 && t.state&timerZombie == 0 }

// hkTimerAtHand is a timer that has not fired, with the key if that is not 0, of
// a channel that gp is about to receive from.
func hkTimerAtHand(gp *g, key uint64) *timer {
	if gp == nil || gp.hk.op != hkOpRecv && gp.hk.op != hkOpSelect {
		return nil
	}
	if gp.hk.op == hkOpRecv {
		return hkTimerOfChan(gp.hk.addr, key)
	}
	for _, addr := range gp.hk.addrs {
		if addr == 0 {
			break
		}
		if t := hkTimerOfChan(addr, key); t != nil {
			return t
		}
	}
	return nil
}

func hkTimerOfChan(addr uintptr, key uint64) *timer {
	c := (*hchan)(unsafe.Pointer(addr))
	if c == nil || c.timer == nil || c.timer.isFake || c.timer.hk.key == 0 || key != 0 && c.timer.hk.key != key || c.timer.when <= faketime {
		return nil
	}
	return c.timer
}

// hkTimerChan is the channel of a timer with the argument arg, nil if it has none.
func hkTimerChan(arg any) uintptr {
	e := efaceOf(&arg)
	if e._type == nil || e._type.Kind() != abi.Chan {
		return 0
	}
	return uintptr(e.data)
}

// hkTimerSet notes how soon the program's timers fire.
func hkTimerSet(when int64) {
	if hkRunning && !hkDraining {
		hkHdr[hkWChoices]++
	}
	if d := when - faketime; hkRunning && !hkDraining && d > 0 && (hkHdr[hkWSoonest] == 0 || uint64(d) < hkHdr[hkWSoonest]) {
		hkHdr[hkWSoonest] = uint64(d)
	}
}

// hkSleepTimer names the timer of a sleep after the goroutine that sleeps.
func hkSleepTimer(gp *g, t *timer, when int64) {
	if !hkOn || gp.hk.id == 0 || hkDraining {
		return
	}
	t.hk.g, t.hk.n = gp.hk.id, 0
	t.hk.key = hkMix(gp.hk.key + 0x51ee9)
	hkTimerSet(when)
}
