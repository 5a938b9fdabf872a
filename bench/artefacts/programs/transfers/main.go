package main

import (
	"fmt"
	"sync"
)

type account struct {
	mu  sync.Mutex
	sum int
}

type bank struct{ a, b, c account }

func (k *bank) aToB(n int) {
	k.a.mu.Lock()
	defer k.a.mu.Unlock()
	k.b.mu.Lock()
	defer k.b.mu.Unlock()
	k.a.sum, k.b.sum = k.a.sum-n, k.b.sum+n
}

func (k *bank) bToC(n int) {
	k.b.mu.Lock()
	defer k.b.mu.Unlock()
	k.c.mu.Lock()
	defer k.c.mu.Unlock()
	k.b.sum, k.c.sum = k.b.sum-n, k.c.sum+n
}

func (k *bank) cToA(n int) {
	k.c.mu.Lock()
	defer k.c.mu.Unlock()
	if k.c.sum < n {
		return
	}
	k.a.mu.Lock()
	defer k.a.mu.Unlock()
	k.c.sum, k.a.sum = k.c.sum-n, k.a.sum+n
}

func (k *bank) total() int {
	k.b.mu.Lock()
	defer k.b.mu.Unlock()
	k.a.mu.Lock()
	defer k.a.mu.Unlock()
	return k.a.sum + k.b.sum
}

func main() {
	k := &bank{a: account{sum: 9}, c: account{sum: 2}}
	var wg sync.WaitGroup
	for _, f := range []func(){func() { k.aToB(1) }, func() { k.bToC(1) }, func() { k.cToA(2) }, func() { k.total() }} {
		wg.Go(f)
	}
	wg.Wait()
	fmt.Println(k.a.sum + k.b.sum + k.c.sum)
}
