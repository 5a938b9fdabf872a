package freelist

import (
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"
)

func TestSlotsAreOwned(t *testing.T) {
	l := New(8)
	var owned [8]atomic.Bool
	long := rand.Intn(400) == 0
	start := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			<-start
			for range 200 {
				n := 1 + rand.Intn(2)
				if long {
					n = 4
				}
				mine := l.Get(n)
				for _, s := range mine {
					if !owned[s].CompareAndSwap(false, true) {
						t.Error("a slot is owned twice")
						return
					}
				}
				for _, s := range mine {
					owned[s].Store(false)
					l.Put(s)
				}
			}
		})
	}
	close(start)
	wg.Wait()
}
