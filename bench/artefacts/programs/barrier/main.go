package main

import (
	"fmt"
	"sync"
)

type barrier struct {
	mu    sync.Mutex
	all   *sync.Cond
	n     int
	phase int
}

func (b *barrier) first() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n++; b.n == 3 {
		b.n = 0
		b.phase++
		b.all.Broadcast()
		return
	}
	b.all.Wait()
}

func (b *barrier) second() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	if b.n == 3 {
		b.n = 0
		b.all.Signal()
		return
	}
	for b.n != 0 {
		b.all.Wait()
	}
}

func main() {
	b := &barrier{}
	b.all = sync.NewCond(&b.mu)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			b.first()
			b.second()
		})
	}
	wg.Wait()
	fmt.Println(b.phase)
}
