package limiter

import (
	"sync"
	"testing"
)

type limiter struct {
	slots chan int
	mu    sync.Mutex
	wait  *sync.Cond
	busy  int
}

func (l *limiter) small() {
	l.slots <- 1
	l.mu.Lock()
	l.busy++
	l.mu.Unlock()
	<-l.slots
	l.mu.Lock()
	l.busy--
	l.wait.Signal()
	l.mu.Unlock()
}

func (l *limiter) large() {
	l.slots <- 1
	l.slots <- 1
	l.mu.Lock()
	for l.busy > 0 {
		l.wait.Wait()
	}
	l.mu.Unlock()
	<-l.slots
	<-l.slots
}

func (l *limiter) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy > 0 {
		l.wait.Wait()
	}
	l.slots <- 2
	<-l.slots
}

func TestLimit(t *testing.T) {
	l := &limiter{slots: make(chan int, 2)}
	l.wait = sync.NewCond(&l.mu)
	var wg sync.WaitGroup
	wg.Go(l.small)
	wg.Go(l.small)
	wg.Go(l.large)
	wg.Go(l.large)
	wg.Go(l.drain)
	wg.Wait()
}
