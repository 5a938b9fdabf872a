// Command odd prints where what it allocates lies, in an order that its schedule
// decides. Its goroutines need threads, for what they read comes late, and use
// different amounts of their stacks.
package main

import (
	"fmt"
	"os"
	"sync"
)

type block [200]byte

var (
	mu     sync.Mutex
	shared [8]int
	found  []*block
)

// deep goes down n frames and does there what has hooks.
func deep(n int) byte {
	var frame [16]byte
	if n > 0 {
		frame[n%16] = deep(n-1) + 1
		return frame[(n+1)%16]
	}
	b := new(block)
	mu.Lock()
	shared[len(found)%8]++
	found = append(found, b)
	mu.Unlock()
	return b[0]
}

func main() {
	var wg sync.WaitGroup
	for i := range 4 {
		r, w, err := os.Pipe()
		if err != nil {
			panic(err)
		}
		wg.Go(func() {
			var one [1]byte
			r.Read(one[:])
			deep(i)
		})
		wg.Go(func() { w.Write([]byte{1}); w.Close() })
	}
	for i := range 150 {
		wg.Go(func() { deep(i) })
	}
	wg.Wait()
	for _, b := range found {
		fmt.Printf("%p\n", b)
	}
}
