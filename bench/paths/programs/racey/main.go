// Deliberate races over a shared array, after the benchmark of that name.
package main

import (
	"fmt"
	"sync"
)

var m [64]uint32

func mix(i, j uint32) uint32 {
	return (i << 16) ^ (j >> 3) + i*31 + j
}

func main() {
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			cur := uint32(w)
			for range 5_000_000 {
				a, b := cur%64, (cur>>8)%64
				if m[a] > m[b] {
					m[a], m[b] = m[b], m[a]
				}
				cur = mix(cur, m[a])
				m[a] = cur
			}
		}()
	}
	wg.Wait()
	s := uint32(0)
	for _, x := range m {
		s = mix(s, x)
	}
	fmt.Println(s != 1)
}
