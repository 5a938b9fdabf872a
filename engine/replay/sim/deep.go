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
