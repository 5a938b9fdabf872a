// A cache with a lock and many small functions.
package main

import (
	"fmt"
	"sync"
)

type node struct {
	k, v       int
	prev, next *node
}

type lru struct {
	mu         sync.Mutex
	m          map[int]*node
	head, tail *node
	cap, hits  int
}

func (l *lru) unlink(n *node) { n.prev.next = n.next; n.next.prev = n.prev }

func (l *lru) front(n *node) {
	n.next = l.head.next
	n.prev = l.head
	l.head.next.prev = n
	l.head.next = n
}

func (l *lru) full() bool { return len(l.m) >= l.cap }

func (l *lru) evict() {
	t := l.tail.prev
	l.unlink(t)
	delete(l.m, t.k)
}

func (l *lru) get(k int) (int, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.m[k]
	if n == nil {
		return 0, false
	}
	l.hits++
	l.unlink(n)
	l.front(n)
	return n.v, true
}

func (l *lru) put(k, v int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := l.m[k]; n != nil {
		n.v = v
		l.unlink(n)
		l.front(n)
		return
	}
	if l.full() {
		l.evict()
	}
	n := &node{k: k, v: v}
	l.m[k] = n
	l.front(n)
}

func main() {
	l := &lru{m: map[int]*node{}, cap: 1000, head: &node{}, tail: &node{}}
	l.head.next = l.tail
	l.tail.prev = l.head
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x := uint32(w + 7)
			for i := range 2_000_000 {
				x ^= x << 13
				x ^= x >> 17
				x ^= x << 5
				k := int(x % 1500)
				if _, ok := l.get(k); !ok {
					l.put(k, i)
				}
			}
		}()
	}
	wg.Wait()
	fmt.Println(l.hits)
}
