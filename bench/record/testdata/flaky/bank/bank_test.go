package bank

import (
	"math/rand"
	"sync"
	"testing"
)

func TestTransfers(t *testing.T) {
	b := New(2, 100)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			<-start
			for range 20 {
				from := rand.Intn(2)
				b.Transfer(from, 1-from, 1+rand.Intn(100), rand.Intn(4000) == 0)
				if b.Balance(from) < 0 {
					t.Errorf("an account is overdrawn")
					return
				}
			}
		})
	}
	close(start)
	wg.Wait()
}
