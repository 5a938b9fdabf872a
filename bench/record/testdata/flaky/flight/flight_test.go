package flight

import (
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"
)

func TestOnceForEachKey(t *testing.T) {
	g := New()
	var done [10]atomic.Int32
	var refused atomic.Bool
	busy := rand.Intn(len(done) * 60)
	compute := func(key int) (sum int, err error) {
		for i := range 20_000 {
			sum = sum*31 + i ^ key
		}
		if key == busy && refused.CompareAndSwap(false, true) {
			return 0, ErrBusy
		}
		done[key].Add(1)
		return sum, nil
	}
	start := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			<-start
			for key := range done {
				g.Do(key, compute)
			}
		})
	}
	close(start)
	wg.Wait()
	for key := range done {
		if done[key].Load() != 1 {
			t.Error("a key was computed twice")
		}
	}
}
