//go:build hocket_overlay

package runtime

// The picker. In control mode one P exists, so one goroutine runs at a time.
// Whatever the runtime makes runnable is moved from its run queues into
// the set (user goroutines, hocket_set.go) or hkSys (the runtime's own, which
// always go first). At each switch point, and whenever the running
// goroutine blocks or ends, hkDecide takes one goroutine out of the set.
//
// All state here is touched only by the thread that holds the P. guintptr and
// numbers only: the picker runs where write barriers are not allowed.

// hkG is what Hocket keeps per goroutine (a field of g).
type hkG struct {
	id       uint32 // creation number from 1 (main); 0: not a user goroutine
	kids     uint32 // goroutines started
	timers   uint32 // timers created
	cnt      uint32 // switch points passed
	key      uint64 // schedule-independent name
	role     uint32 // what of its name counts in reads-from pairs
	addr     uintptr
	addrs    [4]uintptr         // further objects of a pending select
	held     [hkHeldMax]uintptr // locks
	op       uint8              // pending operation
	wr       bool               // the pending operation may write
	started  bool
	at       bool  // stands at a switch point
	parked   bool  // has blocked since it was chosen to run
	nest     int32 // > 0: inside a wrapped operation, hooks are off
	spin     uint32
	spinW    uint64
	loop     hkLoop
	plain    uint32 // plain accesses since the last switch point
	times    uint32 // clock readings since the last switch point
	rnd      uint64 // values drawn from the input stream
	cheap    uint32 // values drawn by the runtime for itself
	sel      uint64 // values drawn from the select stream
	typ      uintptr
	blocks   bool   // the system call under way always waits
	ext      bool   // came back from outside, see hkExt
	stuck    bool   // preempted in a loop without switch points
	last     int64  // virtual time when it ran last
	lastN    uint64 // switch points passed by all until then
	early    bool   // started by a timer that fired during a delay
	hold     uint32 // 1 + the group at whose place it is held; 0 if it is not
	holdLast bool   // and goes on after all others that are held
	heldAt   uint64 // switch points passed by all when that began
	outAt    uint32 // 1 + switch points passed when it received what such a timer sent, 0 if something else since
}

const (
	hkEpoch     = 1262304000000000000 // 2010-01-01, where virtual time starts
	hkSpinSoft  = 40                  // operations without news after which a goroutine lets others go first
	hkSpinHard  = 2000                // ... after which, if all are like this, time jumps
	hkPlainMax  = 20000
	hkMaxUint32 = 1<<32 - 1
)

var (
	hkSys     hkQueue
	hkNext    guintptr // decided in a hook, to be run by the next schedule()
	hkPrev    guintptr // yielded in a hook without a decision
	hkLast    guintptr // ran last
	hkLastKey uint64
	hkGen     uint32 // user goroutines created
	hkChild   uint32 // id of the last one
	hkTick    int64
	hkProcs   int32
	hkWrites  uint64 // state changes anyone could be waiting for
	hkRunning bool   // main has started, the schedule is in force
	hkSeg     int
	hkSegUsed bool
	hkR       uint64 // the strategy's random stream
	hkPicks   uintptr
	hkChange  [16]uint64
	hkLow     uint64
)

func hkSchedInit() {
	if !hkSetInit() || !hkSys.init() || !hkExt.init() || !hkStuck.init() {
		hkOn = false
		return
	}
	hkR = hkMix(hkHdr[hkWSeed] + 0x9E3779B97F4A7C15)
	hkAwaitInit()
	hkDelayInit()
	hkHolding = hkHdr[hkWHoldLen] != 0
	hkChangesDraw()
}

//go:nosplit
func hkMix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return x
}

//go:nosplit
func hkRand() uint64 {
	hkR += 0x9E3779B97F4A7C15
	return hkMix(hkR)
}

// hkNewG names a goroutine that newproc1 is about to publish.
func hkNewG(newg, callergp *g, parked bool) {
	newg.hk = hkG{}
	hkChild = 0
	if !hkOn || parked || isSystemGoroutine(newg, false) {
		return
	}
	hkChild = hkGen + 1
	parent, index, pkey, timer := callergp.hk.id, uint32(0), callergp.hk.key, uint32(0)
	switch {
	case hkChild == 1:
		pkey = 0x9E3779B97F4A7C15
	case parent != 0:
		callergp.hk.kids++
		index = callergp.hk.kids
	default: // a timer's function, on the scheduler's stack
		parent, pkey, timer = hkTimerG, hkTimerKey, hkTimerN
		hkTimerFires++
		index = 1<<31 | hkTimerFires
	}
	newg.hk.early = timer != 0 && hkTimerEarly
	hkEarlyG = hkEarlyG || newg.hk.early
	hkNameG(newg, parent, index, pkey, timer)
}

// hkNameG puts a goroutine under control, as the one that its parent started as
// number index, or that the timer of that number did.
func hkNameG(newg *g, parent, index uint32, pkey uint64, timer uint32) {
	if hkGen++; hkGen >= hkIDCap {
		throw("hocket: too many goroutines")
	}
	newg.hk.id = hkGen
	newg.hk.key = hkMix(pkey ^ hkMix(uint64(index)+0x632be59bd9b4e019))
	hkKeyAdd(hkGen, newg.hk.key)
	newg.hk.role = hkRole(newg.startpc, index)
	if hkRunning {
		hkBorn(newg)
	}
	if hkGen < uint32(hkHdr[hkWGoCap]) {
		hkHdr[hkWGoLen] = uint64(hkGen) + 1
		p := hkBase + uintptr(hkHdr[hkWGoOff]) + uintptr(hkGen)*hkGoSize
		hkPut64(p, newg.hk.key)
		hkPut32(p+8, parent)
		hkPut32(p+12, index)
		hkPut64(p+16, uint64(newg.startpc-hkText))
		hkPut32(p+32, timer)
	}
}

func hkSetAdd(x guintptr) {
	gp := x.ptr()
	switch {
	case gp.hk.id == 0:
		hkSys.put(x)
	case gp.hk.ext:
		hkExt.put(x)
	case gp.hk.stuck:
		gp.hk.stuck = false
		hkStuck.put(x)
	default:
		hkSetPut(x)
	}
}

// hkDrain moves everything runnable into the sets.
func hkDrain(pp *p) {
	if x := pp.runnext; x != 0 {
		pp.runnext = 0
		hkSetAdd(x)
	}
	for pp.runqhead != pp.runqtail {
		hkSetAdd(pp.runq[pp.runqhead%uint32(len(pp.runq))])
		pp.runqhead++
	}
	if !sched.runq.empty() {
		lock(&sched.lock)
		for !sched.runq.empty() {
			var x guintptr
			x.set(sched.runq.pop())
			hkSetAdd(x)
		}
		unlock(&sched.lock)
	}
}

// hkRunqget replaces runqget.
func hkRunqget(pp *p) *g {
	hkAwaitJump = false
	hkDrain(pp)
	if hkFrozen {
		if gp := hkEnder.ptr(); gp != nil && hkSetHas(gp) {
			hkSetDel(gp.hk.id)
			return gp
		}
	}
	if hkSys.n > 0 {
		return hkSys.take().ptr()
	}
	if hkFrozen {
		return nil
	}
	if x := hkNext; x != 0 {
		hkNext = 0
		gp := x.ptr()
		if hkSetHas(gp) {
			hkSetDel(gp.hk.id)
		}
		hkSwitchTo(gp)
		return gp
	}
	if hkN == 0 {
		hkTakeExt()
	}
	if hkN == 0 {
		if hkStuck.n > 0 {
			return hkTakeStuck(pp)
		}
		return nil
	}
	var self *g
	if hkPrev != 0 && hkSetHas(hkPrev.ptr()) {
		self = hkPrev.ptr()
	}
	for i := hkAwaits(pp, self); i >= 0; i = hkAwaits(pp, self) {
		if hkPassTime(pp, i, self) {
			return nil
		}
	}
	if hkOrdersHold(pp, self) {
		hkOrdersPass(pp, self)
		return nil
	}
	if hkDelayDraws && hkPrev == 0 && !hkGoesOn() && hkDelayDrawn(pp, nil) {
		hkAwaitJump = true
		return nil
	}
	hkPrev = 0
	gp := hkDecide(self)
	hkSwitchTo(gp)
	return gp
}

// hkPending reports whether a decided or runnable goroutine waits in the sets.
func hkPending() bool {
	return hkOn && !hkFrozen && (hkN > 0 || hkSys.n > 0 || hkNext != 0 || hkExt.n > 0 || hkStuck.n > 0)
}

// hkSwitchTo notes that gp runs next, for the schedule that is written out.
func hkSwitchTo(gp *g) {
	if !hkRunning || gp.hk.id == 0 {
		return
	}
	if hkStoreN > 0 {
		hkStoreShow(gp.hk.id)
	}
	gp.hk.last, gp.hk.lastN = faketime, hkHdr[hkWSteps]
	if hkPicks != 0 && hkLastKey == gp.hk.key && !gp.hk.parked {
		hkAwaitedPick()
		return
	}
	hkPickLeft()
	gp.hk.parked = false
	hkLast.set(gp)
	hkLastKey = gp.hk.key
	hkPicks = hkEntry(hkWPickOff, hkSegSize)
	if hkPicks != 0 {
		hkPut64(hkPicks, gp.hk.key)
		hkPut32(hkPicks+8, gp.hk.cnt)
		hkAwaitedPick()
	}
}

// hkWhyLeft says why the goroutine that ran last does not go on: 0 it could
// have, 1 it is blocked, 2 it ended, 3 it yielded.
func hkWhyLeft() uint32 {
	gp := hkLast.ptr()
	if gp == nil || gp.hk.key != hkLastKey {
		return 2
	}
	if gp.hk.parked {
		return 1 // and may have been woken since
	}
	switch readgstatus(gp) &^ _Gscan {
	case _Grunnable, _Grunning:
		if gp.hk.op == hkOpGosched || gp.hk.spin >= hkSpinSoft && gp.hk.spinW == hkWrites {
			return 3
		}
		return 0
	case _Gdead:
		return 2
	}
	return 1
}
