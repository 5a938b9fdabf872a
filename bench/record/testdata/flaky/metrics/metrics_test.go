package metrics

import (
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestNothingIsLeft(t *testing.T) {
	var s Sink
	hand := s.Flush
	if rand.Intn(60) == 0 {
		hand = s.Hurry
	}
	var ready atomic.Int32
	together := func() {
		ready.Add(1)
		for ready.Load() < 2 {
			runtime.Gosched()
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			together()
			events := 0
			for i := range 10 {
				for range 40_000 {
					events += i
				}
				s.Add(i)
				hand()
			}
		})
	}
	wg.Wait()
	if s.Total() != 90 {
		t.Error("events are missing")
	}
}
