package minigo

// Channels as in runtime/chan.go: a communication that is not possible parks
// in the queues of its channels; who comes from the other side completes it.

func (e *enumerator) communicate(s *state, t int, i instr, choice int) {
	th := &s.threads[t]
	switch i.Op {
	case Len:
		n := 0
		if e.p.Chans[i.Obj] >= 0 {
			n = len(s.channel[i.Obj].buf)
		}
		th.l[i.Dst] = n
		th.done(i.Stmt, n)
	case Close:
		e.closeChan(s, th, i.Stmt)
	case Send:
		e.one(s, t, i.Stmt, Case{Send: true, Chan: i.Obj, Val: i.Val}, -1)
	case Recv:
		e.one(s, t, i.Stmt, Case{Chan: i.Obj, Dst: i.Dst}, -1)
	case Select:
		readyCases := e.readyCases(s, i.Stmt)
		switch {
		case len(readyCases) > 0:
			which := readyCases[choice]
			e.one(s, t, i.Stmt, i.Cases[which], which)
		case i.Default:
			th.done(i.Stmt, -1)
			th.pc = i.to
		default:
			th.mode = parked
			for n, k := range i.Cases {
				s.park(e, t, k, n)
			}
		}
	}
}

// readyCases are the cases of a select that can go on.
func (e *enumerator) readyCases(s *state, st *Stmt) (out []int) {
	for n, k := range st.Cases {
		if e.can(s, k) {
			out = append(out, n)
		}
	}
	return out
}

func (e *enumerator) can(s *state, k Case) bool {
	c := &s.channel[k.Chan]
	switch capacity := e.p.Chans[k.Chan]; {
	case capacity < 0:
		return false
	case c.closed:
		return true
	case k.Send:
		return len(c.buf) < capacity || len(c.recvq) > 0
	}
	return len(c.buf) > 0 || len(c.sendq) > 0
}

// park puts t into the queue of a case.
func (s *state) park(e *enumerator, t int, k Case, which int) {
	c := &s.channel[k.Chan]
	switch w := (waiter{t, which, k.Val.eval(&s.threads[t].l), k.Dst}); {
	case e.p.Chans[k.Chan] < 0:
	case k.Send:
		c.sendq = append(c.sendq, w)
	default:
		c.recvq = append(c.recvq, w)
	}
}

// one performs a communication, or parks if it is not possible.
func (e *enumerator) one(s *state, t int, st *Stmt, k Case, which int) {
	if !e.can(s, k) {
		s.threads[t].mode = parked
		s.park(e, t, k, which)
		return
	}
	c := &s.channel[k.Chan]
	me := waiter{t, which, k.Val.eval(&s.threads[t].l), k.Dst}
	switch {
	case k.Send && c.closed:
		s.failure = "panic: send on closed channel"
	case k.Send && len(c.recvq) > 0:
		e.received(s, c.recvq[0], me.v, true)
		e.sent(s, me)
	case k.Send:
		c.buf = append(c.buf, me.v)
		e.sent(s, me)
	case len(c.sendq) > 0:
		from := c.sendq[0]
		v := from.v
		if len(c.buf) > 0 {
			v = c.buf[0]
			c.buf = append(c.buf[1:], from.v)
		}
		e.sent(s, from)
		e.received(s, me, v, true)
	case len(c.buf) > 0:
		v := c.buf[0]
		c.buf = c.buf[1:]
		e.received(s, me, v, true)
	default:
		e.received(s, me, 0, false)
	}
}

func (e *enumerator) closeChan(s *state, th *thread, st *Stmt) {
	c := &s.channel[st.Obj]
	switch {
	case e.p.Chans[st.Obj] < 0:
		s.failure = "panic: close of nil channel"
	case c.closed:
		s.failure = "panic: close of closed channel"
	default:
		c.closed = true
		th.done(st, 0)
		if len(c.sendq) > 0 {
			s.failure = "panic: send on closed channel"
			return
		}
		for len(c.recvq) > 0 {
			e.received(s, c.recvq[0], 0, false)
		}
	}
}

// sent and received complete one side, parked or not.
func (e *enumerator) sent(s *state, w waiter) { e.complete(s, w, 0) }

func (e *enumerator) received(s *state, w waiter, v int, ok bool) {
	s.threads[w.t].l[w.dst] = v
	e.complete(s, w, got(v, ok))
}

func (e *enumerator) complete(s *state, w waiter, v int) {
	th := &s.threads[w.t]
	i := e.code[w.t][th.pc]
	th.mode = ready
	for n := range s.channel {
		c := &s.channel[n]
		c.sendq, c.recvq = without(c.sendq, w.t), without(c.recvq, w.t)
	}
	if w.which < 0 {
		th.done(i.Stmt, v)
		return
	}
	th.done(i.Stmt, v*4+w.which)
	th.pc = i.cases[w.which]
}

func without(q []waiter, t int) (out []waiter) {
	for _, w := range q {
		if w.t != t {
			out = append(out, w)
		}
	}
	return out
}
