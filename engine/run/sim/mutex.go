package sim

import "github.com/hocket-dev/hocket/engine/trace"

// sema is a semaphore of package runtime (sema.go).
type sema struct {
	count int
	queue []*Thread
}

// acquire takes the semaphore, then goes on with then; until it can, t waits,
// first in the queue if lifo.
func (s *sema) acquire(t *Thread, lifo bool, then func() bool) bool {
	if s.count > 0 {
		s.count--
		return then()
	}
	if lifo {
		s.queue = append([]*Thread{t}, s.queue...)
	} else {
		s.queue = append(s.queue, t)
	}
	t.pending.run = func() bool { return s.acquire(t, lifo, then) }
	return false
}

func (s *sema) release(by *Thread) {
	s.count++
	if len(s.queue) > 0 {
		t := s.queue[0]
		s.queue = s.queue[1:]
		by.m.wake(by, t)
	}
}

// mutex is internal/sync's Mutex in normal mode.
type mutex struct {
	held, woken bool
	waiters     int
	sema        sema
}

func (m *mutex) lock(t *Thread, awoke, waited bool, then func() bool) bool {
	was := m.held
	m.held = true
	if was {
		m.waiters++
	}
	if awoke {
		m.woken = false
	}
	if !was {
		return then()
	}
	return m.sema.acquire(t, waited, func() bool { return m.lock(t, true, true, then) })
}

func (m *mutex) tryLock() bool {
	if m.held {
		return false
	}
	m.held = true
	return true
}

func (m *mutex) unlock(t *Thread) {
	m.held = false
	if m.waiters == 0 || m.woken {
		return
	}
	m.waiters--
	m.woken = true
	m.sema.release(t)
}

// Mutex is sync.Mutex.
type Mutex struct {
	object
	mutex
}

// Mutex makes a lock.
func (t *Thread) Mutex() *Mutex { return t.mutexAt(t.here(), 0) }

func (t *Thread) mutexAt(at place, offset int) *Mutex {
	return &Mutex{object: t.object(at, trace.ObjHeap, "sync.Mutex", "struct", 8, offset)}
}

// Lock, TryLock and Unlock are those of sync.Mutex.
func (t *Thread) Lock(m *Mutex) { t.lockAt(m, t.here()) }

func (t *Thread) lockAt(m *Mutex, at place) {
	t.perform(&op{
		kind: trace.OpLock, obj: &m.object, at: at, write: true, reason: "sync.Mutex.Lock",
		run: func() bool {
			return m.lock(t, false, false, func() bool { t.acquire(&m.object); return true })
		},
	})
}

func (t *Thread) TryLock(m *Mutex) (ok bool) {
	o := &op{kind: trace.OpTryLock, obj: &m.object, at: t.here(), write: true}
	o.run = always(func() {
		if ok = m.tryLock(); ok {
			o.value = 1
			t.acquire(&m.object)
		}
	})
	t.perform(o)
	return ok
}

func (t *Thread) Unlock(m *Mutex) { t.unlockAt(m, t.here()) }

func (t *Thread) unlockAt(m *Mutex, at place) {
	t.perform(&op{kind: trace.OpUnlock, obj: &m.object, at: at, write: true, run: always(func() {
		if !m.held {
			t.m.fail(t, failure{kind: trace.FatalError, message: "fatal error: sync: unlock of unlocked mutex", at: at})
			return
		}
		t.release(&m.object)
		m.unlock(t)
	})})
}
