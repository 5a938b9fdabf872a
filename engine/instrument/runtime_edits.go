package instrument

// editsOf lists what control mode changes in the Go distribution's own files,
// by path below GOROOT/src. Each entry says which behaviour it replaces; the
// functions named hk... are in engine/rt/overlay.
func runtimeEdits() map[string]func(*sourceEdit) {
	return map[string]func(*sourceEdit){
		"runtime/runtime2.go": func(e *sourceEdit) {
			e.field("g", "hk hkG")
			e.replace("newMWeakPointer", "new(atomic.Pointer[m])", "hkSpareSelf()")
		},
		"runtime/os_linux.go": func(e *sourceEdit) {
			e.replace("mpreinit", "malg(32 * 1024)", "hkSpareG(32 * 1024)")
		},
		"runtime/proc.go": editProc,
		"runtime/select.go": func(e *sourceEdit) {
			e.rename("selectgo")
			e.replace("selectgo", "cheaprandn(uint32(norder + 1))", "hkSelRand(uint32(norder + 1))")
		},
		"runtime/chan.go": func(e *sourceEdit) {
			e.field("hchan", "hkClosed uint8")
			e.rename("makechan", "chansend", "chanrecv", "closechan", "chanlen")
		},
		"runtime/sema.go": func(e *sourceEdit) {
			e.rename("notifyListAdd", "notifyListWait", "notifyListNotifyOne", "notifyListNotifyAll")
		},
		"runtime/atomic_pointer.go": func(e *sourceEdit) {
			e.rename("sync_atomic_StorePointer", "sync_atomic_SwapPointer", "sync_atomic_CompareAndSwapPointer")
			e.replace("sync_atomic_StorePointer", "sync_atomic_StoreUintptr(", "atomic.Storeuintptr(")
			e.replace("sync_atomic_SwapPointer", "sync_atomic_SwapUintptr(", "atomic.Xchguintptr(")
			e.replace("sync_atomic_CompareAndSwapPointer", "sync_atomic_CompareAndSwapUintptr(", "atomic.Casuintptr(")
		},
		"runtime/rand.go": func(e *sourceEdit) {
			// Randomness becomes an input: one stream a goroutine, by seed.
			e.replace("randinit", "globalRand.state.Init(*seed)", "if hkOn { clear(seed[:]) }; globalRand.state.Init(*seed)")
			e.start("rand", "if v, ok := hkInput(); ok { return v }")
			e.start("cheaprand", "if v, ok := hkCheap(); ok { return v }")
		},
		"internal/runtime/maps/table.go": func(e *sourceEdit) {
			e.replace("Iter.Init", "it.entryOffset = rand()", "if m.used > 1 { hkMapOrder() }; it.entryOffset = rand()")
		},
		"runtime/map.go": func(e *sourceEdit) {
			e.replace("mapclone", "map_ = map_.Clone(typ)", "hkMapClone(e.data); map_ = map_.Clone(typ)")
		},
		"fmt/print.go": func(e *sourceEdit) {
			const pointee = "case reflect.Array, reflect.Slice, reflect.Struct, reflect.Map:"
			e.start("pp.fmtBytes", "hkReadBytes(v)")
			e.replace("pp.printValue", "case reflect.Array, reflect.Slice:", "case reflect.Array, reflect.Slice: hkReadElements(f)")
			e.replace("pp.printValue", pointee, pointee+" hkReadPointee(f)")
		},
		"runtime/time.go": func(e *sourceEdit) {
			e.field("timer", "hk hkTimerInfo")
			e.replace("newTimer", "t.timer.init(nil, nil)", "t.timer.init(nil, nil); hkTimerInit(&t.timer, when, arg)")
			e.start("stopTimer", "hkTimerStop(&t.timer)")
			e.start("resetTimer", "hkTimerReset(&t.timer, when)")
			e.start("timer.unlockAndRun", "hkTimerFire(t)")
			e.start("timeSleep", "hkSleep(ns)")
			e.replace("timeSleep", "gp.sleepWhen = when", "gp.sleepWhen = when; hkSleepTimer(gp, t, when)")
			e.start("time_runtimeNow", "hkClock()")
			e.start("time_runtimeNano", "hkClock()")
		},
		"runtime/time_nofake.go": func(e *sourceEdit) {
			e.start("nanotime", "if faketime != 0 { return hkNow() }")
		},
		"runtime/timestub.go": func(e *sourceEdit) {
			e.start("time_now", "if faketime != 0 { n := hkNow(); return n / 1e9, int32(n % 1e9), n }")
		},
		"runtime/debug.go": func(e *sourceEdit) {
			// One processor runs; the program is told what was configured.
			e.start("GOMAXPROCS", "if hkOn { return hkGomaxprocs(n) }")
			e.start("NumCPU", "if hkOn { return int(hkHdr[hkWProcs]) }")
		},
		"crypto/internal/sysrand/rand.go": func(e *sourceEdit) {
			e.start("Read", "if hkRandom(b) { return }")
		},
		"runtime/mheap.go": func(e *sourceEdit) {
			e.start("mheap.grow", "hkHeapGrows(h)")
			e.start("addspecial", "hkAwaitsCollector(s.kind)")
		},
		"syscall/syscall_linux.go": func(e *sourceEdit) {
			e.start("RawSyscall", "hkBeforeRaw(trap)")
			for name, a4 := range map[string]string{"Syscall": "0", "Syscall6": "a4"} {
				e.replace(name, "runtime_entersyscall()", "if hkBlocks(trap) { hkEntersyscallblock() } else { runtime_entersyscall() }")
				e.replace(name, "runtime_exitsyscall()", "runtime_exitsyscall(); hkAfter(trap, r1, "+a4+", err)")
			}
		},
		"runtime/netpoll.go": func(e *sourceEdit) {
			e.rename("poll_runtime_pollReset", "poll_runtime_pollWait")
			e.replace("poll_runtime_pollOpen", "errno := netpollopen", "if hkNetOpens(pd) { return pd, 0 }; errno := netpollopen")
			e.start("poll_runtime_pollSetDeadline", "hkNetChanges(pd, hkOpNetDeadline)")
			e.start("poll_runtime_pollUnblock", "hkNetChanges(pd, hkOpNetClose)")
		},
		"internal/poll/fd_unix.go": func(e *sourceEdit) {
			e.rename("DupCloseOnExec")
		},
		"internal/poll/fd_writev_unix.go": func(e *sourceEdit) {
			e.rename("writev")
		},
		"syscall/syscall_unix.go": func(e *sourceEdit) {
			// What passes between goroutines orders them by the connection.
			e.replace("Read", "race.Acquire(unsafe.Pointer(&ioSync))", "hkReadAfter(fd)")
		},
		"syscall/zsyscall_linux_amd64.go": editSockets,
		"syscall/zsyscall_linux_arm64.go": editSockets,
		"runtime/mgc.go": func(e *sourceEdit) {
			e.rename("GC")
			e.start("gcStart", "hkFlushAll()")
			e.replace("gcStart", "setGCPhase(_GCmark)", "hkFlushAll(); setGCPhase(_GCmark)") // again: others ran
		},
		"runtime/mstats.go": func(e *sourceEdit) {
			e.start("ReadMemStats", "hkMemStats()")
		},
		"runtime/mcleanup.go": func(e *sourceEdit) {
			e.replace("runCleanups", "gcCleanups.beginRunningCleanups()", "gcCleanups.beginRunningCleanups(); hkShuffle(b)")
		},
		"runtime/mgcpacer.go": func(e *sourceEdit) {
			// The collector does not start by itself below 1 GiB: when it happens
			// must not depend on the schedule of helper threads.
			e.start("gcControllerState.setGCPercent", "if old, kept := hkSetGCPercent(in); kept { return old }")
			e.start("readGOGC", "if hkOn { return -1 }")
			e.start("readGOMEMLIMIT", "if hkOn { return 1 << 30 }")
		},
		"runtime/malloc.go": func(e *sourceEdit) {
			e.start("mallocgc", "if hkAl { hkMallocType(typ) }")
		},
		"runtime/panic.go": func(e *sourceEdit) {
			e.start("fatalpanic", "hkPanicking(hkOpPanic, hkStatusPanic)")
			e.start("fatalthrow", "hkPanicking(hkOpFatal, hkStatusFatal)")
			e.start("gopanic", "hkPanicStart()")
		},
		"runtime/coro.go": func(e *sourceEdit) {
			// A coroutine is the goroutine that resumed it, as far as
			// schedules go.
			e.replace("coroswitch_m", "// Switch to gnext. Does not return.", "hkCoroSwitch(hkSelf, gnext)")
			e.start("coroswitch_m", "hkSelf := gp")
		},
		"runtime/sigqueue.go": func(e *sourceEdit) {
			// A thread that waits for signals is idle, not running.
			e.replace("signal_recv", "notetsleepg(&sig.note, -1)", "hkIdleM++; notetsleepg(&sig.note, -1); hkIdleM--")
			e.replace("signal_recv", "\t\t\t\treturn i\n", "\t\t\t\thkSignalled()\n\t\t\t\treturn i\n")
		},
		"runtime/pprof/pprof.go": func(e *sourceEdit) {
			// The leak detector is always available: its profile does not need
			// the experiment that Go 1.26 requires for it.
			if e.contains("lockProfiles", "goexperiment.GoroutineLeakProfile") {
				e.replace("lockProfiles", "if goexperiment.GoroutineLeakProfile {", "if goexperiment.GoroutineLeakProfile || true {")
			}
		},
		"sync/mutex.go": func(e *sourceEdit) {
			e.rename("Mutex.Lock", "Mutex.TryLock", "Mutex.Unlock")
		},
		"sync/rwmutex.go": func(e *sourceEdit) {
			e.rename("RWMutex.Lock", "RWMutex.TryLock", "RWMutex.Unlock", "RWMutex.RLock", "RWMutex.TryRLock", "RWMutex.RUnlock")
		},
		"sync/waitgroup.go": func(e *sourceEdit) {
			e.rename("WaitGroup.Add", "WaitGroup.Wait")
		},
		"sync/once.go": func(e *sourceEdit) {
			e.rename("Once.Do")
			e.replace("Once.Do", "!o.done.Load()", "!o.hkLoad()")
			e.replace("Once.doSlow", "!o.done.Load()", "!o.hkLoad()")
		},
		"sync/pool.go": func(e *sourceEdit) {
			e.rename("Pool.Get", "Pool.Put")
			e.replace("Pool.Get", "x = p.New()", "x = p.hkNew()")
			e.replace("Pool.Put", "runtime_randn(4) == 0", "hkPoolDrop()")
		},
		"sync/map.go": func(e *sourceEdit) {
			e.rename("Map.Load", "Map.Store", "Map.Clear", "Map.LoadOrStore", "Map.LoadAndDelete", "Map.Delete",
				"Map.Swap", "Map.CompareAndSwap", "Map.CompareAndDelete", "Map.Range")
		},
		"sync/atomic/value.go": func(e *sourceEdit) {
			e.rename("Value.Load", "Value.Store", "Value.Swap", "Value.CompareAndSwap")
		},
		"testing/testing.go": func(e *sourceEdit) {
			e.start("common.Fail", "hkTestFail()")
			e.start("T.Parallel", "hkTestParallel()")
		},
		"testing/allocs.go": func(e *sourceEdit) {
			e.start("AllocsPerRun", "hkAllocsCounted(1); defer hkAllocsCounted(-1)")
		},
	}
}

// editSockets puts the system calls on sockets behind the loopback in memory.
func editSockets(e *sourceEdit) {
	e.rename("read", "write", "bind", "Listen", "connect", "accept4", "getsockname", "getpeername", "recvfrom", "sendto",
		"recvmsg", "sendmsg", "sendfile", "Splice", "Shutdown", "Close", "getsockopt")
}

// editProc changes the scheduler: one P, our picker, virtual time.
func editProc(e *sourceEdit) {
	e.replace("main", "\tgcenable()\n", "\tgcenable()\n\thkMainStart()\n")
	e.replace("main", "\tfn()\n", "\thkInited = true\n\tfn()\n\thkMainEnd()\n")
	e.start("os_beforeExit", "hkExit(exitCode)")
	e.replace("schedinit", "if procresize(procs) != nil {", "if hkOn { procs = 1; sched.customGOMAXPROCS = true }; if procresize(procs) != nil {")

	// What threads are made of does not depend on when they are.
	e.replace("allocm", "new(mPadded)", "hkSpareM()")
	e.replace("allocm", "malg(16384 * sys.StackGuardMultiplier)", "hkSpareG(16384 * sys.StackGuardMultiplier)")
	e.rename("makeProfStackFP")

	// Who runs next.
	e.start("runqget", "if hkOn { return hkRunqget(pp), false }")
	e.start("runqempty", "if hkPending() { return false }")
	e.start("preemptone", "if hkOn && !hkMayPreempt(pp) { return false }")
	e.start("gopreempt_m", "hkPreempted(gp)")
	e.replace("findRunnable", "if pp.schedtick%61 == 0 && !sched.runq.empty() {", "if !hkOn && pp.schedtick%61 == 0 && !sched.runq.empty() {")
	e.start("Gosched", "if hkGosched() { return }")
	e.start("goyield", "if hkOn { hkYieldSelf() }")

	// Network readiness is an external event: it is taken when nothing else
	// can run, all that is there at once.
	e.replace("findRunnable", "if netpollinited() && netpollAnyWaiters() && sched.lastpoll.Load() != 0 && sched.pollingNet.Swap(1) == 0 {",
		"if !hkOn && netpollinited() && netpollAnyWaiters() && sched.lastpoll.Load() != 0 && sched.pollingNet.Swap(1) == 0 {")
	e.replace("findRunnable", "list, delta := netpoll(delay) // block until new work is available", `list, delta := netpoll(delay)
		if faketime != 0 {
			for i := 0; list.empty() && hkPolled() && (i < 2 || hkOutsideBusy()); i++ {
				var d2 int32
				list, d2 = netpoll(5 * 1000 * 1000)
				delta += d2
			}
		}`)
	e.replace("findRunnable", "acquirep(pp)\n\t\t\tif !list.empty() {", `acquirep(pp)
			if hkOn && !list.empty() {
				injectglist(&list)
				netpollAdjustWaiters(delta)
				if wasSpinning {
					mp.becomeSpinning()
				}
				goto top
			}
			if !list.empty() {`)

	// Goroutines: names, birth, death, parking.
	e.replace("newproc1", "newg.goid = pp.goidcache", "newg.goid = pp.goidcache; hkNewG(newg, callergp, parked)")
	e.end("newproc", "hkSpawned()")
	e.start("gopark", "hkPark(reason)")
	e.start("ready", "hkReady(gp)")
	e.replace("park_m", "casgstatus(gp, _Gwaiting, _Grunnable)", "casgstatus(gp, _Gwaiting, _Grunnable); hkReady(gp)")

	// Deadlock and time.
	e.start("checkdead", "if hkFrozen || hkRunning && sched.npidle.Load() != gomaxprocs { return }")
	e.replace("checkdead", "var run0 int32", "var run0 int32 = hkIdleMs()")
	e.replace("checkdead", "if grunning == 0 {", "if grunning == 0 { if hkDead(hkStatusDeadlock) { return };")
	e.replace("checkdead", "\t\t\tfaketime = when\n", "\t\t\tif !hkJump(when) && hkDead(hkStatusVirtualMax) { return }\n\t\t\tfaketime = hkArrival(when)\n")
	e.replace("checkdead", "// There are no goroutines running, so we can look at the P's.", "if hkDead(hkStatusDeadlock) { return }")

	// A system call keeps the processor unless it is seen to wait; sysmon's other
	// helpers stay quiet.
	e.start("retake", "if hkOn { now = nanotime1() }")
	e.replace("retake", "sysretake = true", "sysretake = !hkOn")
	e.replace("retake", "// On the one hand we don't want to retake Ps if there is no other work to do,", `if hkOn && pd.syscallwhen == 0 {
			pd.syscallwhen = now
		}
		if hkOn && !hkRetake(pp, pd.syscallwhen, now) {
			thread.resume()
			goto done
		}
		`)
	e.replace("retake", "thread.takeP()", "if hkOn { hkRetook(thread.gp) }; thread.takeP()")
	e.start("reentersyscall", "hkLooks++")
	e.replace("entersyscallblock", "handoffp(releasep())", "hkSyscallBlock(); handoffp(releasep())")
	e.replace("handoffp", "if sched.npidle.Load() == gomaxprocs-1 && sched.lastpoll.Load() != 0 {", "if hkOn || sched.npidle.Load() == gomaxprocs-1 && sched.lastpoll.Load() != 0 {")
	e.start("exitsyscallTryGetP", "if hkOn { oldp = nil; hkSettle() }")
	e.replace("exitsyscallNoP", "globrunqput(gp)", "hkBack(gp); globrunqput(gp)")
	e.end("syscall_runtime_AfterFork", "systemstack(hkForked)")
	e.replace("checkdead", "\t\t\t_Grunning,\n\t\t\t_Gsyscall:\n", "\t\t\t_Grunning,\n\t\t\t_Gsyscall:\n\t\t\tif hkIdleM > 0 && s&^_Gscan != _Grunnable {\n\t\t\t\treturn\n\t\t\t}\n")
	e.replace("findRunnable", "// We have nothing to do.\n", "if hkOn && hkQuickJump(pp) { goto top }\n\t// We have nothing to do.\n")
	e.replace("sysmon", "if debug.schedtrace <= 0 && (sched.gcwaiting", "if !hkOn && debug.schedtrace <= 0 && (sched.gcwaiting")
	e.replace("sysmon", "// retake P's blocked in syscalls", "hkSysmon()\n\t\t// retake P's blocked in syscalls")
	e.replace("sysmon", "if netpollinited() && lastpoll != 0 && lastpoll+10*1000*1000 < now {", "if !hkOn && netpollinited() && lastpoll != 0 && lastpoll+10*1000*1000 < now {")
	e.replace("sysmon", "if t := (gcTrigger{kind: gcTriggerTime, now: now}); t.test() && forcegc.idle.Load() {", "if t := (gcTrigger{kind: gcTriggerTime, now: now}); !hkOn && t.test() && forcegc.idle.Load() {")
}
