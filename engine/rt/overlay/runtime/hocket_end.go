//go:build hocket_overlay

package runtime

// How a run begins and ends.

var (
	hkReaperG guintptr // parked goroutine that writes the report when nothing else can run
	hkReaperW uint64   // the status to report
	hkFrozen  bool     // user goroutines no longer run
	hkEnder   guintptr // the goroutine that ends the run
	hkEnded   bool
)

// hkMainStart is called by runtime.main before the program's initialisers.
func hkMainStart() {
	if hkHdr != nil && hkHdr[hkWFlags]&hkFlagSymbolize != 0 {
		hkSymbolize()
	}
	if !hkOn {
		return
	}
	go hkReaper()
	for hkReaperG == 0 {
		Gosched()
	}
	maxstacksize = hkStackMax
	// The compiler takes its hooks for calls in which no stack is scanned or moved:
	// pointers that a copy is about to write may hold anything there.
	debug.invalidptr = 0
	gp := getg()
	hkCollector = hkCollect
	hkBorn(gp)
	hkRunning = true
	hkFirst(gp)
	hkSwitchTo(gp)
}

// hkStackMax is what a goroutine's stack may grow to, in bytes: endless
// recursion must show before the time of a run is over.
const hkStackMax = 128 << 20

func hkReaper() {
	hkReaperG.set(getg())
	gopark(nil, nil, waitReasonForceGCIdle, traceBlockSystemGoroutine, 1)
	hkFinish(hkReaperW)
	exit(98)
}

// hkDead is called by checkdead, with sched.lock held, when no thread has
// anything to run: it wakes the reaper. false: let the runtime go on.
func hkDead(status uint64) bool {
	if !hkRunning || hkEnded || hkReaperG == 0 {
		return false
	}
	hkEnded = true
	hkReaperW = status
	gp := hkReaperG.ptr()
	casgstatus(gp, _Gwaiting, _Grunnable)
	globrunqput(gp)
	pp, _ := pidleget(faketime)
	if pp == nil {
		return false
	}
	mp := mget()
	if mp == nil {
		return false
	}
	sched.nmspinning.Add(1)
	mp.spinning = true
	mp.nextp.set(pp)
	notewakeup(&mp.park)
	return true
}

// hkJump decides whether virtual time may jump to when. Called by checkdead.
func hkJump(when int64) bool {
	hkTimes = 0
	hkPassEnd = 0
	hkWrites++
	if hkRunning {
		hkHdr[hkWJumps]++
		if when-hkEpoch > int64(hkHdr[hkWVirtualMax]) {
			return false
		}
	}
	return true
}

// hkQuit ends a run that reached a limit, from a switch point. The reaper does
// the rest, for it may allocate: what waits for ever is found all the same,
// since a ticker's goroutine can keep a deadlocked program from being idle.
func hkQuit(status uint64) {
	if hkReaperG == 0 {
		exit(97)
	}
	hkEnded = true
	hkReaperW = status
	gp := hkReaperG.ptr()
	casgstatus(gp, _Gwaiting, _Grunnable)
	lock(&sched.lock)
	globrunqput(gp)
	unlock(&sched.lock)
	hkRunning = false
	goyield()
}

// hkMainEnd follows main.main.
func hkMainEnd() {
	if !hkRunning || hkEnded {
		return
	}
	hkDrainTime()
	hkFinish(hkStatusMainReturned)
}

// hkExit precedes os.Exit. Goroutines that are blocked then are leaks only if
// the main goroutine ends the program: another one may do so because it knows
// that they wait.
func hkExit(code int) {
	if !hkRunning || hkEnded {
		return
	}
	gp := getg()
	hkHdr[hkWExit] = uint64(code)
	if code != 0 && hkHdr[hkWFailGID] == 0 {
		hkTimedOut(gp)
		hkHdr[hkWFailGID], hkHdr[hkWFailStack] = uint64(gp.hk.id), uint64(hkStack())
	}
	if hkEv && gp.hk.id != 0 {
		hkRec(gp.hk.id, hkOpExit, 0, hkStack(), gp.hk.cnt, uint64(code), true, 0)
	}
	if code == 0 {
		hkDrainTime()
	}
	hkFinish(hkStatusExit)
}

// hkDrainTime lets the rest of the program run on a little, as it would on
// other processors while this one leaves main: a panic under way is seen, and
// goroutines that are about to end are not taken for leaks.
func hkDrainTime() {
	if d := hkHdr[hkWDrain]; d != 0 {
		max := hkHdr[hkWSteps] + 100000
		if max < hkHdr[hkWStepMax] {
			hkHdr[hkWStepMax] = max
		}
		hkDraining = true
		timeSleep(int64(d))
	}
}

var hkDraining bool

// hkPendingOps records what each goroutine stands before that could go on.
func hkPendingOps() {
	if !hkEv {
		return
	}
	hkDelaysOut()
	me := getg()
	if me == me.m.g0 && me.m.curg != nil {
		me = me.m.curg
	}
	forEachGRace(func(gp *g) {
		if gp != me && gp.hk.id != 0 && gp.hk.at && readgstatus(gp)&^_Gscan == _Grunnable {
			hkRec(gp.hk.id, hkOpPending, gp.hk.addr, hkStackOf(gp), gp.hk.cnt, 0, false, uint64(gp.hk.op)|hkCapOf(gp))
		}
	})
}

// hkFinish freezes the program, finds goroutines that can never go on and
// writes the results.
func hkFinish(status uint64) {
	hkEnded = true
	hkPendingOps()
	hkRunning = false
	hkEnder.set(getg())
	hkFrozen = true
	hkHdr[hkWVTime] = uint64(faketime - hkEpoch)
	if status == hkStatusDeadlock && hkWait[hkNetServes]+hkWait[hkNetOutside] > 0 {
		status = hkStatusServes
	}
	if status == hkStatusExit && (hkHdr[hkWExit] != 0 || hkEnder.ptr().hk.id > 1) {
		hkHdr[hkWStatus] = status
		return
	}
	goroutineLeakGC()
	if hkAnyHeld() {
		// A sync.Pool is reachable from a global until two collections after
		// its last use, with all that it is part of.
		GC()
		GC()
		goroutineLeakGC()
	}
	me := getg()
	systemstack(func() {
		forEachGRace(func(gp *g) {
			s := readgstatus(gp) &^ _Gscan
			if gp == me || gp.hk.id == 0 {
				return
			}
			if status == hkStatusLivelock && s == _Grunnable {
				hkBlockedOut(gp, hkReasonLoops)
				return
			}
			if s == _Grunnable && hkHdr[hkWFlags]&hkFlagStands != 0 {
				hkBlockedOut(gp, hkReasonRunnable)
				return
			}
			if s != _Gwaiting && s != _Gleaked || gp.waitreason == waitReasonSleep || hkIdleCleaner(gp) {
				return
			}
			how := uint32(gp.waitreason) << 8
			if s == _Gleaked {
				how |= 1
			}
			hkBlockedOut(gp, how)
		})
	})
	hkHdr[hkWStatus] = status
}

// hkBlockedOut lists a goroutine that does not go on; how is 1 if it never can,
// with the wait reason above.
func hkBlockedOut(gp *g, how uint32) {
	p := hkEntry(hkWBlockedOff, hkBlockedSize)
	if p == 0 {
		return
	}
	hkPut32(p, gp.hk.id)
	hkPut32(p+4, uint32(gp.hk.op)|how<<8)
	hkPut64(p+8, uint64(gp.hk.addr))
	hkPut32(p+16, hkStackOf(gp))
	hkPut32(p+20, hkHolder(gp))
}

// hkAnyHeld reports whether a user goroutine is blocked on something reachable.
func hkAnyHeld() (held bool) {
	systemstack(func() {
		forEachGRace(func(gp *g) {
			if gp.hk.id != 0 && readgstatus(gp)&^_Gscan == _Gwaiting &&
				(gp.waitreason.isSyncWait() || gp.waitreason.isChanWait()) {
				held = true
			}
		})
	})
	return held
}

// hkPanicking records a panic that will end the program.
func hkPanicking(op uint8, status uint64) {
	if !hkOn || hkHdr[hkWStatus] != hkStatusRunning {
		return
	}
	gp := getg()
	var st uint32
	if gp.m != nil && gp == gp.m.g0 && gp.m.curg != nil {
		gp = gp.m.curg
		st = hkStackOf(gp)
	} else {
		st = hkStack()
	}
	hkHdr[hkWStatus] = status
	hkHdr[hkWFailGID] = uint64(gp.hk.id)
	hkHdr[hkWFailStack] = uint64(st)
	hkHdr[hkWVTime] = uint64(faketime - hkEpoch)
	if hkEv && gp.hk.id != 0 {
		hkRec(gp.hk.id, op, 0, st, gp.hk.cnt, 0, false, 0)
		if gp.hk.op != 0 && gp.hk.cnt > 0 {
			// It failed in this operation, and stood before it last.
			hkRec(gp.hk.id, hkOpPending, gp.hk.addr, st, gp.hk.cnt-1, 0, false, uint64(gp.hk.op)|hkCapOf(gp))
		}
	}
	hkPendingOps()
	hkStandsOut(gp)
	hkRunning = false
}

// hkStandsOut lists where the others stand when me panics, if that is asked for.
func hkStandsOut(me *g) {
	if hkHdr[hkWFlags]&hkFlagStands == 0 {
		return
	}
	forEachGRace(func(gp *g) {
		if gp == me || gp.hk.id == 0 {
			return
		}
		switch readgstatus(gp) &^ _Gscan {
		case _Gwaiting, _Gleaked:
			hkBlockedOut(gp, uint32(gp.waitreason)<<8)
		case _Grunnable:
			hkBlockedOut(gp, hkReasonRunnable)
		}
	})
}

// hkPanicStart records the beginning of a panic, and the operation that the goroutine
// began last, in which it may have failed.
func hkPanicStart() {
	gp := hkUser()
	if gp == nil || !hkEv {
		return
	}
	hkFirst(gp)
	hkRec(gp.hk.id, hkOpPanicStart, 0, hkStack(), gp.hk.cnt, uint64(gp.hk.addr), true, uint64(gp.hk.op))
}

// hkCoroSwitch hands the identity of a goroutine to the coroutine that runs on.
func hkCoroSwitch(from, to *g) {
	if !hkOn {
		return
	}
	from.hk, to.hk = to.hk, from.hk
	if hkLast.ptr() == from && to.hk.key == hkLastKey {
		hkLast.set(to)
	}
}
