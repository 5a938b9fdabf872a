package mailbox

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestTwoWorkers(t *testing.T) {
	box := New[int64]()
	var sum atomic.Int64
	var handled [2]int
	var wg sync.WaitGroup
	for i := range handled {
		wg.Go(func() {
			handled[i] = box.Each(func(n int64) { sum.Add(n) })
		})
	}
	for _, n := range []int64{3, 40} {
		if !box.Post(n) {
			t.Error("closed too early")
		}
	}
	box.Close()
	wg.Wait()
	if got := sum.Load(); got != 43 {
		t.Errorf("sum %d, want 43", got)
	}
	if n := handled[0] + handled[1]; n != 2 {
		t.Errorf("%d messages handled, want 2", n)
	}
	if box.Post(1) || box.Peak() < 1 {
		t.Errorf("closed, and a peak of %d", box.Peak())
	}
}

// A worker may leave only when the mailbox is closed.
func TestTakeWaits(t *testing.T) {
	box := New[string]()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if _, ok := box.Take(); !ok {
				t.Error("told that the mailbox is closed")
			}
		})
	}
	box.Post("a")
	box.Post("b")
	wg.Wait()
}
