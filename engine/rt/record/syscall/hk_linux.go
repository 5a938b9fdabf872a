//go:build hocket_overlay

package syscall

import (
	"sync"
	"unsafe"
)

//go:linkname hkMode runtime.hkMode
var hkMode uint32

// hkConnects orders connections: a listener of the same program accepts them as they
// were made.
var hkConnects sync.Mutex

func connect(s int, addr unsafe.Pointer, addrlen _Socklen) (err error) {
	hkConnects.Lock()
	err = hkOrigconnect(s, addr, addrlen)
	if err == EINPROGRESS && hkMode != 0 && hkLoopback(addr, addrlen) {
		err = hkConnected(s)
	}
	hkConnects.Unlock()
	return err
}

// hkLoopback reports whether an address is of this machine. Whether a connection to it
// is made at once is chance, and package net does other operations if it is not.
func hkLoopback(addr unsafe.Pointer, addrlen _Socklen) bool {
	switch {
	case addrlen >= SizeofSockaddrInet4 && (*RawSockaddr)(addr).Family == AF_INET:
		return (*RawSockaddrInet4)(addr).Addr[0] == 127
	case addrlen >= SizeofSockaddrInet6 && (*RawSockaddr)(addr).Family == AF_INET6:
		a := &(*RawSockaddrInet6)(addr).Addr
		return *a == [16]byte{15: 1} || [12]byte(a[:12]) == [12]byte{10: 0xff, 11: 0xff} && a[12] == 127
	}
	return false
}

// hkConnected waits until a connection is made, but not long: the listener may have no
// room for it.
func hkConnected(s int) error {
	const pollOut = 4
	p := struct {
		fd              int32
		events, revents int16
	}{int32(s), pollOut, 0}
	limit := Timespec{Nsec: 100e6}
	n, _, _ := Syscall6(SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if n != 1 {
		return EINPROGRESS
	}
	if v, err := GetsockoptInt(s, SOL_SOCKET, SO_ERROR); err != nil || v != 0 {
		if err == nil {
			err = Errno(v)
		}
		return err
	}
	return nil
}
