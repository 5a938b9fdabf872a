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
	spare []byte  // memory for the next
	last  hkMsg   // that was read, without its data
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
	at      int // what is before it was read
	control []byte
	from    hkAddr
}

// Room in the kernel's buffers on linux, by default, measured: writes of 1 MB
// and of 4 KB to a connection that nobody reads.
const (
	hkRoomTCP  = 3_900_000
	hkRoomUnix = 212_992
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
		to.ip = to.hkSource(&to).ip
		local = local.hkSource(&to)
		if local.port == 0 {
			hkDialPort++
			local.port = hkDialPort
		}
	}
	if to.hkInet() {
		b.proto, _ = GetsockoptInt(fd, SOL_SOCKET, SO_PROTOCOL)
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
	peek := flags&MSG_PEEK != 0
	whole := 0
	for whole < len(b.msgs) {
		m := &b.msgs[whole]
		if first != nil && (!stream || len(m.control)+len(first.control) > 0) {
			break
		}
		if first == nil {
			b.last = hkMsg{control: m.control, from: m.from}
			first = &b.last
		}
		k, rest := hkCopy(bufs, m.data[m.at:])
		n, bufs = n+k, rest
		if m.at+k < len(m.data) {
			if stream {
				if !peek {
					m.at, m.control = m.at+k, nil
				}
				break
			}
			cut = MSG_TRUNC
		}
		whole++
	}
	if !peek {
		b.hkTaken(whole, n, stream)
	}
	return n, first, cut
}

// hkCopy fills bufs and returns what is left of them.
func hkCopy(bufs [][]byte, data []byte) (n int, rest [][]byte) {
	for len(bufs) > 0 && n < len(data) {
		k := copy(bufs[0], data[n:])
		n += k
		if bufs[0] = bufs[0][k:]; len(bufs[0]) == 0 {
			bufs = bufs[1:]
		}
	}
	return n, bufs
}

// hkTaken frees the room of the first messages, and of n bytes of a stream.
func (b *hkPipe) hkTaken(whole, n int, stream bool) {
	for i := range whole {
		if !stream {
			b.size -= len(b.msgs[i].data) + hkPerMsg
		}
		b.spare = b.msgs[i].data[:0]
	}
	if stream {
		b.size -= n
	}
	left := len(b.msgs) - whole
	for i := range b.msgs {
		if i < left {
			b.msgs[i] = b.msgs[i+whole]
		} else {
			b.msgs[i] = hkMsg{}
		}
	}
	b.msgs = b.msgs[:left]
	if b.full && b.size <= b.max*2/3 {
		b.full = false
		for _, s := range b.from {
			s.hkWake('w')
		}
	}
}

// hkPutMsg appends a message, or as much of a stream as there is room for.
func (b *hkPipe) hkPutMsg(bufs [][]byte, control []byte, from hkAddr, stream bool) (n int, e Errno) {
	room := b.max - b.size
	if room <= 0 {
		b.full = true
		return -1, EAGAIN
	}
	if !stream {
		room = 1 << 30 // one message may be larger
	}
	if last := len(b.msgs) - 1; !stream || last < 0 || len(control)+len(b.msgs[last].control) > 0 {
		b.msgs = append(b.msgs, hkMsg{data: b.spare, from: from, control: control})
		b.spare = nil
	}
	m := &b.msgs[len(b.msgs)-1]
	for _, p := range bufs {
		p = p[:min(len(p), room-n)]
		if m.at > len(m.data)/2 && len(m.data)+len(p) > cap(m.data) {
			m.data, m.at = m.data[:copy(m.data, m.data[m.at:])], 0
		}
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
