package instrument

// recordEdits lists what a recording build changes in the Go distribution's own
// files, by path below GOROOT/src. The functions named hk... are in engine/rt/record.
func recordEdits() map[string]func(*sourceEdit) {
	return map[string]func(*sourceEdit){
		"runtime/runtime2.go": func(e *sourceEdit) {
			e.field("g", "hk hkG")
			e.field("m", "hkTimer uintptr // that starts goroutines now")
		},
		"runtime/proc.go": func(e *sourceEdit) {
			e.replace("newproc1", "\tif isSystemGoroutine(newg, false) {", "\thkSystem := isSystemGoroutine(newg, false)\n\tif hkSystem {")
			e.replace("newproc1", "newg.goid = pp.goidcache", "newg.goid = pp.goidcache; hkBorn(newg, callergp, hkSystem)")
			e.replace("main", "\tdoInit(runtime_inittasks)", "\thkStartWatch()\n\tdoInit(runtime_inittasks)")
			e.replace("main", "\tgcenable()\n", "\tgcenable()\n\thkMainBegins()\n")
			e.replace("main", "\tfn()\n", "\tfn()\n\thkExit(0)\n")
			e.start("os_beforeExit", "hkExit(int32(exitCode))")
			e.replace("checkdead", "\tgrunning := 0\n", "\tif hkStuck() { return }\n\tgrunning := 0\n")
		},
		"runtime/rand.go": func(e *sourceEdit) {
			e.start("randinit", "hkInit()")
			e.replace("randinit", "globalRand.state.Init(*seed)", "hkSeedAll(seed); globalRand.state.Init(*seed)")
			e.start("rand", "if v, ok := hkRand(); ok { return v }")
		},
		"runtime/chan.go":   recordChan,
		"runtime/select.go": recordSelect,
		"runtime/sema.go": func(e *sourceEdit) {
			for _, f := range []string{"notifyListNotifyOne", "notifyListNotifyAll"} {
				e.replace(f, "if l.wait.Load() == atomic.Load(&l.notify) {", "if hkMode == 0 && l.wait.Load() == atomic.Load(&l.notify) {")
				e.replace(f, "lockWithRank(&l.lock, lockRankNotifyList)", "hkCondLock(l)")
			}
			e.replace("notifyListAdd", "return l.wait.Add(1) - 1", "return hkCondAdd(l)")
		},
		"runtime/mgc.go": func(e *sourceEdit) {
			e.rename("gcBgMarkStartWorkers")
		},
		"runtime/time.go": func(e *sourceEdit) {
			e.field("timer", "hk hkTimer")
			e.rename("stopTimer", "resetTimer")
			e.replace("newTimer", "t.timer.init(nil, nil)", "t.timer.init(nil, nil); hkTimerMade(&t.timer)")
			e.replace("timer.unlockAndRun", "\tf(arg, seq, delay)\n", "\thkTimerRuns(t); f(arg, seq, delay); hkTimerRuns(nil)\n")
		},
		"time/time.go": func(e *sourceEdit) {
			e.text("startNano int64 = runtimeNano() - 1", "startNano int64 = hkNano() - 1")
			e.replace("Now", "runtimeNow()", "hkNow()")
			e.replace("Since", "runtimeNano()", "hkNano()")
			e.replace("Until", "runtimeNano()", "hkNano()")
		},
		"time/sleep.go": func(e *sourceEdit) {
			e.replace("when", "return runtimeNano()", "return hkWhen(0)")
			e.replace("when", "runtimeNano() + int64(d)", "hkWhen(int64(d))")
			e.replace("sendTime", "Duration(-delta)", "Duration(-hkLate(delta))")
		},
		"context/context.go": func(e *sourceEdit) {
			e.text("children map[canceler]struct{} // set to nil", "children map[canceler]uint64; hkSeq uint64 // set to nil")
			e.replace("cancelCtx.propagateCancel", "p.children = make(map[canceler]struct{})", "p.children = make(map[canceler]uint64)")
			e.replace("cancelCtx.propagateCancel", "p.children[child] = struct{}{}", "p.hkSeq++; p.children[child] = p.hkSeq")
			e.replace("cancelCtx.cancel", "for child := range c.children {", "for _, child := range hkInOrder(c.children) {")
		},
		"net/http/server.go": func(e *sourceEdit) {
			e.field("Server", "hkSeq uint64")
			e.field("conn", "hkSeq uint64")
			e.replace("Server.trackConn", "s.activeConn[c] = struct{}{}", "s.hkSeq++; c.hkSeq = s.hkSeq; s.activeConn[c] = struct{}{}")
			e.replace("Server.Close", "for c := range s.activeConn {", "for _, c := range hkInOrder(s.activeConn) {")
			e.replace("Server.closeIdleConns", "for c := range s.activeConn {", "for _, c := range hkInOrder(s.activeConn) {")
		},
		"net/http/httptest/server.go": func(e *sourceEdit) {
			e.field("Server", "hkConns []net.Conn")
			e.replace("Server.Close", "for c, st := range s.conns {", "for _, c := range s.hkInOrder() { st := s.conns[c]")
			e.replace("Server.CloseClientConnections", "for c := range s.conns {", "for _, c := range s.hkInOrder() {")
			e.replace("Server.wrap", "s.wg.Add(1)", "s.wg.Add(1); s.hkAdd(c)")
		},
		"internal/poll/fd_mutex.go": func(e *sourceEdit) {
			e.field("fdMutex", "hk hkStripe")
			e.rename("fdMutex.incref", "fdMutex.increfAndClose", "fdMutex.rwlock")
		},
		"internal/poll/fd_poll_runtime.go": func(e *sourceEdit) {
			e.rename("pollDesc.prepare", "pollDesc.wait")
		},
		"internal/poll/fd_unix.go": func(e *sourceEdit) {
			e.replace("FD.Read", "\tfor {\n", "\tif n, err, done := fd.hkRead(p); done { return n, err }\n\tfor {\n")
			e.replace("FD.Read", "\t\terr = fd.eofError(n, err)\n", "\t\tfd.hkReadDone(n, len(p), err)\n\t\terr = fd.eofError(n, err)\n")
		},
		"syscall/zsyscall_linux_amd64.go": recordConnect,
		"syscall/zsyscall_linux_arm64.go": recordConnect,
		"sync/mutex.go": func(e *sourceEdit) {
			e.field("Mutex", "hk hkObj")
			e.rename("Mutex.Lock", "Mutex.TryLock")
		},
		"sync/rwmutex.go": func(e *sourceEdit) {
			e.rename("RWMutex.Lock", "RWMutex.TryLock", "RWMutex.RLock", "RWMutex.TryRLock")
			e.replace("RWMutex.RLock", "if rw.readerCount.Add(1) < 0 {", "if n, unlocks := rw.hkReads(); n < 0 {")
			e.replace("RWMutex.RLock", "runtime_SemacquireRWMutexR(&rw.readerSem, false, 0)", "rw.hkReadTurn(unlocks)")
			e.replace("RWMutex.Unlock", "rw.readerCount.Add(rwmutexMaxReaders)", "rw.hkUnlocks()")
			e.replace("RWMutex.Lock", "rw.w.Lock()", "rw.w.mu.Lock()")
			e.replace("RWMutex.Lock", "rw.readerCount.Add(-rwmutexMaxReaders)", "rw.hkWrites()")
			e.replace("RWMutex.TryLock", "rw.w.TryLock()", "rw.w.mu.TryLock()")
		},
		"sync/once.go": func(e *sourceEdit) {
			e.rename("Once.Do")
		},
		"sync/waitgroup.go": func(e *sourceEdit) {
			e.rename("WaitGroup.Add", "WaitGroup.Wait")
			e.replace("WaitGroup.Add", "wg.state.Add(uint64(delta) << 32)", "wg.hkAdd(uint64(delta) << 32)")
		},
		"sync/pool.go": func(e *sourceEdit) {
			e.field("Pool", "hk hkPool")
			e.rename("Pool.Get", "Pool.Put")
			e.replace("Pool.pinSlow", "allPoolsMu.Lock()", "allPoolsMu.mu.Lock()")
		},
		"sync/map.go": func(e *sourceEdit) {
			e.field("Map", "hk hkMap")
			e.rename("Map.Load", "Map.Store", "Map.Clear", "Map.LoadOrStore", "Map.LoadAndDelete", "Map.Delete",
				"Map.Swap", "Map.CompareAndSwap", "Map.CompareAndDelete", "Map.Range")
		},
		"sync/atomic/value.go": func(e *sourceEdit) {
			e.field("Value", "hk hkStripe")
			e.rename("Value.Load", "Value.Store", "Value.Swap", "Value.CompareAndSwap")
		},
	}
}

func recordConnect(e *sourceEdit) { e.rename("connect") }

// recordChan: an operation takes effect where the channel is locked. One that does
// not wait has its failure recorded, and is sure to find what it found.
func recordChan(e *sourceEdit) {
	e.field("hchan", "hk hkObj")
	const bubble = "if c.bubble != nil && getg().bubble != c.bubble {"
	gate := func(kind, failed string) string {
		return "if hkFollows { switch do, _ := hkGate(" + kind + "); do { case hkFail: " + failed + "; case hkGo: block = true } }\n\t" + bubble
	}
	e.replace("chansend", bubble, gate("hkKindSend", "return false"))
	e.replace("chansend", "\tif !block && c.closed == 0 && full(c) {\n", "\tif !block && c.closed == 0 && full(c) {\n\t\thkFailed(hkKindSend)\n")
	e.replace("chansend", "\tlock(&c.lock)\n", "\tlock(&c.lock)\n\tif !hkAgain(&c.hk) {\n\t\thkTook(&c.hk, hkKindSend)\n\t}\n")
	e.replace("chansend", "\tif !block {\n\t\tunlock(&c.lock)\n\t\treturn false\n", "\tif !block {\n\t\thkFailedDid(hkKindSend)\n\t\tunlock(&c.lock)\n\t\treturn false\n")

	e.replace("chanrecv", bubble, gate("hkKindRecv", "return false, false"))
	e.replace("chanrecv", "\t\t\treturn\n\t\t}\n\t\t// The channel is irreversibly closed. Re-check", "\t\t\thkFailed(hkKindRecv)\n\t\t\treturn\n\t\t}\n\t\t// The channel is irreversibly closed. Re-check")
	e.replace("chanrecv", "\t\tif empty(c) {", "\t\tif hkMode == 0 && empty(c) {")
	e.replace("chanrecv", "\tlock(&c.lock)\n", "\tlock(&c.lock)\n\tif !hkAgain(&c.hk) {\n\t\thkTook(&c.hk, hkKindRecv)\n\t}\n")
	e.replace("chanrecv", "\tif !block {\n\t\tunlock(&c.lock)\n\t\treturn false, false\n", "\tif !block {\n\t\thkFailedDid(hkKindRecv)\n\t\tunlock(&c.lock)\n\t\treturn false, false\n")

	e.replace("closechan", bubble, "hkGate(hkKindClose)\n\t"+bubble)
	e.replace("closechan", "\tlock(&c.lock)\n", "\tlock(&c.lock)\n\thkDid(&c.hk, hkKindClose)\n")
	e.replace("chanlen", "\treturn int(c.qcount)\n", "\tif hkMode != 0 { return hkChanLen(c) }\n\treturn int(c.qcount)\n")
}

// recordSelect: a select is one operation on all of its channels. Its case is
// recorded where it had slept: who woke it, the channels' orders don't say.
func recordSelect(e *sourceEdit) {
	e.replace("selectgo", "\tnorder := 0\n", `	norder := 0
	if hkFollows {
		switch do, casi := hkGate(hkKindSelect); do {
		case hkFail:
			return -1, false
		case hkChosen:
			for i := range scases {
				if i != int(casi) {
					scases[i].c = nil
				}
			}
			block = true
		case hkGo:
			block = true
		}
	}
	hkSlept := false
`)
	e.replace("selectgo", "cheaprandn(uint32(norder + 1))", "hkDraw(uint32(norder + 1))")
	e.replace("selectgo", "\tsellock(scases, lockorder)\n\n\tvar (", "\tsellock(scases, lockorder)\n\thkSelDid(scases, lockorder)\n\n\tvar (")
	e.replace("selectgo", "\tif !block {\n\t\tselunlock(scases, lockorder)\n", "\tif !block {\n\t\thkFailedDid(hkKindSelect)\n\t\tselunlock(scases, lockorder)\n")
	e.replace("selectgo", "\tgp.activeStackChans = false\n", "\tgp.activeStackChans = false\n\thkSlept = true\n")
	e.replace("selectgo", "\treturn casi, recvOK\n", "\tif casi >= 0 { hkSelChose(scases, hkSlept, casi) }\n\treturn casi, recvOK\n")
	e.replace("selectgo", "sclose:\n\t// send on closed channel\n", "sclose:\n\thkSelChose(scases, hkSlept, casi)\n")
}
