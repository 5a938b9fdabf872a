package workers

import (
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"
)

func TestStopWhileSubmitting(t *testing.T) {
	p := New(2)
	var ran atomic.Int64
	var wg sync.WaitGroup
	half := make(chan bool)
	wg.Go(func() {
		for i := range 30 {
			if i == 10 {
				close(half)
			}
			measure(100)
			if !p.Submit(Task{rand.Intn(1004), func() { ran.Add(1) }}) {
				return
			}
		}
	})
	<-half
	p.Stop()
	wg.Wait()
}
