//go:build hocket_overlay

package syscall

import _ "unsafe"

//go:linkname hkMayBlock runtime.hkMayBlock
func hkMayBlock() bool

//go:linkname hkKilled runtime.hkKilled
func hkKilled()

//go:linkname hkReaped runtime.hkReaped
func hkReaped()

//go:linkname hkEntersyscallblock runtime.entersyscallblock
func hkEntersyscallblock()

// hkBlocks reports whether a system call waits for another process: it gives
// the processor away at once, however short it turns out. (Locks of files are
// none of these: who asks first must be first.)
//
//go:nosplit
func hkBlocks(trap uintptr) bool {
	return (trap == SYS_WAIT4 || trap == SYS_WAITID) && hkMayBlock()
}

// hkBeforeRaw precedes a system call of which the runtime knows nothing.
//
//go:nosplit
func hkBeforeRaw(trap uintptr) {
	if trap == SYS_KILL || trap == SYS_TGKILL || trap == SYS_TKILL {
		hkKilled()
	}
}

// hkAfter follows a system call; a4 is its fourth argument.
//
//go:nosplit
func hkAfter(trap, r1, a4 uintptr, err Errno) {
	if err == 0 && (trap == SYS_WAIT4 && int(r1) > 0 || trap == SYS_WAITID && a4&WNOWAIT == 0) {
		hkReaped()
	}
	const pidfdSendSignal = 424
	if trap == pidfdSendSignal {
		hkKilled()
	}
}
