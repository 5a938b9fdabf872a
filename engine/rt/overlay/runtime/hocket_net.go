//go:build hocket_overlay

package runtime

import "unsafe"

// The network within the program. Package syscall keeps connections between
// goroutines of one process in memory (its hocket_net_linux.go); here are the
// descriptors that it has told of, so that waiting works as for any other: in
// package internal/poll, for what the poller reports, with deadlines. Each call
// on such a descriptor is one operation, which a wait does not split.

// hkFD is a descriptor of a socket.
type hkFD struct {
	pd   uintptr // its *pollDesc, 0 before there is one
	r, w uintptr // the objects that it is read from and written to
	rop  uint8   // the operation that reads: a read, or an accept
	kind uint8
}

// Kinds of sockets; package syscall has the same table.
const (
	hkNetNone    = iota // none that is known
	hkNetInner          // a connection within the program
	hkNetServes         // a listener, or a socket for datagrams: others could send to it
	hkNetOutside        // a connection with another process
	hkNetKinds
)

const hkFDMax = 1 << 16

var (
	hkFDs  *[hkFDMax]hkFD    // nil as long as there is no socket
	hkWait [hkNetKinds]int32 // goroutines that wait, by the kind of the socket
)

func hkFDOf(fd uintptr) *hkFD {
	if hkFDs == nil || fd >= hkFDMax || hkFDs[fd].kind == hkNetNone {
		return nil
	}
	return &hkFDs[fd]
}

// hkNetUse says what a descriptor is from now on, before it is polled.
//
//go:linkname hkNetUse
func hkNetUse(fd int, kind, rop uint8, r, w unsafe.Pointer) {
	if hkFDs == nil && kind != hkNetNone {
		hkFDs = (*[hkFDMax]hkFD)(hkSysAlloc(hkFDMax * unsafe.Sizeof(hkFD{})))
	}
	if hkFDs != nil && uint(fd) < hkFDMax {
		hkFDs[fd] = hkFD{r: uintptr(r), w: uintptr(w), rop: rop, kind: kind}
	}
}

// hkNetAnswers says that another process may answer to what was sent from a
// socket for datagrams.
//
//go:linkname hkNetAnswers
func hkNetAnswers(fd int) {
	if f := hkFDOf(uintptr(fd)); f != nil {
		f.kind = hkNetOutside
	}
}

// hkNetControlled says whether connections within the program stay in it.
//
//go:linkname hkNetControlled
func hkNetControlled() bool { return hkOn }

// hkNetForked says whether another process may have the program's descriptors.
//
//go:linkname hkNetForked
func hkNetForked() bool { return hkForks }

// hkNetOpens is told of a descriptor that is about to be registered with the
// poller: true if it need not be, since all that ever happens to it happens in
// memory.
func hkNetOpens(pd *pollDesc) bool {
	f := hkFDOf(pd.fd)
	if f == nil {
		return false
	}
	f.pd = uintptr(unsafe.Pointer(pd))
	if f.kind != hkNetInner {
		return false
	}
	pd.wg.Store(pdReady) // there is room for what is written first
	return true
}

// hkNetReady wakes the goroutine that waits for a descriptor in a mode, 'r' or
// 'w', to try again.
//
//go:linkname hkNetReady
func hkNetReady(fd int, mode int32) {
	f := hkFDOf(uintptr(fd))
	if f == nil || f.pd == 0 {
		return
	}
	delta := int32(0)
	if gp := netpollunblock((*pollDesc)(unsafe.Pointer(f.pd)), mode, true, &delta); gp != nil {
		netpollgoready(gp, 0)
	}
	netpollAdjustWaiters(delta)
}

// hkNetPoint is the switch point before a network operation, which is not over
// while its goroutine waits.
//
//go:linkname hkNetPoint
func hkNetPoint(op uint8, addr unsafe.Pointer) {
	if gp := hkUser(); gp != nil && (gp.hk.op != op || gp.hk.addr != uintptr(addr)) {
		hkPoint(op, addr)
	}
}

// hkNetOp is what goroutines do with a descriptor in a mode, and the object.
func (f *hkFD) hkNetOp(mode int) (op uint8, obj unsafe.Pointer) {
	if mode == 'w' {
		return hkOpNetWrite, unsafe.Pointer(f.w)
	}
	return f.rop, unsafe.Pointer(f.r)
}

// poll_runtime_pollReset begins an operation. One that can't even be tried, for
// its deadline has passed, is an operation too.
func poll_runtime_pollReset(pd *pollDesc, mode int) int {
	f := hkFDOf(pd.fd)
	if f == nil {
		return hkOrigpoll_runtime_pollReset(pd, mode)
	}
	if gp := hkUser(); gp != nil && gp.hk.op >= hkOpNetDial && gp.hk.op <= hkOpNetDeadline {
		gp.hk.op = 0 // one that would have waited, and was not wanted then
	}
	err := hkOrigpoll_runtime_pollReset(pd, mode)
	if err == pollNoError || f.kind == hkNetOutside {
		return err
	}
	op, obj := f.hkNetOp(mode)
	hkPoint(op, obj)
	err = hkOrigpoll_runtime_pollReset(pd, mode)
	hkNetFails(op, obj, err)
	return err
}

// poll_runtime_pollWait waits in an operation, and ends it if it fails so.
func poll_runtime_pollWait(pd *pollDesc, mode int) int {
	f := hkFDOf(pd.fd)
	if f == nil {
		return hkOrigpoll_runtime_pollWait(pd, mode)
	}
	kind := f.kind
	hkWait[kind]++
	err := hkOrigpoll_runtime_pollWait(pd, mode)
	hkWait[kind]--
	if err != pollNoError && kind != hkNetOutside {
		op, obj := f.hkNetOp(mode)
		hkNetFails(op, obj, err)
	}
	return err
}

// hkNetFails ends an operation after the one that closed the descriptor or set
// its deadline.
func hkNetFails(op uint8, obj unsafe.Pointer, err int) {
	raceacquire(obj)
	hkDone(op, obj, uint64(-err), 0)
}

// hkNetChanges precedes what makes operations on a descriptor fail: op sets a
// deadline, or closes it.
func hkNetChanges(pd *pollDesc, op uint8) {
	f := hkFDOf(pd.fd)
	if f == nil || f.kind == hkNetOutside {
		return
	}
	hkPoint(op, unsafe.Pointer(f.r))
	racereleasemerge(unsafe.Pointer(f.r))
	racereleasemerge(unsafe.Pointer(f.w))
	hkDone(op, unsafe.Pointer(f.r), 0, 0)
}

// hkPolled reports whether goroutines wait for what only the poller can tell:
// not those at connections within the program, and not those who serve while
// there is no other process to call them.
func hkPolled() bool {
	inner := hkWait[hkNetInner]
	if hkKids == 0 {
		inner += hkWait[hkNetServes]
	}
	return int32(netpollWaiters.Load()) > inner
}
