package sim

import "github.com/hocket-dev/hocket/engine/trace"

// Chan is a channel of int; nil is a nil channel.
type Chan struct {
	object
	cap          int
	buf          []int
	slots        []clock // what the operations on each place of the buffer released
	sent, taken  int
	closed       bool
	sendq, recvq []*waiting
}

// waiting is one case of a parked operation.
type waiting struct {
	t  *Thread
	o  *comms
	at int
}

// Chan makes a channel.
func (t *Thread) Chan(capacity int) *Chan {
	return &Chan{
		object: t.object(t.here(), trace.ObjChan, "chan int", "", 0, 0),
		cap:    capacity, slots: make([]clock, capacity),
	}
}

func (c *Chan) obj() *object {
	if c == nil {
		return nil
	}
	return &c.object
}

// Case is one communication that an operation may make.
type Case struct {
	c    *Chan
	send bool
	v    int
}

// SendCase and RecvCase make cases.
func SendCase(c *Chan, v int) Case { return Case{c, true, v} }
func RecvCase(c *Chan) Case        { return Case{c, false, 0} }

// comms is a send, receive or select under way.
type comms struct {
	cases []Case
	done  bool // which, v and ok are set
	which int  // index in cases, -1 for the default
	v     int
	ok    bool // false: the channel is closed
}

// Send, Recv and Close are the channel operations.
func (t *Thread) Send(c *Chan, v int) { t.communicate(t.here(), false, SendCase(c, v)) }

func (t *Thread) Recv(c *Chan) (v int, ok bool) {
	d := t.communicate(t.here(), false, RecvCase(c))
	return d.v, d.ok
}

func (t *Thread) Close(c *Chan) {
	at := t.here()
	o := &op{kind: trace.OpClose, obj: c.obj(), at: at, write: true, value: 1}
	o.run = always(func() {
		switch {
		case c == nil:
			t.m.fail(t, failure{kind: trace.Panicked, message: "panic: close of nil channel", at: at})
		case c.closed:
			t.m.fail(t, failure{kind: trace.Panicked, message: "panic: close of closed channel", at: at})
		default:
			t.releaseMerge(&c.object)
			c.closed = true
			for _, w := range append(c.recvq, c.sendq...) {
				if !w.o.done {
					w.complete(t, 0, false)
				}
			}
			o.aux = c.state()
		}
	})
	t.perform(o)
}

// Len is len(c): what is buffered. A switch point.
func (t *Thread) Len(c *Chan) (n int) {
	o := &op{kind: trace.OpRead, event: trace.OpChanLen, obj: c.obj(), at: t.here()}
	o.run = always(func() {
		if c != nil {
			n = len(c.buf)
		}
		o.value = uint64(n)
	})
	t.perform(o)
	return n
}

// communicate performs a send, a receive or a select. One of a single case is
// compiled to a plain operation.
func (t *Thread) communicate(at place, orElse bool, cases ...Case) *comms {
	d := &comms{cases: cases}
	o := &op{kind: trace.OpSelect, at: at, write: true, reason: "select"}
	switch {
	case len(cases) == 1 && cases[0].send:
		o.kind, o.reason, o.aux = trace.OpSend, "chan send", cases[0].c.state()
	case len(cases) == 1:
		o.kind, o.reason, o.aux = trace.OpRecv, "chan receive", cases[0].c.state()
	}
	for _, k := range cases {
		switch {
		case k.c == nil:
		case o.obj == nil:
			o.obj = &k.c.object
		default:
			o.others = append(o.others, &k.c.object)
		}
	}
	tried, ready := false, 0
	o.run = func() bool {
		if !tried {
			tried = true
			t.noteCases(d, o)
			ready = t.try(d, o)
		}
		if t.m.over {
			return false
		}
		if !d.done && !orElse {
			t.enqueue(d)
			return false
		}
		if !d.done {
			d.done, d.which = true, -1
		}
		if d.which >= 0 && d.cases[d.which].send && !d.ok {
			t.m.fail(t, failure{kind: trace.Panicked, message: "panic: send on closed channel", at: at})
			return true
		}
		d.describe(o, ready)
		switch {
		case orElse && o.kind == trace.OpSelect:
			o.aux |= 1 << 33
		case orElse:
			o.aux |= trace.AuxTry
		}
		return true
	}
	t.perform(o)
	return d
}

func (c *Chan) state() uint64 {
	if c == nil {
		return 0
	}
	return uint64(len(c.buf)) | uint64(c.cap)<<32
}

// try completes d with one of the cases that are ready, chosen by the select
// seed; it returns how many there are.
func (t *Thread) try(d *comms, o *op) int {
	var ready []int
	for i, k := range d.cases {
		if k.ready() {
			ready = append(ready, i)
		}
	}
	if len(ready) == 0 {
		return 0
	}
	i := ready[0]
	if o.kind == trace.OpSelect {
		i = t.m.selected(t, d, ready)
	}
	if k := d.cases[i]; k.send {
		d.set(i, 0, k.c.send(t, k.v))
	} else {
		v, ok := k.c.recv(t)
		d.set(i, v, ok)
	}
	return len(ready)
}

func (k Case) ready() bool {
	switch {
	case k.c == nil:
		return false
	case k.c.closed:
		return true
	case k.send:
		return len(k.c.buf) < k.c.cap || k.c.first(&k.c.recvq) != nil
	}
	return len(k.c.buf) > 0 || k.c.first(&k.c.sendq) != nil
}

func (d *comms) set(which, v int, ok bool) { d.done, d.which, d.v, d.ok = true, which, v, ok }

// send returns false if the channel is closed. The case is ready.
func (c *Chan) send(t *Thread, v int) bool {
	if c.closed {
		return false
	}
	if w := c.first(&c.recvq); w != nil {
		c.handOver(t, w.t, true)
		w.complete(t, v, true)
		return true
	}
	c.syncSlot(t, &c.sent)
	c.buf = append(c.buf, v)
	return true
}

// recv returns what a receive from a ready channel gets.
func (c *Chan) recv(t *Thread) (v int, ok bool) {
	w := c.first(&c.sendq)
	switch {
	case c.closed && len(c.buf) == 0:
		t.acquire(&c.object)
		return 0, false
	case w != nil && c.cap == 0:
		v = w.o.cases[w.at].v
		c.handOver(t, w.t, false)
		w.complete(t, 0, true)
		return v, true
	}
	v, c.buf = c.buf[0], c.buf[1:]
	c.syncSlot(t, &c.taken)
	if w != nil {
		c.buf = append(c.buf, w.o.cases[w.at].v)
		c.syncSlot(w.t, &c.sent)
		w.complete(t, 0, true)
	}
	return v, true
}

// syncSlot: the k-th receive happens after the k-th send, and the send that
// uses its place next after it.
func (c *Chan) syncSlot(t *Thread, k *int) {
	slot := &c.slots[*k%c.cap]
	*k++
	t.vc.join(*slot)
	*slot = t.vc.clone()
	t.vc.tick(t.id)
}

// handOver: sender and receiver happen after each other. A buffered channel's
// place is used all the same.
func (c *Chan) handOver(t, waiter *Thread, send bool) {
	if c.cap > 0 {
		c.syncSlot(t, &c.sent)
		c.syncSlot(waiter, &c.taken)
		return
	}
	t.vc.join(waiter.vc)
	waiter.vc.join(t.vc)
	t.vc.tick(t.id)
	waiter.vc.tick(waiter.id)
}

// first is the first in a queue whose operation is still to be done.
func (c *Chan) first(q *[]*waiting) *waiting {
	for len(*q) > 0 && (*q)[0].o.done {
		*q = (*q)[1:]
	}
	if len(*q) == 0 {
		return nil
	}
	return (*q)[0]
}

func (w *waiting) complete(by *Thread, v int, ok bool) {
	w.o.set(w.at, v, ok)
	if c := w.o.cases[w.at].c; !ok && !w.o.cases[w.at].send {
		w.t.acquire(&c.object)
	}
	by.m.wake(by, w.t)
}

func (t *Thread) enqueue(d *comms) {
	for i, k := range d.cases {
		switch {
		case k.c == nil:
		case k.send:
			k.c.sendq = append(k.c.sendq, &waiting{t, d, i})
		default:
			k.c.recvq = append(k.c.recvq, &waiting{t, d, i})
		}
	}
}
