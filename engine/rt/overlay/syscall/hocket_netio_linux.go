//go:build hocket_overlay

package syscall

import "unsafe"

// The system calls that read and write, whatever form the data has.

func read(fd int, p []byte) (n int, err error) {
	if s := hkReads(fd); s != nil {
		n, _, _, err = s.hkReceive([][]byte{p}, 0, func() (int, error) { return hkOrigread(fd, p) })
		return n, err
	}
	return hkOrigread(fd, p)
}

func write(fd int, p []byte) (n int, err error) {
	if s := hkReads(fd); s != nil {
		return s.hkSend([][]byte{p}, nil, nil, func() (int, error) { return hkOrigwrite(fd, p) })
	}
	return hkOrigwrite(fd, p)
}

// hkReads is the socket of a descriptor that data in memory may come to.
func hkReads(fd int) *hkSock {
	if s := hkSockOf(fd); s != nil && s.in != nil {
		return s
	}
	return nil
}

// hkWritev is writev of package internal/poll, if the descriptor is a socket in
// memory.
//
//go:linkname hkWritev
func hkWritev(fd int, iovecs []Iovec) (n int, err error, ok bool) {
	if s := hkMemory(fd); s != nil {
		n, err = s.hkSend(hkVectors(&iovecs[0], len(iovecs)), nil, nil, nil)
		return n, err, true
	}
	return 0, nil, false
}

func hkVectors(iov *Iovec, n int) [][]byte {
	var bufs [][]byte
	for _, v := range unsafe.Slice(iov, n) {
		if v.Len > 0 {
			bufs = append(bufs, unsafe.Slice(v.Base, int(v.Len)))
		}
	}
	return bufs
}

func recvfrom(fd int, p []byte, flags int, from *RawSockaddrAny, fromlen *_Socklen) (n int, err error) {
	s := hkReads(fd)
	if s == nil {
		return hkOrigrecvfrom(fd, p, flags, from, fromlen)
	}
	n, m, _, err := s.hkReceive([][]byte{p}, flags, func() (int, error) { return hkOrigrecvfrom(fd, p, flags, from, fromlen) })
	if m != nil {
		m.from.hkPut(from, fromlen)
	}
	return n, err
}

func sendto(s int, buf []byte, flags int, to unsafe.Pointer, addrlen _Socklen) (err error) {
	c := hkReads(s)
	if c == nil {
		return hkOrigsendto(s, buf, flags, to, addrlen)
	}
	var dest *hkAddr
	if a, ok := hkParseAddr(to, int(addrlen)); ok {
		dest = &a
	}
	_, err = c.hkSend([][]byte{buf}, nil, dest, func() (int, error) { return len(buf), hkOrigsendto(s, buf, flags, to, addrlen) })
	return err
}

func recvmsg(s int, msg *Msghdr, flags int) (n int, err error) {
	c := hkReads(s)
	if c == nil {
		return hkOrigrecvmsg(s, msg, flags)
	}
	n, m, cut, err := c.hkReceive(hkVectors(msg.Iov, int(msg.Iovlen)), flags, func() (int, error) { return hkOrigrecvmsg(s, msg, flags) })
	if m == nil {
		return n, err
	}
	msg.Flags = int32(cut)
	if msg.Name != nil && c.typ == SOCK_DGRAM {
		m.from.hkPut((*RawSockaddrAny)(unsafe.Pointer(msg.Name)), (*_Socklen)(&msg.Namelen))
	} else {
		msg.Namelen = 0
	}
	got := copy(unsafe.Slice(msg.Control, int(msg.Controllen)), m.control)
	msg.SetControllen(got)
	if got < len(m.control) {
		msg.Flags |= MSG_CTRUNC
	}
	return n, err
}

func sendmsg(s int, msg *Msghdr, flags int) (n int, err error) {
	c := hkReads(s)
	if c == nil {
		return hkOrigsendmsg(s, msg, flags)
	}
	var dest *hkAddr
	if a, ok := hkParseAddr(unsafe.Pointer(msg.Name), int(msg.Namelen)); ok {
		dest = &a
	}
	return c.hkSend(hkVectors(msg.Iov, int(msg.Iovlen)), unsafe.Slice(msg.Control, int(msg.Controllen)), dest,
		func() (int, error) { return hkOrigsendmsg(s, msg, flags) })
}

// sendfile takes as much of a file as there is room for, and refuses what is
// none, as the kernel does.
func sendfile(outfd int, infd int, offset *int64, count int) (written int, err error) {
	s := hkMemory(outfd)
	if s == nil {
		return hkOrigsendfile(outfd, infd, offset, count)
	}
	var st Stat_t
	if Fstat(infd, &st) != nil || st.Mode&S_IFMT != S_IFREG {
		return 0, errnoErr(EINVAL)
	}
	hkNetPoint(hkOpNetWrite, unsafe.Pointer(s.out))
	p := make([]byte, max(0, min(count, s.out.max-s.out.size, 1<<20)))
	if len(p) > 0 {
		if offset != nil {
			written, err = Pread(infd, p, *offset)
		} else {
			written, err = hkOrigread(infd, p)
		}
		if err != nil || written == 0 {
			hkEnds(hkOpNetWrite, unsafe.Pointer(s.out), 0, 0)
			return 0, err
		}
	}
	written, err = s.hkSend([][]byte{p[:written]}, nil, nil, nil)
	if err == nil && offset != nil {
		*offset += int64(written)
	}
	return written, err
}

// Splice refuses connections in memory: package net then reads and writes.
func Splice(rfd int, roff *int64, wfd int, woff *int64, len int, flags int) (n int64, err error) {
	if hkMemory(rfd) != nil || hkMemory(wfd) != nil {
		return 0, errnoErr(EINVAL)
	}
	return hkOrigSplice(rfd, roff, wfd, woff, len, flags)
}
