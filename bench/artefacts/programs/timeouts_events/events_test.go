package events

import (
	"sync"
	"testing"
)

type bus struct {
	mu    sync.Mutex
	ready *sync.Cond
	open  bool
	sent  int
	acks  chan int
}

func (b *bus) publish() {
	b.mu.Lock()
	if !b.open {
		b.ready.Wait()
	}
	b.sent++
	b.mu.Unlock()
	b.acks <- 1
}

func (b *bus) start() {
	b.mu.Lock()
	b.open = true
	b.mu.Unlock()
	b.ready.Signal()
}

func (b *bus) collect(n int) {
	for range n {
		<-b.acks
	}
	b.mu.Lock()
	b.open = false
	b.mu.Unlock()
}

func TestOrder(t *testing.T) {
	b := &bus{acks: make(chan int)}
	b.ready = sync.NewCond(&b.mu)
	var wg sync.WaitGroup
	wg.Go(b.publish)
	wg.Go(b.publish)
	wg.Go(b.start)
	wg.Go(func() { b.collect(1) })
	wg.Go(func() { b.collect(1) })
	wg.Wait()
}
