//go:build hocket_overlay

package runtime

import _ "unsafe"

// The world outside the program: system calls that wait, subprocesses,
// signals, and real time where only that can help.
//
// A goroutine that comes back from outside is held until nothing else can run
// (hkExt). So one outside event at a time leaves a run as it was, however long
// it took; only the order of several is not the schedule's.

const (
	hkGrace    = 100 * 1000 * 1000       // real ns for which virtual time waits for the outside
	hkTakeP    = 100 * 1000 * 1000       // real ns after which a waiting system call loses the processor
	hkStuckMax = 2 * 1000 * 1000 * 1000  // ns of real and of processor time without a switch point after which a goroutine is preempted
	hkOnWayMax = 10 * 1000 * 1000 * 1000 // real ns in which a thread on its way arrives
	hkMemMax   = 2 << 30                 // bytes of Go heap
)

var (
	hkIdleM      int32 // threads that wait for signals
	hkSigDue     bool  // a signal of the program's own may be under way
	hkKids       int32 // subprocesses not yet waited for
	hkForks      bool  // there was one
	hkForker     guintptr
	hkExt        hkQueue
	hkStuck      hkQueue
	hkIdleSince  int64 // real time since when only the outside can help, 0 if something runs
	hkStepsSeen  uint64
	hkStepsSince int64
	hkStepsUsed  uint64
)

// hkOutside notes an outside event in which gp takes part. st is its stack.
func hkOutside(gp *g, what uint64, st uint32) {
	if !hkRunning {
		return
	}
	hkHdr[hkWExternal]++
	if hkHdr[hkWExtWhat] == 0 {
		hkHdr[hkWExtWhat] = what
		hkHdr[hkWExtGID] = uint64(gp.hk.id)
		hkHdr[hkWExtStack] = uint64(st)
	}
	if hkEv && gp.hk.id != 0 {
		hkRec(gp.hk.id, hkOpSyscall, 0, st, gp.hk.cnt, what, true, 0)
	}
}

// hkMayBlock is asked by package syscall before a call that waits for others
// by its nature: true if the processor is to be given away at once, so that
// it does not depend on how long the call takes.
//
//go:linkname hkMayBlock
//go:nosplit
func hkMayBlock() bool {
	if !hkRunning {
		return false
	}
	gp := getg()
	if gp.hk.id == 0 || gp.m.locks != 0 {
		return false
	}
	gp.hk.blocks = true
	return true
}

// hkSettle delays a goroutine that waited for another process, so that what
// happened at about the same time (the end of its output) comes first, always.
func hkSettle() {
	if gp := getg().m.curg; gp != nil && gp.hk.blocks {
		gp.hk.blocks = false
		usleep(5000)
	}
}

// hkReaped says that a subprocess was waited for.
//
//go:linkname hkReaped
//go:nosplit
func hkReaped() {
	if hkOn && hkKids > 0 {
		hkKids--
	}
}

// hkSyscallBlock runs on the system stack before the processor is given away.
func hkSyscallBlock() {
	if gp := getg().m.curg; hkOn && gp != nil && gp.hk.blocks {
		hkOutside(gp, hkExtSyscall, hkStackOf(gp))
	}
}

// hkForked follows a fork in the parent, on the system stack.
func hkForked() {
	if !hkRunning {
		return
	}
	gp := getg().m.curg
	hkKids++
	hkForks = true
	hkForker.set(gp)
	hkOutside(gp, hkExtSubprocess, hkStackOf(gp))
}

// hkSignalled is called by the goroutine that has received a signal.
func hkSignalled() {
	if hkRunning {
		hkOutside(getg(), hkExtSignal, 0)
	}
}

// hkBack marks a goroutine that comes back from a system call to a processor
// that others have.
//
//go:nosplit
func hkBack(gp *g) {
	if hkOn && gp.hk.id != 0 {
		gp.hk.ext = true
	}
}

// hkTakeExt lets those back from outside run.
func hkTakeExt() {
	for hkExt.n > 0 {
		x := hkExt.take()
		x.ptr().hk.ext = false
		hkSetAdd(x)
	}
}

// hkRetake decides whether a processor in a system call since the real time
// when may be taken: only if the thread waits, not if it is slow.
func hkRetake(pp *p, when, now int64) bool {
	mp := pp.m.ptr()
	if when+hkTakeP > now || mp == nil {
		return false
	}
	gp := mp.curg
	if gp != nil && hkForker.ptr() == gp && when+20*hkTakeP > now {
		return false // until exec in the child is known to have worked
	}
	state, _ := hkThreadStat(mp.procid)
	return state == 0 || state == 'S'
}

// hkRetook notes that gp lost its processor in a system call.
func hkRetook(gp *g) {
	if gp != nil {
		hkOutside(gp, hkExtSyscall, hkStackOf(gp))
	}
}

// hkBusyMs counts threads that are neither parked nor the runtime's own.
func hkBusyMs() int32 {
	return mcount() - sched.nmidle - sched.nmidlelocked - sched.nmsys - hkIdleMs()
}

// hkIdleMs counts threads that wait for signals. It gives a signal that the
// program has sent itself the time to arrive.
func hkIdleMs() int32 {
	if hkIdleM == 0 {
		return 0
	}
	for i := 0; hkSigDue && i < 50 && sig.state.Load() == sigReceiving; i++ {
		usleep(1000)
	}
	hkSigDue = false
	if sig.state.Load() != sigReceiving {
		return 0
	}
	return hkIdleM
}

// hkKilled says that the program has sent a signal.
//
//go:linkname hkKilled
//go:nosplit
func hkKilled() {
	hkSigDue = true
}

// hkOutsideBusy reports whether something outside may still come to the
// network poller: another thread is in a system call, a subprocess lives, or
// another process has the other end of a connection.
func hkOutsideBusy() bool { return hkBusyMs() > 1 || hkKids > 0 || hkWait[hkNetOutside] > 0 }

// hkOutsideLasts reports whether something outside is under way. A thread that is
// only on its way is none: the kernel has not yet run it since it was made, or it is
// about to park. How long that takes, the load of the machine decides, so it is
// waited for.
func hkOutsideLasts() bool {
	for since := nanotime1(); hkOutsideBusy(); usleep(100) {
		if hkKids > 0 || hkWait[hkNetOutside] > 0 || hkCallers() > hkIdleMs() || nanotime1()-since > hkOnWayMax {
			return true
		}
	}
	return false
}

// hkCallers counts threads that are outside: in system calls without a processor,
// and those that C code may call from.
func hkCallers() (n int32) {
	self := getg().m
	lock(&sched.lock)
	for mp := allm; mp != nil; mp = mp.alllink {
		if gp := mp.curg; mp != self && (mp.isextra || gp != nil && readgstatus(gp)&^_Gscan == _Gsyscall) {
			n++
		}
	}
	unlock(&sched.lock)
	return n
}

// hkSysmon runs on sysmon's thread. While all goroutines wait and some of them
// for the outside, virtual time passes like real time.
func hkSysmon() {
	if !hkRunning || sched.npidle.Load() != gomaxprocs {
		hkIdleSince = 0
		return
	}
	lock(&sched.lock)
	if sched.npidle.Load() == gomaxprocs && !sched.gcwaiting.Load() && hkBusyMs() > 0 {
		real := nanotime1()
		if hkIdleSince == 0 {
			hkIdleSince = real
		}
		when := timeSleepUntil()
		if when < maxWhen && hkPassed(real-hkIdleSince, when-faketime) && hkJump(when) {
			hkIdleSince = 0
			faketime = hkArrival(when)
			if pp, _ := pidleget(faketime); pp != nil {
				sched.nmspinning.Add(1)
				startm(pp, true, true)
			}
		}
	}
	unlock(&sched.lock)
}

// hkPassed reports whether virtual time d has passed while the program waited
// for the outside for the real time waited. On a machine that has more to run
// than it has processors, others come to what they would have done by then only
// later.
func hkPassed(waited, d int64) bool {
	if waited <= hkGrace+d {
		return false
	}
	load := int64(min(hkMachineRuns()/uint64(numCPUStartup), hkLoadMax))
	return load <= 1 || waited > (hkGrace+d)*load
}

// hkLoadMax limits how much slower than virtual time real time may be.
const hkLoadMax = 20

// hkQuickJump advances virtual time to the next timer when this thread is the
// only one and nothing can run; false: the runtime must look closer.
func hkQuickJump(pp *p) bool {
	if hkAwaitJump {
		hkAwaitJump = false
		return true
	}
	if !hkRunning || hkFrozen || hkN > 0 || hkSys.n > 0 || hkExt.n > 0 {
		return false
	}
	when := pp.timers.wakeTime()
	if when == 0 || when-hkEpoch > int64(hkHdr[hkWVirtualMax]) {
		return false
	}
	if hkStuck.n == 0 && (hkPolled() || gcBlackenEnabled != 0 || sched.gcwaiting.Load() || hkBusyMs() > 1 || !sched.runq.empty()) {
		return false
	}
	if when > faketime {
		hkJump(when)
		faketime = hkArrival(when)
	}
	return true
}

// hkTakeStuck returns a goroutine that loops without switch points, if time
// can't jump either.
func hkTakeStuck(pp *p) *g {
	if when := pp.timers.wakeTime(); when != 0 && when-hkEpoch <= int64(hkHdr[hkWVirtualMax]) {
		return nil
	}
	return hkStuck.take().ptr()
}

// hkMayPreempt is asked by sysmon about the goroutine that runs since long:
// true if it passes no switch points while it burns the processor.
func hkMayPreempt(pp *p) bool {
	mp := pp.m.ptr()
	if !hkRunning || mp == nil {
		return false
	}
	real := nanotime1()
	if hkStepsSeen != hkHdr[hkWSteps] {
		hkStepsSeen, hkStepsSince = hkHdr[hkWSteps], real
		_, hkStepsUsed = hkThreadStat(mp.procid)
		return false
	}
	if real-hkStepsSince < hkStuckMax {
		return false
	}
	state, used := hkThreadStat(mp.procid)
	if state != 0 && used-hkStepsUsed < hkStuckMax/1e7 {
		return false
	}
	hkStepsSince, hkStepsUsed = real, used
	return true
}

// hkPreempted is called on g0 for a goroutine preempted in a loop.
func hkPreempted(gp *g) {
	if !hkRunning || gp.hk.id == 0 {
		return
	}
	gp.hk.stuck = true
	hkOutside(gp, hkExtLoop, hkStackOf(gp))
}

// hkHeapGrows ends runs that use up the machine's memory.
func hkHeapGrows(h *mheap) {
	if hkRunning && h.pagesInUse.Load()*pageSize > hkMemMax {
		hkHdr[hkWStatus] = hkStatusMemMax
		hkHdr[hkWVTime] = uint64(faketime - hkEpoch)
		exit(97)
	}
}
