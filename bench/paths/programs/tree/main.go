// A search tree under a read-write lock: many readers, a few writers.
package main

import (
	"fmt"
	"sync"
)

type tree struct {
	mu   sync.RWMutex
	root *node
	size int
}

type node struct {
	key         uint32
	left, right *node
}

func (t *tree) has(k uint32) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for n := t.root; n != nil; {
		switch {
		case k < n.key:
			n = n.left
		case k > n.key:
			n = n.right
		default:
			return true
		}
	}
	return false
}

func (t *tree) add(k uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := &t.root
	for *at != nil {
		if k == (*at).key {
			return
		}
		if k < (*at).key {
			at = &(*at).left
		} else {
			at = &(*at).right
		}
	}
	*at = &node{key: k}
	t.size++
}

func main() {
	t := &tree{}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x := uint32(w + 1)
			found := 0
			for i := range 400_000 {
				x = x*1664525 + 1013904223
				if i%50 == 0 {
					t.add(x >> 12)
				} else if t.has(x >> 12) {
					found++
				}
			}
		}()
	}
	wg.Wait()
	fmt.Println(t.size)
}
