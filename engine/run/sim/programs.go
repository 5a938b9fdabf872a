package sim

import "time"

// Programs with one known bug each, for the tests of search and simplify. None
// fails without a preemption unless stated otherwise.

// LostUpdate loads and stores a counter in two atomic steps from n workers:
// an atomicity violation of one preemption.
func LostUpdate(workers, rounds int) func(*Thread) {
	return func(t *Thread) {
		n, wg := t.Int(), t.WaitGroup(workers)
		for range workers {
			t.Go(func(t *Thread) {
				for range rounds {
					t.Store(n, t.Load(n)+1)
				}
				t.Done(wg)
			})
		}
		t.Join(wg)
		if got := t.Load(n); got != workers*rounds {
			t.Panic("count is %d", got)
		}
	}
}

// UseBeforeInit reads what another goroutine may not have written yet: an
// order violation that depends on who goes first; the default order passes.
func UseBeforeInit(t *Thread) {
	ready, wg := t.Int(), t.WaitGroup(2)
	t.Go(func(t *Thread) { t.Store(ready, 1); t.Done(wg) })
	t.Go(func(t *Thread) {
		t.Assert(t.Load(ready) == 1, "used before init")
		t.Done(wg)
	})
	t.Join(wg)
}

// LockOrder takes two locks in both orders: a deadlock of one preemption.
func LockOrder(t *Thread) {
	a, b, wg := t.Mutex(), t.Mutex(), t.WaitGroup(2)
	both := func(x, y *Mutex) {
		t.Go(func(t *Thread) {
			t.Lock(x)
			t.Lock(y)
			t.Unlock(y)
			t.Unlock(x)
			t.Done(wg)
		})
	}
	both(a, b)
	both(b, a)
	t.Join(wg)
}

// LostSignal checks its condition outside the lock: the signal may come
// between the check and the wait, and is lost.
func LostSignal(t *Thread) {
	m, c, set, wg := t.Mutex(), t.Cond(), t.Int(), t.WaitGroup(2)
	t.Go(func(t *Thread) {
		if t.Load(set) == 0 {
			t.Lock(m)
			t.Wait(c, m)
			t.Unlock(m)
		}
		t.Done(wg)
	})
	t.Go(func(t *Thread) {
		t.Store(set, 1)
		t.Lock(m)
		t.Signal(c)
		t.Unlock(m)
		t.Done(wg)
	})
	t.Join(wg)
}

// LeakOnTimeout leaves a sender behind when the receiver gives up first,
// which takes time that passes while the sender works. With always, another
// goroutine is left behind in every run.
func LeakOnTimeout(always bool) func(*Thread) {
	return func(t *Thread) {
		if always {
			never := t.Chan(0)
			t.Go(func(t *Thread) { t.Recv(never) })
		}
		result, work, timeout := t.Chan(0), t.Int(), t.Chan(1)
		t.Go(func(t *Thread) {
			for range 3 {
				t.Add(work, 1)
			}
			t.Send(result, 1)
		})
		t.Go(func(t *Thread) { t.Sleep(time.Microsecond); t.Send(timeout, 1) })
		t.Select(false, RecvCase(result), RecvCase(timeout))
	}
}

// Racy fails only if a plain read and a plain write of two goroutines that
// do not synchronise are preempted: its races must become switch points.
func Racy(t *Thread) {
	n, wg := t.Int(), t.WaitGroup(2)
	for range 2 {
		t.Go(func(t *Thread) {
			x := t.Read(n)
			t.Write(n, x+1)
			t.Done(wg)
		})
	}
	t.Join(wg)
	if t.Read(n) != 2 {
		t.Panic("lost")
	}
}

// HiddenRace has a race that the detector sees only if the second goroutine has
// the lock first. No goroutine reads what is written; read adds a read that
// finds the same value everywhere.
func HiddenRace(read bool) func(*Thread) {
	return func(t *Thread) {
		n, m, wg := t.Int(), t.Mutex(), t.WaitGroup(2)
		t.Go(func(t *Thread) {
			t.Write(n, 0)
			t.Lock(m)
			t.Unlock(m)
			t.Done(wg)
		})
		t.Go(func(t *Thread) {
			t.Lock(m)
			t.Unlock(m)
			if read {
				t.Read(n)
			} else {
				t.Write(n, 0)
			}
			t.Done(wg)
		})
		t.Join(wg)
	}
}

// LateAdd counts a WaitGroup up from 0 while another goroutine comes to wait for
// it: a race by what Go's own code tells race detectors.
func LateAdd(t *Thread) {
	wg := t.WaitGroup(0)
	t.Go(func(t *Thread) { t.Join(wg) })
	t.WGAdd(wg, 1)
	t.Done(wg)
}

// HandedOver writes in two goroutines, one after the other: no race, though
// they share no lock then.
func HandedOver(t *Thread) {
	n, c, m, wg := t.Int(), t.Chan(0), t.Mutex(), t.WaitGroup(2)
	t.Go(func(t *Thread) {
		t.Write(n, 1)
		t.Lock(m)
		t.Unlock(m)
		t.Send(c, 0)
		t.Done(wg)
	})
	t.Go(func(t *Thread) {
		t.Lock(m)
		t.Unlock(m)
		t.Recv(c)
		t.Write(n, 2)
		t.Done(wg)
	})
	t.Join(wg)
	t.Assert(t.Read(n) == 2, "early")
}

// Correct has the shape of LostUpdate with a lock around it.
func Correct(t *Thread) {
	n, m, wg := t.Int(), t.Mutex(), t.WaitGroup(2)
	for range 2 {
		t.Go(func(t *Thread) {
			t.Lock(m)
			t.Write(n, t.Read(n)+1)
			t.Unlock(m)
			t.Done(wg)
		})
	}
	t.Join(wg)
	t.Assert(t.Read(n) == 2, "lost")
}

// Broken fails under every schedule, with a message that varies.
func Broken(t *Thread) {
	wg, n := t.WaitGroup(2), t.Int()
	for i := range 2 {
		t.Go(func(t *Thread) { t.Store(n, i); t.Done(wg) })
	}
	t.Join(wg)
	t.Errorf("got %d of %d", t.Load(n), 3)
}
