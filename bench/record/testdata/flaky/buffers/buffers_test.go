package buffers

import (
	"math/rand"
	"sync"
	"testing"
)

func TestEncoders(t *testing.T) {
	start := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			<-start
			for range 8 {
				record := make([]byte, rand.Intn(1500))
				if _, err := Encode(record); err != nil && len(record) > 0 {
					t.Error(err)
				}
			}
		})
	}
	close(start)
	wg.Wait()
}
