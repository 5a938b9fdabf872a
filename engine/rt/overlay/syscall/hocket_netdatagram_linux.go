//go:build hocket_overlay

package syscall

import "unsafe"

// Sockets for datagrams: UDP and unixgram. Each is bound in the kernel too, and
// takes what other processes send.

func bind(s int, addr unsafe.Pointer, addrlen _Socklen) (err error) {
	if !hkNetControlled() {
		return hkOrigbind(s, addr, addrlen)
	}
	if a, ok := hkParseAddr(addr, int(addrlen)); ok && a.hkInet() && a.port == 0 {
		err = hkBindFree(s, a)
	} else {
		err = hkOrigbind(s, addr, addrlen)
	}
	if typ, e := GetsockoptInt(s, SOL_SOCKET, SO_TYPE); err == nil && e == nil && typ == SOCK_DGRAM {
		hkBound(s)
	}
	return err
}

// hkBound notes a socket for datagrams.
func hkBound(fd int) *hkSock {
	local, ok := hkLocal(fd)
	if !ok && local.family != AF_UNIX {
		return nil
	}
	s := &hkSock{kind: hkNetServes, typ: SOCK_DGRAM, local: local, in: &hkPipe{max: hkRoomUDP}}
	s.only6 = hkOnly6(fd, &local)
	s.in.to = s
	s.hkAdd(fd)
	hkServes = append(hkServes, s)
	return s
}

func hkOnly6(fd int, local *hkAddr) bool {
	if local.family != AF_INET6 {
		return false
	}
	v, err := GetsockoptInt(fd, IPPROTO_IPV6, IPV6_V6ONLY)
	return err == nil && v != 0
}

// hkConnectDatagram connects a descriptor that was not bound.
func hkConnectDatagram(fd int, to hkAddr, addr unsafe.Pointer, addrlen _Socklen) error {
	if to.hkInet() && to.hkLoopback() {
		if err := hkBindFree(fd, hkAddr{family: to.family, ip: (&hkAddr{family: to.family}).hkSource(&to).ip}); err != nil {
			return err
		}
	}
	err := hkOrigconnect(fd, addr, addrlen)
	if err != nil {
		return err
	}
	if s := hkBound(fd); s != nil {
		s.hkConnected(fd, to)
	}
	return nil
}

// hkConnected notes whom a socket for datagrams sends to.
func (s *hkSock) hkConnected(fd int, to hkAddr) {
	s.peer = to
	if local, ok := hkLocal(fd); ok {
		s.local = local
	}
}

// hkSendTo sends a datagram. What is too many for the receiver is lost, as in
// the kernel, or waits if they are sockets of files.
func (s *hkSock) hkSendTo(bufs [][]byte, control []byte, dest *hkAddr, real func() (int, error)) (n int, err error) {
	if dest == nil {
		dest = &s.peer
	}
	total := 0
	for _, p := range bufs {
		total += len(p)
	}
	const most = 65507
	from := s.local.hkSource(dest)
	to := hkServer(dest, SOCK_DGRAM, &from)
	if to == nil || total > most {
		return s.hkSendOut(real)
	}
	b := to.in
	hkNetPoint(hkOpNetWrite, unsafe.Pointer(b))
	if len(to.fds) == 0 {
		return s.hkSendOut(real) // closed meanwhile
	}
	if from.family = to.local.family; s.hkUnix() && from.path == "" {
		from.family = 0
	}
	n, e := b.hkPutMsg(bufs, hkCopyRights(control), from, false)
	switch {
	case e == EAGAIN && s.hkUnix():
		b.from = append(b.from, s)
	case e == EAGAIN:
		n, e, b.full = total, 0, false
	}
	return hkEnds(hkOpNetWrite, unsafe.Pointer(b), n, e)
}

// hkSendOut sends what nobody in the program receives.
func (s *hkSock) hkSendOut(real func() (int, error)) (int, error) {
	n, err := real()
	if err == nil {
		for _, fd := range s.fds {
			hkNetAnswers(fd)
		}
	}
	return n, err
}
