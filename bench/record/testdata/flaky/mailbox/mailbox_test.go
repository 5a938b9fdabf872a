package mailbox

import (
	"math/rand"
	"sync"
	"testing"
)

func TestAllReadersLeave(t *testing.T) {
	b := New()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				if _, ok := b.Get(); !ok {
					return
				}
			}
		})
	}
	for i := range 8 {
		b.Put(i)
	}
	b.Close(rand.Intn(100) > 0)
	wg.Wait()
}
