//go:build hocket_overlay

package syscall

import (
	"internal/race"
	"unsafe"
)

// The loopback in memory. Connections between goroutines of one process don't
// go through the kernel, which would decide when data arrives: a descriptor of
// each end is a real socket, but not connected, and what is written to it is in
// a buffer here. This file has the system calls, and decides which are about
// memory. All others, such as those of a child process that dials in, stay
// real: a listener is one for both.
//
// Options are set and read on the real sockets. Waiting, deadlines and closing
// are those of package internal/poll (see the runtime's hocket_net.go). One
// goroutine runs at a time, and is switched nowhere but at hkNetPoint.

//go:linkname hkNetUse runtime.hkNetUse
func hkNetUse(fd int, kind, rop uint8, r, w unsafe.Pointer)

//go:linkname hkNetAnswers runtime.hkNetAnswers
func hkNetAnswers(fd int)

//go:linkname hkNetControlled runtime.hkNetControlled
func hkNetControlled() bool

//go:linkname hkNetForked runtime.hkNetForked
func hkNetForked() bool

//go:linkname hkNetReady runtime.hkNetReady
func hkNetReady(fd int, mode int32)

//go:linkname hkNetPoint runtime.hkNetPoint
func hkNetPoint(op uint8, addr unsafe.Pointer)

//go:linkname hkDone runtime.hkDone
func hkDone(op uint8, addr unsafe.Pointer, val, aux uint64)

// hkSock is a socket of the program.
type hkSock struct {
	kind    uint8
	typ     int
	proto   int
	fds     []int // its descriptors
	local   hkAddr
	peer    hkAddr
	in, out *hkPipe   // of a connection; in alone, of a socket for datagrams
	waiting []*hkSock // of a listener: connections that nobody has accepted
	backlog int
	err     Errno // that the next call gets
	noRead  bool  // shut down by this end
	noWrite bool
	only6   bool // an address for all takes no IPv4
	copied  bool // another process may have a descriptor of it
}

// Kinds of sockets; package runtime has the same table.
const (
	hkNetNone    = iota
	hkNetInner   // a connection within the program
	hkNetServes  // a listener, or a socket for datagrams
	hkNetOutside // a connection with another process
)

var (
	hkSocks  []*hkSock // by descriptor
	hkServes []*hkSock // those to whom others can connect or send
)

func hkSockOf(fd int) *hkSock {
	if uint(fd) < uint(len(hkSocks)) {
		return hkSocks[fd]
	}
	return nil
}

// hkAdd gives a socket one more descriptor.
func (s *hkSock) hkAdd(fd int) {
	for fd >= len(hkSocks) {
		hkSocks = append(hkSocks, nil)
	}
	hkSocks[fd] = s
	s.fds = append(s.fds, fd)
	rop, r, w := uint8(hkOpNetRead), unsafe.Pointer(s.in), unsafe.Pointer(s.out)
	if s.in == nil {
		rop, r, w = hkOpNetAccept, unsafe.Pointer(s), unsafe.Pointer(s)
	} else if s.out == nil {
		w = unsafe.Pointer(s)
	}
	hkNetUse(fd, s.kind, rop, r, w)
}

// hkWake lets those who wait for the socket in a mode, 'r' or 'w', try again.
func (s *hkSock) hkWake(mode int32) {
	for _, fd := range s.fds {
		hkNetReady(fd, mode)
	}
}

// hkMemory is the socket of a connection in memory.
func hkMemory(fd int) *hkSock {
	if s := hkSockOf(fd); s != nil && s.kind == hkNetInner {
		return s
	}
	return nil
}

// hkEnds is the end of an operation; one that has to wait goes on later.
func hkEnds(op uint8, obj unsafe.Pointer, n int, e Errno) (int, error) {
	switch e {
	case 0:
		hkDone(op, obj, uint64(n), 0)
		return n, nil
	case EAGAIN:
		return -1, errnoErr(e)
	}
	hkDone(op, obj, uint64(-int64(e)), 0)
	return -1, errnoErr(e)
}

// hkDuplicated says that fd is a copy of old.
//
//go:linkname hkDuplicated
func hkDuplicated(old, fd int) {
	if s := hkSockOf(old); s != nil {
		s.copied = true
		s.hkAdd(fd)
	}
}

// hkReadAfter follows a read: one from memory was ordered after what it read.
func hkReadAfter(fd int) {
	if hkMemory(fd) == nil {
		race.Acquire(unsafe.Pointer(&ioSync))
	}
}

func Close(fd int) (err error) {
	if s := hkSockOf(fd); s != nil {
		s.hkDrop(fd)
	}
	return hkOrigClose(fd)
}

// hkDrop takes a descriptor from a socket, which is closed with its last.
func (s *hkSock) hkDrop(fd int) {
	hkSocks[fd] = nil
	hkNetUse(fd, hkNetNone, 0, nil, nil)
	for i, x := range s.fds {
		if x == fd {
			s.fds = append(s.fds[:i], s.fds[i+1:]...)
			break
		}
	}
	if len(s.fds) > 0 {
		return
	}
	n := 0
	for _, x := range hkServes { // not by append: the runtime would take it for an access of the program's
		if x != s {
			hkServes[n] = x
			n++
		}
	}
	hkServes = hkServes[:n]
	for _, c := range s.waiting {
		c.hkClose(true)
	}
	if s.kind == hkNetInner {
		s.hkClose(hkLingersNot(fd))
	}
}

// hkLingersNot says whether closing a connection resets it (SO_LINGER of 0).
func hkLingersNot(fd int) bool {
	var l Linger
	n := _Socklen(unsafe.Sizeof(l))
	err := getsockopt(fd, SOL_SOCKET, SO_LINGER, unsafe.Pointer(&l), &n)
	return err == nil && l.Onoff != 0 && l.Linger == 0
}

func Listen(s int, n int) (err error) {
	if err = hkOrigListen(s, n); err != nil || !hkNetControlled() {
		return err
	}
	l := hkSockOf(s)
	if l == nil {
		local, ok := hkLocal(s)
		if !ok {
			return nil
		}
		typ, _ := GetsockoptInt(s, SOL_SOCKET, SO_TYPE)
		l = &hkSock{kind: hkNetServes, typ: typ, local: local, only6: hkOnly6(s, &local)}
		l.hkAdd(s)
		hkServes = append(hkServes, l)
	}
	l.backlog = n
	return nil
}

func connect(s int, addr unsafe.Pointer, addrlen _Socklen) (err error) {
	if !hkNetControlled() {
		return hkOrigconnect(s, addr, addrlen)
	}
	to, ok := hkParseAddr(addr, int(addrlen))
	if c := hkSockOf(s); ok && c != nil && c.in != nil && c.out == nil {
		if err = hkOrigconnect(s, addr, addrlen); err == nil {
			c.hkConnected(s, to)
		}
		return err
	}
	if ok && hkMemory(s) != nil {
		return errnoErr(EISCONN)
	}
	typ, e := GetsockoptInt(s, SOL_SOCKET, SO_TYPE)
	if !ok || e != nil {
		return hkOrigconnect(s, addr, addrlen)
	}
	if typ == SOCK_DGRAM {
		return hkConnectDatagram(s, to, addr, addrlen)
	}
	if l := hkServer(&to, typ, nil); l != nil {
		return hkDial(s, l, to)
	}
	if to.hkWasOurs() {
		return errnoErr(ECONNREFUSED)
	}
	err = hkOrigconnect(s, addr, addrlen)
	if err == nil || err == EINPROGRESS {
		hkRemote(s)
	}
	return err
}

// hkRemote notes a connection with another process.
func hkRemote(fd int) {
	if hkSockOf(fd) == nil {
		s := &hkSock{kind: hkNetOutside}
		s.hkAdd(fd)
	}
}

func accept4(s int, rsa *RawSockaddrAny, addrlen *_Socklen, flags int) (fd int, err error) {
	l := hkSockOf(s)
	if l == nil || l.in != nil {
		return hkOrigaccept4(s, rsa, addrlen, flags)
	}
	hkNetPoint(hkOpNetAccept, unsafe.Pointer(l))
	e := Errno(0)
	if len(l.waiting) > 0 {
		fd, e = l.hkAccept(rsa, addrlen, flags)
	} else {
		if fd, err = hkOrigaccept4(s, rsa, addrlen, flags); err == nil {
			hkRemote(fd)
		} else {
			e = err.(Errno)
		}
	}
	if n, err := hkEnds(hkOpNetAccept, unsafe.Pointer(l), 1, e); err != nil {
		return n, err
	}
	return fd, nil
}

// hkAccept takes the first connection that waits.
func (l *hkSock) hkAccept(rsa *RawSockaddrAny, addrlen *_Socklen, flags int) (fd int, e Errno) {
	c := l.waiting[0]
	fd, err := socket(c.local.family, c.typ|flags&(SOCK_CLOEXEC|SOCK_NONBLOCK), c.proto)
	if err != nil {
		return -1, err.(Errno)
	}
	l.waiting = l.waiting[1:]
	c.hkAdd(fd)
	race.Acquire(unsafe.Pointer(c.in))
	c.peer.hkPut(rsa, addrlen)
	return fd, 0
}

func getsockname(fd int, rsa *RawSockaddrAny, addrlen *_Socklen) (err error) {
	if s := hkMemory(fd); s != nil {
		s.local.hkPut(rsa, addrlen)
		return nil
	}
	return hkOriggetsockname(fd, rsa, addrlen)
}

func getpeername(fd int, rsa *RawSockaddrAny, addrlen *_Socklen) (err error) {
	if s := hkMemory(fd); s != nil {
		s.peer.hkPut(rsa, addrlen)
		return nil
	}
	return hkOriggetpeername(fd, rsa, addrlen)
}

func Shutdown(fd int, how int) (err error) {
	if s := hkMemory(fd); s != nil {
		hkNetPoint(hkOpNetClose, unsafe.Pointer(s.out))
		_, err = hkEnds(hkOpNetClose, unsafe.Pointer(s.out), 0, s.hkShutdown(how))
		return err
	}
	return hkOrigShutdown(fd, how)
}

// getsockopt knows who has the other end: this process.
func getsockopt(s int, level int, name int, val unsafe.Pointer, vallen *_Socklen) (err error) {
	if level == SOL_SOCKET && name == SO_PEERCRED && *vallen >= SizeofUcred && hkMemory(s) != nil {
		*(*Ucred)(val) = Ucred{Pid: int32(Getpid()), Uid: uint32(Geteuid()), Gid: uint32(Getegid())}
		*vallen = SizeofUcred
		return nil
	}
	return hkOriggetsockopt(s, level, name, val, vallen)
}
