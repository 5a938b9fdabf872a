package sim

import "github.com/hocket-dev/hocket/engine/trace"

const maxReaders = 1 << 30

// RWMutex is sync.RWMutex: the fields and steps are its own.
type RWMutex struct {
	object
	w                    mutex
	writerSem, readerSem sema
	readerCount          int
	readerWait           int
	readers              clock // released by readers
}

// RWMutex makes a lock for readers and writers.
func (t *Thread) RWMutex() *RWMutex {
	return &RWMutex{object: t.object(t.here(), trace.ObjHeap, "sync.RWMutex", "struct", 24, 0)}
}

func (t *Thread) rwOp(kind trace.Op, m *RWMutex, at place, run func(*op) bool) {
	o := &op{kind: kind, obj: &m.object, at: at, write: true, reason: "sync.RWMutex.Lock"}
	if kind == trace.OpRLock {
		o.reason = "sync.RWMutex.RLock"
	}
	o.run = func() bool { return run(o) }
	t.perform(o)
}

// WLock, TryWLock, WUnlock, RLock, TryRLock and RUnlock are Lock, ... of
// sync.RWMutex.
func (t *Thread) WLock(m *RWMutex) {
	locked := func() bool {
		t.acquire(&m.object)
		t.vc.join(m.readers)
		return true
	}
	t.rwOp(trace.OpLock, m, t.here(), func(*op) bool {
		return m.w.lock(t, false, false, func() bool {
			r := m.readerCount
			m.readerCount -= maxReaders
			if r != 0 {
				m.readerWait += r
				if m.readerWait != 0 {
					return m.writerSem.acquire(t, false, locked)
				}
			}
			return locked()
		})
	})
}

func (t *Thread) TryWLock(m *RWMutex) (ok bool) {
	t.rwOp(trace.OpTryLock, m, t.here(), func(o *op) bool {
		if !m.w.tryLock() {
			return true
		}
		if m.readerCount != 0 {
			m.w.unlock(t)
			return true
		}
		m.readerCount = -maxReaders
		ok, o.value = true, 1
		t.acquire(&m.object)
		t.vc.join(m.readers)
		return true
	})
	return ok
}

func (t *Thread) WUnlock(m *RWMutex) {
	at := t.here()
	t.rwOp(trace.OpUnlock, m, at, func(*op) bool {
		t.release(&m.object)
		m.readerCount += maxReaders
		r := m.readerCount
		if r >= maxReaders {
			t.m.fail(t, failure{kind: trace.FatalError, message: "fatal error: sync: Unlock of unlocked RWMutex", at: at})
			return true
		}
		for range r {
			m.readerSem.release(t)
		}
		m.w.unlock(t)
		return true
	})
}

func (t *Thread) RLock(m *RWMutex) {
	locked := func() bool { t.acquire(&m.object); return true }
	t.rwOp(trace.OpRLock, m, t.here(), func(*op) bool {
		m.readerCount++
		if m.readerCount < 0 {
			return m.readerSem.acquire(t, false, locked)
		}
		return locked()
	})
}

func (t *Thread) TryRLock(m *RWMutex) (ok bool) {
	t.rwOp(trace.OpTryRLock, m, t.here(), func(o *op) bool {
		if m.readerCount < 0 {
			return true
		}
		m.readerCount++
		ok, o.value = true, 1
		t.acquire(&m.object)
		return true
	})
	return ok
}

func (t *Thread) RUnlock(m *RWMutex) {
	at := t.here()
	t.rwOp(trace.OpRUnlock, m, at, func(*op) bool {
		m.readers.join(t.vc)
		t.vc.tick(t.id)
		m.readerCount--
		if r := m.readerCount; r < 0 {
			if r+1 == 0 || r+1 == -maxReaders {
				t.m.fail(t, failure{kind: trace.FatalError, message: "fatal error: sync: RUnlock of unlocked RWMutex", at: at})
				return true
			}
			if m.readerWait--; m.readerWait == 0 {
				m.writerSem.release(t)
			}
		}
		return true
	})
}
