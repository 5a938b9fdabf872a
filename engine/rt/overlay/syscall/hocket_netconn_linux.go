//go:build hocket_overlay

package syscall

import (
	"internal/race"
	"unsafe"
)

// What sockets in memory do, with the errors that linux has in each state.

func (s *hkSock) hkUnix() bool { return s.local.family == AF_UNIX }

// hkReceive reads into bufs. real reads what the kernel has for the socket.
func (s *hkSock) hkReceive(bufs [][]byte, flags int, real func() (int, error)) (n int, m *hkMsg, cut int, err error) {
	b := s.in
	hkNetPoint(hkOpNetRead, unsafe.Pointer(b))
	e := Errno(0)
	switch {
	case len(b.msgs) > 0 && (s.err == 0 || s.typ == SOCK_STREAM):
		n, m, cut = b.hkTake(bufs, flags, s.typ == SOCK_STREAM)
	case s.err != 0 && (!b.ended || s.hkUnix()):
		e, s.err = s.err, 0
	case b.ended || b.reset || s.noRead:
	case s.kind == hkNetServes:
		if n, err = real(); err != nil {
			e = err.(Errno)
		}
	default:
		e = EAGAIN
	}
	if e == 0 {
		race.Acquire(unsafe.Pointer(b))
	}
	n, err = hkEnds(hkOpNetRead, unsafe.Pointer(b), n, e)
	return n, m, cut, err
}

// hkSend writes bufs, to another than the peer if dest is not nil. real sends
// what is for another process.
func (s *hkSock) hkSend(bufs [][]byte, control []byte, dest *hkAddr, real func() (int, error)) (n int, err error) {
	if s.out == nil {
		return s.hkSendTo(bufs, control, dest, real)
	}
	b := s.out
	hkNetPoint(hkOpNetWrite, unsafe.Pointer(b))
	e := Errno(0)
	switch {
	case s.err != 0 && (!s.hkUnix() || s.typ != SOCK_STREAM):
		e, s.err = s.err, 0
	case s.noWrite || b.reset || b.gone && s.hkUnix():
		e = EPIPE
	case b.gone:
		// It is sent; the answer is that nobody is there.
		for _, p := range bufs {
			n += len(p)
		}
		n = min(n, b.max)
		s.err, b.reset = EPIPE, true
	default:
		n, e = b.hkPutMsg(bufs, hkCopyRights(control), s.local, s.typ == SOCK_STREAM)
	}
	return hkEnds(hkOpNetWrite, unsafe.Pointer(b), n, e)
}

func (s *hkSock) hkShutdown(how int) Errno {
	if s.out.reset && !s.hkUnix() {
		return ENOTCONN
	}
	if how != SHUT_RD {
		s.noWrite, s.out.ended = true, true
		race.ReleaseMerge(unsafe.Pointer(s.out))
		s.hkWake('w')
		s.out.to.hkWake('r')
	}
	if how != SHUT_WR {
		s.noRead = true
		s.in.gone = s.in.gone || s.hkUnix()
		s.hkWake('r')
	}
	return 0
}

// hkClose closes one end of a connection. What was not read resets it.
func (s *hkSock) hkClose(reset bool) {
	peer := s.out.to
	race.ReleaseMerge(unsafe.Pointer(s.out))
	if reset || len(s.in.msgs) > 0 {
		peer.err = ECONNRESET
		if s.out.ended && !s.hkUnix() {
			peer.err = EPIPE
		}
		s.in.reset, s.out.reset = true, true
	}
	for _, m := range s.in.msgs {
		hkCloseRights(m.control)
	}
	s.in.msgs, s.in.gone, s.out.ended = nil, true, s.out.ended || !s.out.reset
	peer.hkWake('r')
	peer.hkWake('w')
}

// hkCopyRights gives a control message that passes descriptors copies of them,
// as the kernel does.
func hkCopyRights(control []byte) []byte {
	out := append([]byte(nil), control...)
	for _, fd := range hkRights(out) {
		n, err := Dup(int(*fd))
		if err == nil {
			hkDuplicated(int(*fd), n)
			CloseOnExec(n)
		}
		*fd = int32(n)
	}
	return out
}

func hkCloseRights(control []byte) {
	for _, fd := range hkRights(control) {
		Close(int(*fd))
	}
}

// hkRights finds the descriptors in control messages.
func hkRights(control []byte) (fds []*int32) {
	msgs, err := ParseSocketControlMessage(control)
	if err != nil {
		return nil
	}
	for i := range msgs {
		m := &msgs[i]
		if m.Header.Level == SOL_SOCKET && m.Header.Type == SCM_RIGHTS && len(m.Data) >= 4 {
			for j := 0; j+4 <= len(m.Data); j += 4 {
				fds = append(fds, (*int32)(unsafe.Pointer(&m.Data[j])))
			}
		}
	}
	return fds
}
