package minigo

import "encoding/binary"

// mode of a thread.
type mode uint8

const (
	unborn mode = iota
	ready       // before its next operation, which may or may not be possible
	parked      // in the queue of a channel or WaitGroup
	woken       // from a WaitGroup, but still to look at it again
	late        // has local steps to do before its next operation
	over
)

type thread struct {
	mode   mode
	pc     int
	phase  int // inside an operation of several steps
	ticket int
	group  int // parked in it, +1
	l      [locals]int
	h      uint64
}

type rwlock struct {
	writer  bool // has the lock, or keeps others out while it waits for the readers
	readers int
}

type group struct{ n, waiters int }

type cond struct{ next, called int } // tickets

type once struct{ done, running bool }

type channel struct {
	closed       bool
	buf          []int
	sendq, recvq []waiter
}

// waiter is a parked send or receive, or one case of a parked select (which
// >= 0).
type waiter struct{ t, which, v, dst int }

type state struct {
	threads []thread
	plain   []int
	atomic  []int
	mutex   []bool
	rw      []rwlock
	wg      []group
	cond    []cond
	once    []once
	channel []channel
	failure string
}

func (s *state) clone() *state {
	c := &state{
		threads: append([]thread(nil), s.threads...),
		plain:   append([]int(nil), s.plain...),
		atomic:  append([]int(nil), s.atomic...),
		mutex:   append([]bool(nil), s.mutex...),
		rw:      append([]rwlock(nil), s.rw...),
		wg:      append([]group(nil), s.wg...),
		cond:    append([]cond(nil), s.cond...),
		once:    append([]once(nil), s.once...),
		channel: append([]channel(nil), s.channel...),
	}
	for i := range c.channel {
		ch := &c.channel[i]
		ch.buf = append([]int(nil), ch.buf...)
		ch.sendq = append([]waiter(nil), ch.sendq...)
		ch.recvq = append([]waiter(nil), ch.recvq...)
	}
	return c
}

// key tells states apart.
func (s *state) key() string {
	b := make([]byte, 0, 128)
	num := func(xs ...int) {
		for _, x := range xs {
			b = binary.AppendVarint(b, int64(x))
		}
	}
	for _, t := range s.threads {
		num(int(t.mode), t.pc, t.phase, t.ticket)
		num(t.l[:]...)
		b = binary.LittleEndian.AppendUint64(b, t.h)
	}
	num(s.plain...)
	num(s.atomic...)
	for _, m := range s.mutex {
		num(bit(m))
	}
	for _, l := range s.rw {
		num(bit(l.writer), l.readers)
	}
	for _, g := range s.wg {
		num(g.n, g.waiters)
	}
	for _, c := range s.cond {
		num(c.next, c.called)
	}
	for _, o := range s.once {
		num(bit(o.done), bit(o.running))
	}
	for _, c := range s.channel {
		num(bit(c.closed), len(c.buf))
		num(c.buf...)
		for _, q := range [][]waiter{c.sendq, c.recvq} {
			num(len(q))
			for _, w := range q {
				num(w.t, w.which, w.v)
			}
		}
	}
	return string(b)
}
