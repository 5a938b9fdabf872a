package trace

import "fmt"

var opNames = [NumOps]string{
	OpNone: "none", OpSpawn: "go", OpStart: "start", OpEnd: "end", OpGosched: "gosched",
	OpBlock: "block", OpUnblock: "unblock",
	OpLock: "lock", OpUnlock: "unlock", OpTryLock: "trylock",
	OpRLock: "rlock", OpRUnlock: "runlock", OpTryRLock: "tryrlock",
	OpWGAdd: "wg-add", OpWGDone: "wg-done", OpWGWait: "wg-wait",
	OpCondWait: "cond-wait", OpCondWake: "cond-wake", OpSignal: "signal", OpBroadcast: "broadcast",
	OpOnceDo: "once", OpMapRead: "map-read", OpMapWrite: "map-write", OpPoolGet: "pool-get", OpPoolPut: "pool-put",
	OpSend: "send", OpRecv: "recv", OpClose: "close", OpSelect: "select",
	OpAtomicLoad: "atomic-load", OpAtomicStore: "atomic-store", OpAtomicRMW: "atomic-add", OpAtomicCAS: "atomic-cas",
	OpRead: "read", OpWrite: "write", OpReadRange: "read-range", OpWriteRange: "write-range",
	OpSleep: "sleep", OpTimer: "timer", OpSyscall: "syscall",
	OpTestFail: "test-fail", OpPanic: "panic", OpFatal: "fatal", OpExit: "exit", OpPanicStart: "panic-start", OpPending: "pending",
	OpOnceLoad: "once-load", OpSelectCase: "select-case", OpChanLen: "chan-len", OpAtomicOld: "atomic-old", OpCollect: "collect",
	OpNetDial: "net-dial", OpNetAccept: "net-accept", OpNetRead: "net-read", OpNetWrite: "net-write", OpNetClose: "net-close",
	OpNetDeadline: "net-deadline",
	OpDelay:       "delay", OpTimerStop: "timer-stop",
}

// String returns the operation's name, as it is printed and stored in
// documents.
func (o Op) String() string {
	if o < NumOps {
		return opNames[o]
	}
	return fmt.Sprintf("op(%d)", uint8(o))
}
