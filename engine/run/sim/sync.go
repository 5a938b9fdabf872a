package sim

import "github.com/hocket-dev/hocket/engine/trace"

// WaitGroup is sync.WaitGroup.
type WaitGroup struct {
	object
	n, waiters int
	sema       sema
	misuse     shadow // what Go's own code tells race detectors: an Add that begins at 0 must come before Wait
}

// WaitGroup makes one that waits for n Done calls.
func (t *Thread) WaitGroup(n int) *WaitGroup {
	at := t.here()
	w := &WaitGroup{object: t.object(at, trace.ObjHeap, "sync.WaitGroup", "struct", 16, 0)}
	if n != 0 {
		t.addAt(w, n, at)
	}
	return w
}

// WGAdd, Done and Join are Add, Done and Wait of sync.WaitGroup.
func (t *Thread) WGAdd(w *WaitGroup, delta int) { t.addAt(w, delta, t.here()) }

func (t *Thread) Done(w *WaitGroup) { t.addAt(w, -1, t.here()) }

func (t *Thread) addAt(w *WaitGroup, delta int, at place) {
	kind := trace.OpWGAdd
	if delta < 0 {
		kind = trace.OpWGDone
	}
	t.perform(&op{kind: kind, obj: &w.object, at: at, write: true, value: uint64(delta), run: always(func() {
		if delta < 0 {
			t.releaseMerge(&w.object)
		}
		w.n += delta
		if delta > 0 && w.n == delta {
			w.misuse.check(t, &op{at: at})
		}
		switch {
		case w.n < 0:
			t.m.fail(t, failure{kind: trace.Panicked, message: "panic: sync: negative WaitGroup counter", at: at, inside: true})
		case w.waiters != 0 && delta > 0 && w.n == delta:
			t.m.fail(t, failure{kind: trace.Panicked, message: "panic: sync: WaitGroup misuse: Add called concurrently with Wait", at: at, inside: true})
		case w.n == 0:
			n := w.waiters
			w.waiters = 0
			for range n {
				w.sema.release(t)
			}
		}
	})})
}

func (t *Thread) Join(w *WaitGroup) {
	at := t.here()
	o := &op{kind: trace.OpWGWait, obj: &w.object, at: at, reason: "sync.WaitGroup.Wait"}
	o.run = func() bool {
		if w.n == 0 {
			t.acquire(&w.object)
			return true
		}
		if w.waiters == 0 {
			w.misuse.check(t, &op{at: at, write: true})
		}
		w.waiters++
		return w.sema.acquire(t, false, func() bool {
			if w.n != 0 || w.waiters != 0 {
				t.m.fail(t, failure{kind: trace.Panicked, message: "panic: sync: WaitGroup is reused before previous Wait has returned", at: at, inside: true})
			}
			t.acquire(&w.object)
			return true
		})
	}
	t.perform(o)
}

// Cond is sync.Cond. Its lock is given to Wait.
type Cond struct {
	object
	wait, notify int // next ticket, next to be called
	list         []ticket
}

type ticket struct {
	t *Thread
	n int
}

// Cond makes a condition variable.
func (t *Thread) Cond() *Cond {
	at := t.here()
	return &Cond{object: t.object(at, trace.ObjHeap, "sync.notifyList", "struct", 24, 0)}
}

// Wait releases m, waits for a signal and takes m again.
func (t *Thread) Wait(c *Cond, m *Mutex) {
	at, mine := t.here(), 0
	o := &op{kind: trace.OpCondWait, obj: &c.object, at: at, write: true}
	o.run = always(func() {
		mine = c.wait
		c.wait++
		o.value = uint64(mine)
	})
	t.perform(o)
	t.unlockAt(m, at)
	called := func() bool { t.acquire(&c.object); return true }
	w := &op{kind: trace.OpCondWait, obj: &c.object, at: at, inner: true, reason: "sync.Cond.Wait", value: uint64(mine)}
	w.run = func() bool {
		w.run, w.event = called, trace.OpCondWake
		if mine < c.notify {
			return called()
		}
		c.list = append(c.list, ticket{t, mine})
		return false
	}
	t.perform(w)
	t.lockAt(m, at)
}

// Signal calls the oldest ticket that was not called yet, Broadcast all.
func (t *Thread) Signal(c *Cond) {
	t.notify(c, trace.OpSignal, t.here(), func() int { return min(c.wait, c.notify+1) })
}

func (t *Thread) Broadcast(c *Cond) {
	t.notify(c, trace.OpBroadcast, t.here(), func() int { return c.wait })
}

func (t *Thread) notify(c *Cond, kind trace.Op, at place, upTo func() int) {
	t.perform(&op{kind: kind, obj: &c.object, at: at, write: true, run: always(func() {
		t.releaseMerge(&c.object)
		c.notify = upTo()
		var left []ticket
		for _, w := range c.list {
			if w.n < c.notify {
				t.m.wake(t, w.t)
			} else {
				left = append(left, w)
			}
		}
		c.list = left
	})})
}

// Once is sync.Once: a flag and a lock.
type Once struct {
	done *Int
	m    *Mutex
}

// Once makes one.
func (t *Thread) Once() *Once {
	at := t.here()
	return &Once{
		done: &Int{object: t.object(at, trace.ObjHeap, "sync.Once", "struct", 12, 0)},
		m:    t.mutexAt(at, 4),
	}
}

// Do is that of sync.Once.
func (t *Thread) Do(o *Once, f func()) {
	at, said := t.here(), t.said
	done := false
	look := func() {
		t.acquire(&o.done.object)
		done = o.done.v != 0
		t.m.event(t, trace.Event{Op: trace.OpOnceLoad, Obj: o.done.id, Stack: t.m.stack(at), Value: uint64(o.done.v), HasValue: true})
	}
	t.perform(&op{kind: trace.OpOnceDo, obj: &o.done.object, at: at, write: true, silent: true, run: always(look)})
	ran := uint64(0)
	if !done {
		t.lockAt(o.m, at)
		if look(); !done {
			ran = 1
			f()
			t.said = said
			t.storeAt(o.done, 1, at)
		}
		t.unlockAt(o.m, at)
	}
	t.m.event(t, trace.Event{Op: trace.OpOnceDo, Obj: o.done.id, Stack: t.m.stack(at), Value: ran, HasValue: true})
}
