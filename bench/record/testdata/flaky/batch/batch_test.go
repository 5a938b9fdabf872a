package batch

import (
	"math/rand"
	"sync"
	"testing"
	"time"
)

func TestNoEmptyBatches(t *testing.T) {
	var mu sync.Mutex
	empty := false
	b := New(4, 400*time.Microsecond, func(items []Item) {
		time.Sleep(100 * time.Microsecond) // the way to the others
		mu.Lock()
		empty = empty || len(items) == 0
		mu.Unlock()
	})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 8 {
				time.Sleep(time.Duration(rand.Intn(100)) * time.Microsecond)
				b.Add(Item{rand.Intn(101) - rand.Intn(25)})
			}
		})
	}
	wg.Wait()
	time.Sleep(2 * time.Millisecond)
	mu.Lock()
	defer mu.Unlock()
	if empty {
		t.Error("a batch is empty")
	}
}
