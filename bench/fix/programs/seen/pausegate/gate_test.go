package pausegate

import (
	"sync"
	"testing"
)

func TestReleaseWakesWorkers(t *testing.T) {
	g := NewGate()
	g.Hold()
	sum := 0
	w := NewWorker(g, func() { sum++ }, nil, func() { sum += 10 })
	var wg sync.WaitGroup
	done := 0
	wg.Go(func() { done = w.Run() })
	g.Release()
	wg.Wait()
	if done != 2 || sum != 11 {
		t.Errorf("%d jobs done, sum %d", done, sum)
	}
	if n := g.Passed(); n != 3 {
		t.Errorf("passed %d times, want 3", n)
	}
}
