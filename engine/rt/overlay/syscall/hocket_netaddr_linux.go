//go:build hocket_overlay

package syscall

import "unsafe"

// hkAddr is the address of a socket. IPv4 addresses are kept in the form that
// they have in IPv6.
type hkAddr struct {
	family   int // 0: none
	ip       [16]byte
	port     int
	zone     uint32
	path     string // of AF_UNIX; it begins with a 0 if it is no file, "" if there is none
	dev, ino uint64 // of the file
}

// hkParseAddr takes an address in the kernel's form.
func hkParseAddr(p unsafe.Pointer, n int) (a hkAddr, ok bool) {
	if p == nil || n < 2 {
		return a, false
	}
	a.family = int((*RawSockaddr)(p).Family)
	switch {
	case a.family == AF_INET && n >= SizeofSockaddrInet4:
		sa := (*RawSockaddrInet4)(p)
		a.port = hkSwap(sa.Port)
		a.ip[10], a.ip[11] = 0xff, 0xff
		copy(a.ip[12:], sa.Addr[:])
	case a.family == AF_INET6 && n >= SizeofSockaddrInet6:
		sa := (*RawSockaddrInet6)(p)
		a.port, a.ip, a.zone = hkSwap(sa.Port), sa.Addr, sa.Scope_id
	case a.family == AF_UNIX && n > 2:
		sa := (*RawSockaddrUnix)(p)
		raw := unsafe.Slice((*byte)(unsafe.Pointer(&sa.Path[0])), min(n-2, len(sa.Path)))
		for i, c := range raw {
			if c == 0 && i > 0 && raw[0] != 0 {
				raw = raw[:i]
				break
			}
		}
		a.path = string(raw)
		var st Stat_t
		if raw[0] != 0 && Stat(a.path, &st) == nil {
			a.dev, a.ino = st.Dev, st.Ino
		}
	case a.family != AF_UNIX:
		return a, false
	}
	return a, true
}

// hkPut writes an address where a caller of the kernel wants it.
func (a *hkAddr) hkPut(rsa *RawSockaddrAny, n *_Socklen) {
	if rsa == nil || n == nil {
		return
	}
	*rsa = RawSockaddrAny{}
	rsa.Addr.Family = uint16(a.family)
	switch a.family {
	case AF_INET:
		sa := (*RawSockaddrInet4)(unsafe.Pointer(rsa))
		sa.Port = uint16(hkSwap(uint16(a.port)))
		copy(sa.Addr[:], a.ip[12:])
		*n = SizeofSockaddrInet4
	case AF_INET6:
		sa := (*RawSockaddrInet6)(unsafe.Pointer(rsa))
		sa.Port, sa.Addr, sa.Scope_id = uint16(hkSwap(uint16(a.port))), a.ip, a.zone
		*n = SizeofSockaddrInet6
	case AF_UNIX:
		sa := (*RawSockaddrUnix)(unsafe.Pointer(rsa))
		for i := 0; i < len(a.path); i++ {
			sa.Path[i] = int8(a.path[i])
		}
		*n = _Socklen(2 + len(a.path))
	default:
		*n = 0
	}
}

func hkSwap(x uint16) int { return int(x>>8 | x<<8) }

// hkLocal asks the kernel for a descriptor's own address.
func hkLocal(fd int) (hkAddr, bool) {
	var rsa RawSockaddrAny
	n := _Socklen(SizeofSockaddrAny)
	if hkOriggetsockname(fd, &rsa, &n) != nil {
		return hkAddr{}, false
	}
	return hkParseAddr(unsafe.Pointer(&rsa), int(n))
}

func (a *hkAddr) hkInet() bool { return a.family == AF_INET || a.family == AF_INET6 }
func (a *hkAddr) hkV4() bool   { return [12]byte(a.ip[:12]) == [12]byte{10: 0xff, 11: 0xff} }
func (a *hkAddr) hkWildcard() bool {
	return a.ip == [16]byte{} || a.hkV4() && [4]byte(a.ip[12:]) == [4]byte{}
}

// hkLoopback reports whether only this machine can be meant.
func (a *hkAddr) hkLoopback() bool {
	return a.hkV4() && a.ip[12] == 127 || a.ip == [16]byte{15: 1} || a.hkWildcard()
}

// hkTakes reports how well a socket's own address fits what others send to: 0
// not at all, 2 exactly.
func (s *hkSock) hkTakes(to *hkAddr) int {
	a := &s.local
	if a.family == AF_UNIX || to.family == AF_UNIX {
		if a.family == to.family && (a.ino != 0 && a.ino == to.ino && a.dev == to.dev || a.ino == 0 && a.path != "" && a.path == to.path) {
			return 2
		}
		return 0
	}
	switch {
	case a.port != to.port || a.port == 0:
		return 0
	case a.ip == to.ip:
		return 2
	case !a.hkWildcard() || !to.hkLoopback() || to.hkV4() && a.family == AF_INET6 && s.only6 || !to.hkV4() && a.family == AF_INET:
		return 0
	}
	return 1
}

// hkServer finds who takes what is sent to an address: a listener, or a socket
// for datagrams, which may be connected to another than from.
func hkServer(to *hkAddr, typ int, from *hkAddr) (best *hkSock) {
	fit := 0
	for i := len(hkServes) - 1; i >= 0; i-- {
		s := hkServes[i]
		f := s.hkTakes(to)
		if f == 0 || s.typ != typ || s.copied && hkNetForked() {
			continue // it may be for another process
		}
		if s.peer.family != 0 {
			if from == nil || s.peer.port != from.port || s.peer.ip != from.ip || s.peer.path != from.path {
				continue
			}
			f = 3
		}
		if f > fit {
			best, fit = s, f
		}
	}
	return best
}

// hkSource is the address that somebody bound to a has when he sends to another.
func (a *hkAddr) hkSource(to *hkAddr) hkAddr {
	from := *a
	if a.family == AF_UNIX || !a.hkWildcard() {
		return from
	}
	from.ip = to.ip
	if to.hkV4() && to.hkLoopback() {
		from.ip = [16]byte{10: 0xff, 11: 0xff, 12: 127, 15: 1}
	} else if to.hkLoopback() {
		from.ip = [16]byte{15: 1}
	}
	return from
}

// Port numbers don't depend on what else runs on the machine if that can be.
var (
	hkBindPort = 20170 // the next that a socket gets that asks for none
	hkDialPort = 50000 // the last that a connection in memory got
	hkHadPorts []int   // those that sockets got that asked for none
)

// hkWasOurs reports whether an address has a port that a socket of this process got and
// that nobody serves any more. Another process could do so that was told of it, by
// starting it; else it is another run of the program, which got the same number.
func (a *hkAddr) hkWasOurs() bool {
	if !a.hkInet() || !a.hkLoopback() || hkNetForked() {
		return false
	}
	for _, port := range hkHadPorts {
		if port == a.port {
			return true
		}
	}
	return false
}

// hkBindFree binds a socket to an address with a free port.
func hkBindFree(s int, to hkAddr) (err error) {
	var rsa RawSockaddrAny
	var n _Socklen
	reuse, _ := GetsockoptInt(s, SOL_SOCKET, SO_REUSEADDR)
	SetsockoptInt(s, SOL_SOCKET, SO_REUSEADDR, 0) // a port that another process is about to use is not free
	for range 200 {
		to.port = hkBindPort
		hkBindPort++
		to.hkPut(&rsa, &n)
		if err = hkOrigbind(s, unsafe.Pointer(&rsa), n); err != EADDRINUSE {
			break
		}
	}
	if err == EADDRINUSE {
		to.port = 0
		to.hkPut(&rsa, &n)
		err = hkOrigbind(s, unsafe.Pointer(&rsa), n)
	}
	if err == nil {
		hkHadPorts = append(hkHadPorts, to.port)
	}
	SetsockoptInt(s, SOL_SOCKET, SO_REUSEADDR, reuse)
	return err
}
