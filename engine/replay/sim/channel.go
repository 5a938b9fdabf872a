package sim

import "github.com/hocket-dev/hocket/engine/trace"

// Chan is a channel of int.
type Chan struct {
	object
	cap    int
	buf    []int
	closed bool
}

// Chan makes a channel.
func (t *Thread) Chan(capacity int) *Chan { return &Chan{object: t.object(), cap: capacity} }

// comm is one communication that an operation may make.
type comm struct {
	c    *Chan
	send bool
	v    int
}

// commDone is how a communication went. Case is -1 for the default of a select.
type commDone struct {
	which int
	v     int
	ok    bool
}

// Case is one case of a Select.
type Case = comm

// SendCase and RecvCase make cases.
func SendCase(c *Chan, v int) Case { return comm{c, true, v} }
func RecvCase(c *Chan) Case        { return comm{c, false, 0} }

// Send, Recv and Close are the channel operations.
func (t *Thread) Send(c *Chan, v int) {
	t.communicate(trace.OpSend, "chan send", here(), false, SendCase(c, v))
}

func (t *Thread) Recv(c *Chan) (v int, ok bool) {
	d := t.communicate(trace.OpRecv, "chan receive", here(), false, RecvCase(c))
	return d.v, d.ok
}

func (t *Thread) Close(c *Chan) {
	at := here()
	t.perform(&op{kind: trace.OpClose, obj: &c.object, at: at, write: true, do: func() {
		if c.closed {
			t.m.fail(t, failure{trace.Panicked, "panic: close of closed channel", at})
			return
		}
		c.closed = true
		t.sync(&c.object)
	}})
}

// Select returns the chosen case, or -1 if none was ready and orElse is set.
func (t *Thread) Select(orElse bool, cases ...Case) (which, v int) {
	d := t.communicate(trace.OpSelect, "select", here(), orElse, cases...)
	return d.which, d.v
}

func (t *Thread) communicate(kind trace.Op, reason string, at place, orElse bool, cases ...Case) (d commDone) {
	o := &op{kind: kind, at: at, cases: cases, write: true, reason: reason}
	if len(cases) == 1 {
		o.obj = &cases[0].c.object
	}
	o.ready = func() bool { return o.outcome != nil || orElse || len(t.readyCases(o)) > 0 }
	o.do = func() {
		if o.outcome == nil {
			t.choose(o)
		}
		d = *o.outcome
		if d.which >= 0 {
			t.sync(&cases[d.which].c.object)
		}
	}
	t.perform(o)
	return d
}

func (t *Thread) readyCases(o *op) (ready []int) {
	for i, k := range o.cases {
		partner, _ := t.partner(k)
		switch {
		case k.c.closed, partner != nil,
			k.send && len(k.c.buf) < k.c.cap,
			!k.send && len(k.c.buf) > 0:
			ready = append(ready, i)
		}
	}
	return ready
}

// partner finds a thread blocked on the other end of k.
func (t *Thread) partner(k comm) (*Thread, int) {
	for _, p := range t.m.threads {
		if p == t || p.ended || !p.blocked || p.pending == nil || p.pending.outcome != nil {
			continue
		}
		for i, other := range p.pending.cases {
			if other.c == k.c && other.send != k.send {
				return p, i
			}
		}
	}
	return nil, 0
}

func (t *Thread) choose(o *op) {
	ready := t.readyCases(o)
	if len(ready) == 0 {
		o.outcome = &commDone{which: -1}
		return
	}
	i := ready[t.m.selects.IntN(len(ready))]
	o.outcome = &commDone{which: i, ok: true}
	k := o.cases[i]
	p, at := t.partner(k)
	switch {
	case k.send && k.c.closed:
		t.m.fail(t, failure{trace.Panicked, "panic: send on closed channel", o.at})
	case k.send && p != nil && len(k.c.buf) == 0:
		t.sync(&k.c.object)
		p.pending.outcome = &commDone{which: at, v: k.v, ok: true}
	case k.send:
		k.c.buf = append(k.c.buf, k.v)
	case len(k.c.buf) > 0:
		o.outcome.v, k.c.buf = k.c.buf[0], k.c.buf[1:]
	case p != nil:
		o.outcome.v = p.pending.cases[at].v
		p.pending.outcome = &commDone{which: at, ok: true}
	default:
		o.outcome.ok = false // closed and empty
	}
}
