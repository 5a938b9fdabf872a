package shardlocks

import (
	"math/rand"
	"sync"
	"testing"
)

func TestSums(t *testing.T) {
	const shards = 6
	m := New(shards)
	start := make(chan struct{})
	work := make([]map[int]bool, 20)
	for i := range work {
		work[i] = map[int]bool{}
		for range 5 + rand.Intn(3)/2 {
			work[i][rand.Intn(shards)] = true
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			<-start
			for _, some := range work {
				if m.Sum(some) != 100*len(some) {
					t.Error("a wrong sum")
				}
			}
		})
	}
	close(start)
	wg.Wait()
}
