package pool

import (
	"sync"
	"testing"
)

// Both see one idle connection, and both take it.
func TestGet(t *testing.T) {
	p := New(1)
	var wg sync.WaitGroup
	wg.Go(func() { p.Get() })
	wg.Go(func() { p.Get() })
	wg.Wait()
}

// Nothing is wrong here; there are many schedules to try.
func TestPut(t *testing.T) {
	p := New(0)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range 5 {
				p.Put(&Conn{id: i})
			}
		})
	}
	wg.Wait()
	if n := p.Len(); n != 20 {
		t.Errorf("%d idle connections, want 20", n)
	}
}

// Each holds its own pool while it waits for the other's.
func TestMove(t *testing.T) {
	a, b := New(1), New(1)
	var wg sync.WaitGroup
	wg.Go(func() { a.Move(b) })
	wg.Go(func() { b.Move(a) })
	wg.Wait()
}
