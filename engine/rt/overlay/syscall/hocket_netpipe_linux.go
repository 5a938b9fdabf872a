//go:build hocket_overlay

package syscall

import (
	"internal/race"
	"unsafe"
)

// hkPipe is what was written to one end of a connection and not read at the
// other, or what was sent to a socket for datagrams.
type hkPipe struct {
	msgs  []hkMsg // of a stream, their borders mean nothing
	size  int     // bytes of memory that a kernel would use for them, about
	max   int     // of size
	full  bool    // a writer waits
	ended bool    // the writer has shut it down
	gone  bool    // the reader has closed it
	reset bool
	to    *hkSock // that reads it
	from  []*hkSock
}

// hkMsg is data that goes together with an address or a control message.
type hkMsg struct {
	data    []byte
	control []byte
	from    hkAddr
}

// Room in the kernel's buffers on linux, by default, measured: writes of 1 MB
// and of 4 KB to a connection that nobody reads.
const (
	hkRoomTCP  = 3_900_000
	hkRoomUnix = 219_264
	hkRoomUDP  = 212_992
	hkPerMsg   = 768 // bytes of each message beside its data
)

// hkDial connects a descriptor to a listener of the program.
func hkDial(fd int, l *hkSock, to hkAddr) error {
	hkNetPoint(hkOpNetDial, unsafe.Pointer(l))
	e := Errno(0)
	switch {
	case len(l.fds) == 0:
		e = ECONNREFUSED // closed meanwhile
	case l.local.family == AF_UNIX && len(l.waiting) > l.backlog:
		e = EAGAIN
	default:
		l.hkConnect(fd, to)
	}
	hkDone(hkOpNetDial, unsafe.Pointer(l), uint64(e), 0)
	if e != 0 {
		return errnoErr(e)
	}
	return nil
}

func (l *hkSock) hkConnect(fd int, to hkAddr) {
	room := hkRoomTCP
	if l.local.family == AF_UNIX {
		room, to = hkRoomUnix, l.local
	}
	there, back := &hkPipe{max: room}, &hkPipe{max: room}
	a := &hkSock{kind: hkNetInner, typ: l.typ, in: back, out: there}
	b := &hkSock{kind: hkNetInner, typ: l.typ, in: there, out: back}
	there.to, there.from, back.to, back.from = b, []*hkSock{a}, a, []*hkSock{b}
	local, _ := hkLocal(fd)
	if local.hkInet() {
		local = local.hkSource(&to)
		if local.port == 0 {
			hkDialPort++
			local.port = hkDialPort
		}
	}
	a.local, a.peer, b.local, b.peer = local, to, to, local
	b.local.family, b.peer.family = l.local.family, l.local.family
	a.hkAdd(fd)
	l.waiting = append(l.waiting, b)
	race.ReleaseMerge(unsafe.Pointer(there))
	l.hkWake('r')
}

// hkTake moves data out of a pipe; cut are the flags of what was lost.
func (b *hkPipe) hkTake(bufs [][]byte, flags int, stream bool) (n int, first *hkMsg, cut int) {
	left := b.msgs
	for len(left) > 0 {
		m := left[0]
		if first != nil && (len(m.control) > 0 || !stream) {
			break
		}
		if first == nil {
			first = &hkMsg{control: m.control, from: m.from}
		}
		at := 0
		for len(bufs) > 0 && at < len(m.data) {
			k := copy(bufs[0], m.data[at:])
			at += k
			if bufs[0] = bufs[0][k:]; len(bufs[0]) == 0 {
				bufs = bufs[1:]
			}
		}
		n += at
		if stream && at < len(m.data) {
			if flags&MSG_PEEK == 0 {
				left[0] = hkMsg{data: m.data[at:]}
				b.size -= at
			}
			break
		}
		if at < len(m.data) {
			cut = MSG_TRUNC
		}
		if flags&MSG_PEEK == 0 {
			b.size -= len(m.data)
			if !stream {
				b.size -= hkPerMsg
			}
			left[0] = hkMsg{}
		}
		left = left[1:]
	}
	if flags&MSG_PEEK != 0 {
		return n, first, cut
	}
	b.msgs = left
	if b.full && b.size <= b.max*2/3 {
		b.full = false
		for _, s := range b.from {
			s.hkWake('w')
		}
	}
	return n, first, cut
}

// hkPutMsg appends a message, or as much of a stream as there is room for.
func (b *hkPipe) hkPutMsg(bufs [][]byte, control []byte, from hkAddr, stream bool) (n int, e Errno) {
	total := 0
	for _, p := range bufs {
		total += len(p)
	}
	room := b.max - b.size
	if room <= 0 || !stream && b.size > 0 && total+hkPerMsg > room {
		b.full = true
		return -1, EAGAIN
	}
	if stream {
		total = min(total, room)
	}
	if last := len(b.msgs) - 1; !stream || last < 0 || len(control) > 0 {
		b.msgs = append(b.msgs, hkMsg{from: from, control: append([]byte(nil), control...)})
	}
	m := &b.msgs[len(b.msgs)-1]
	for _, p := range bufs {
		p = p[:min(len(p), total-n)]
		m.data = append(m.data, p...)
		n += len(p)
	}
	if b.size += n; !stream {
		b.size += hkPerMsg
	}
	race.ReleaseMerge(unsafe.Pointer(b))
	b.to.hkWake('r')
	return n, 0
}
