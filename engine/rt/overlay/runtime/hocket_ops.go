//go:build hocket_overlay

package runtime

// The table of engine/trace/op.go; a test keeps the two equal.
const (
	hkOpNone uint8 = iota
	hkOpSpawn
	hkOpStart
	hkOpEnd
	hkOpGosched
	hkOpBlock
	hkOpUnblock
	hkOpLock
	hkOpUnlock
	hkOpTryLock
	hkOpRLock
	hkOpRUnlock
	hkOpTryRLock
	hkOpWGAdd
	hkOpWGDone
	hkOpWGWait
	hkOpCondWait
	hkOpCondWake
	hkOpSignal
	hkOpBroadcast
	hkOpOnceDo
	hkOpMapRead
	hkOpMapWrite
	hkOpPoolGet
	hkOpPoolPut
	hkOpSend
	hkOpRecv
	hkOpClose
	hkOpSelect
	hkOpAtomicLoad
	hkOpAtomicStore
	hkOpAtomicRMW
	hkOpAtomicCAS
	hkOpRead
	hkOpWrite
	hkOpReadRange
	hkOpWriteRange
	hkOpSleep
	hkOpTimer
	hkOpSyscall
	hkOpTestFail
	hkOpPanic
	hkOpFatal
	hkOpExit
	hkOpPanicStart
	hkOpPending
	hkOpOnceLoad
	hkOpSelectCase
	hkOpChanLen
	hkOpAtomicOld
	hkOpCollect
	hkOpNetDial
	hkOpNetAccept
	hkOpNetRead
	hkOpNetWrite
	hkOpNetClose
	hkOpNetDeadline
	hkOpDelay
	hkOpTimerStop
)
