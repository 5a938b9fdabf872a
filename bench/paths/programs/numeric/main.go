// Numeric loops with a mutex in between.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var mu sync.Mutex
	var sum uint64
	var wg sync.WaitGroup
	ops := 0
	for w := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x := uint64(w + 1)
			for i := 0; i < 150_000; i++ {
				for j := 0; j < 1000; j++ {
					x ^= x << 13
					x ^= x >> 7
					x ^= x << 17
				}
				mu.Lock()
				sum += x
				ops++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	fmt.Println(sum, ops)
}
