package pubsub

import (
	"math/rand"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestComeAndGo(t *testing.T) {
	const topics = 700
	b := New()
	steps := make([]int, 12)
	for i := range steps {
		steps[i] = rand.Intn(topics)
		b.Subscribe(steps[i])
	}
	var ready atomic.Int32
	together := func() {
		ready.Add(1)
		for ready.Load() < 2 {
			runtime.Gosched()
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		together()
		for i, topic := range steps {
			b.Publish(topic, i)
		}
	})
	wg.Go(func() {
		together()
		for _, topic := range steps {
			b.Close(topic)
		}
	})
	wg.Wait()
}
