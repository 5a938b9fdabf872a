package minigo

// perform does t's next operation, which is possible.
func (e *enumerator) perform(s *state, t, choice int) {
	th := &s.threads[t]
	i := e.code[t][th.pc]
	if th.mode == late {
		th.mode = ready
		return
	}
	if th.mode == woken {
		if g := s.wg[i.Obj]; g.n != 0 || g.waiters != 0 {
			s.failure = "panic: sync: WaitGroup is reused before previous Wait has returned"
			return
		}
		th.mode, th.group = ready, 0
		th.done(i.Stmt, 0)
		return
	}
	x := i.Val.eval(&th.l)
	read := func(v int) { th.l[i.Dst] = v; th.done(i.Stmt, v) }
	switch i.Op {
	case Read:
		read(s.plain[i.Obj])
	case Write:
		s.plain[i.Obj] = x
		th.done(i.Stmt, 0)
	case Load:
		read(s.atomic[i.Obj])
	case Store:
		s.atomic[i.Obj] = x
		th.done(i.Stmt, 0)
	case Add:
		s.atomic[i.Obj] += x
		read(s.atomic[i.Obj])
	case Swap:
		old := s.atomic[i.Obj]
		s.atomic[i.Obj] = x
		read(old)
	case CAS:
		ok := s.atomic[i.Obj] == i.Old.eval(&th.l)
		if ok {
			s.atomic[i.Obj] = x
		}
		read(bit(ok))
	case Go, Yield:
		th.done(i.Stmt, 0)
	case Send, Recv, Close, Len, Select:
		e.communicate(s, t, i, choice)
	case OnceDo:
		e.onceDo(s, th, i)
	case WGAdd:
		s.add(th, i.Stmt, i.N)
	case WGDone:
		s.add(th, i.Stmt, -1)
	case WGWait:
		if s.wg[i.Obj].n == 0 {
			th.done(i.Stmt, 0)
			return
		}
		s.wg[i.Obj].waiters++
		th.mode, th.group = parked, i.Obj+1
	case CondWait, Signal, Broadcast:
		e.condition(s, th, i.Stmt)
	default:
		s.lock(th, i)
	}
}

// done completes an operation.
func (th *thread) done(s *Stmt, v int) {
	th.h = history(th.h, s.ID, v)
	th.pc++
	th.phase = 0
}

func (s *state) add(th *thread, st *Stmt, delta int) {
	g := &s.wg[st.Obj]
	g.n += delta
	switch {
	case g.n < 0:
		s.failure = "panic: sync: negative WaitGroup counter"
		return
	case g.n == 0:
		g.waiters = 0
		for u := range s.threads {
			if w := &s.threads[u]; w.mode == parked && w.group == st.Obj+1 {
				w.mode = woken
			}
		}
	}
	th.done(st, 0)
}

func (e *enumerator) onceDo(s *state, th *thread, i instr) {
	o := &s.once[i.Obj]
	switch {
	case i.ended:
		*o = once{done: true}
		th.done(i.Stmt, 0)
	case o.done:
		th.pc = i.to - 1
		th.done(i.Stmt, 0)
	default:
		o.running = true
		th.pc++
	}
}

// lock does the operations of locks.
func (s *state) lock(th *thread, i instr) {
	ok := true
	switch i.Op {
	case Lock:
		s.mutex[i.Obj] = true
	case Unlock:
		if !s.mutex[i.Obj] {
			s.failure = "fatal error: sync: unlock of unlocked mutex"
			return
		}
		s.mutex[i.Obj] = false
	case TryLock:
		ok = !s.mutex[i.Obj]
		s.mutex[i.Obj] = true
	case WLock:
		l := &s.rw[i.Obj]
		if l.writer = true; l.readers > 0 {
			th.phase = 1
			return
		}
	case WUnlock:
		if !s.rw[i.Obj].writer {
			s.failure = "fatal error: sync: Unlock of unlocked RWMutex"
			return
		}
		s.rw[i.Obj].writer = false
	case TryWLock:
		l := &s.rw[i.Obj]
		if ok = !l.writer && l.readers == 0; ok {
			l.writer = true
		}
	case RLock:
		s.rw[i.Obj].readers++
	case RUnlock:
		if s.rw[i.Obj].readers == 0 {
			s.failure = "fatal error: sync: RUnlock of unlocked RWMutex"
			return
		}
		s.rw[i.Obj].readers--
	case TryRLock:
		if ok = !s.rw[i.Obj].writer; ok {
			s.rw[i.Obj].readers++
		}
	}
	switch i.Op {
	case TryLock, TryWLock, TryRLock:
		th.done(i.Stmt, bit(ok))
		if !ok {
			th.pc = i.to
		}
	default:
		th.done(i.Stmt, 0)
	}
}

// condition does the operations of conds. Wait has four steps: it takes a
// ticket, releases the lock, waits for the ticket to be called, takes the lock.
func (e *enumerator) condition(s *state, th *thread, st *Stmt) {
	c := &s.cond[st.Obj]
	m := &s.mutex[e.p.Conds[st.Obj]]
	switch {
	case st.Op == Signal:
		c.called = min(c.next, c.called+1)
		th.done(st, 0)
	case st.Op == Broadcast:
		c.called = c.next
		th.done(st, 0)
	case th.phase == 0:
		th.ticket = c.next
		c.next++
		th.phase = 1
	case th.phase == 1:
		if !*m {
			s.failure = "fatal error: sync: unlock of unlocked mutex"
			return
		}
		*m = false
		th.phase = 2
	case th.phase == 2:
		th.phase = 3
	default:
		*m = true
		th.ticket = 0
		th.done(st, 0)
	}
}
