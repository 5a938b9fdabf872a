package registry

import (
	"math/rand"
	"sync"
	"testing"
)

func TestThingsAreUnique(t *testing.T) {
	r := New()
	ids := make([]int, 10)
	for i := range ids {
		ids[i] = rand.Intn(100_000)
	}
	start := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			<-start
			for _, id := range ids {
				r.Get(id)
			}
		})
	}
	close(start)
	wg.Wait()
	if !r.Check() {
		t.Error("a thing was made twice")
	}
}
