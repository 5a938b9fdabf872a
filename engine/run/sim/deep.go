package sim

// Staircase fails if a reader meets each of six values of a variable that
// another thread sets and takes back at once: a bug of six windows, one after
// the other, each of which is easy to meet from within the one before it.
func Staircase(t *Thread) {
	x, wg := t.Int(), t.WaitGroup(2)
	t.Go(func(t *Thread) {
		t.Store(x, 1)
		t.Store(x, 0)
		t.Store(x, 2)
		t.Store(x, 0)
		t.Store(x, 3)
		t.Store(x, 0)
		t.Store(x, 4)
		t.Store(x, 0)
		t.Store(x, 5)
		t.Store(x, 0)
		t.Store(x, 6)
		t.Store(x, 0)
		t.Done(wg)
	})
	t.Go(func(t *Thread) {
		if t.Load(x) == 1 &&
			t.Load(x) == 2 &&
			t.Load(x) == 3 &&
			t.Load(x) == 4 &&
			t.Load(x) == 5 &&
			t.Load(x) == 6 {
			t.Panic("at the top")
		}
		t.Done(wg)
	})
	t.Join(wg)
}

// ExMCR is the program that the authors of maximal causality reduction made to
// be hard for tools that try schedules one by one: y becomes 3 in two steps,
// with x taken back and set again between them, and its third thread must see
// it then. Its plain accesses race, and must have become switch points before.
func ExMCR(t *Thread) {
	x, y, bug, m, wg := t.Int(), t.Int(), t.Int(), t.Mutex(), t.WaitGroup(3)
	twice := func(body func(*Thread)) {
		t.Go(func(t *Thread) {
			body(t)
			body(t)
			t.Done(wg)
		})
	}
	twice(func(t *Thread) {
		t.Lock(m)
		t.Write(x, 1)
		t.Write(y, 1)
		t.Unlock(m)
	})
	twice(func(t *Thread) {
		t.Lock(m)
		t.Write(x, 0)
		t.Unlock(m)
		if t.Read(x) > 0 {
			t.Write(y, t.Read(y)+1)
			t.Write(x, 2)
		}
	})
	twice(func(t *Thread) {
		switch {
		case t.Read(x) <= 1:
		case t.Read(y) == 3:
			t.Write(bug, 1)
		default:
			t.Write(y, 2)
		}
	})
	t.Join(wg)
	t.Assert(t.Read(bug) == 0, "x > 1 and y == 3")
}
