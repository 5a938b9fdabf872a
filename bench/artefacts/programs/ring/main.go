package main

import (
	"fmt"
	"sync"
)

type ring struct {
	mu   sync.Mutex
	some *sync.Cond
	buf  [1]int
	n    int
	sum  int
}

func (r *ring) put(v int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n == len(r.buf) {
		r.some.Wait()
	}
	if r.n == len(r.buf) {
		panic("ring: full")
	}
	r.buf[r.n] = v
	r.n++
	r.some.Signal()
}

func (r *ring) take() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.n == 0 {
		r.some.Wait()
	}
	r.n--
	r.some.Signal()
	return r.buf[r.n]
}

func main() {
	r := &ring{}
	r.some = sync.NewCond(&r.mu)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			r.put(i)
			r.put(i + 10)
		})
		wg.Go(func() {
			a, b := r.take(), r.take()
			fmt.Println(a + b)
		})
	}
	wg.Wait()
}
