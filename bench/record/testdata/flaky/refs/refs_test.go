package refs

import (
	"math/rand"
	"sync"
	"testing"
)

func TestOpenFilesCanBeRead(t *testing.T) {
	c := New()
	temporary := make([]bool, 8)
	for i := range temporary {
		temporary[i] = rand.Intn(500) == 0
	}
	start := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			<-start
			for i := range 400 {
				name := i / 50
				f := c.Open(name, temporary[name])
				if _, err := f.Read(); err != nil {
					t.Error(err)
					return
				}
				c.Release(f)
			}
		})
	}
	close(start)
	wg.Wait()
}
