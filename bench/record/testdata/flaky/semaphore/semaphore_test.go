package semaphore

import (
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func work(n int) (sum int) {
	for i := range n {
		sum = sum*31 + i
	}
	return sum
}

func TestResize(t *testing.T) {
	s := New(4)
	var ready atomic.Int32
	together := func() {
		ready.Add(1)
		for ready.Load() < 3 {
			runtime.Gosched()
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			together()
			for range 20 {
				work(15_000)
				s.Do(func() { work(15_000) })
			}
		})
	}
	wg.Go(func() {
		together()
		for range 3 {
			work(60_000)
			s.Resize(1 + rand.Intn(170))
		}
	})
	wg.Wait()
}
