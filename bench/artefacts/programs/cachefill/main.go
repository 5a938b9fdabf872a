package main

import (
	"fmt"
	"sync"
)

type entry struct {
	ready chan struct{}
	value *int
}

type cache struct {
	mu    sync.RWMutex
	items map[string]*entry
	size  int
}

func (c *cache) get(k string) int {
	c.mu.RLock()
	e := c.items[k]
	c.mu.RUnlock()
	if e == nil {
		e = c.fill(k)
	}
	<-e.ready
	return *e.value
}

func (c *cache) fill(k string) *entry {
	e := &entry{ready: make(chan struct{})}
	c.mu.Lock()
	c.items[k] = e
	c.size++
	c.mu.Unlock()
	v := len(k)
	e.value = &v
	close(e.ready)
	return e
}

func (c *cache) drop(k string) {
	c.mu.RLock()
	e := c.items[k]
	c.mu.RUnlock()
	if e == nil {
		return
	}
	c.mu.Lock()
	delete(c.items, k)
	c.size--
	c.mu.Unlock()
	if c.size < 0 {
		panic("cachefill: negative size")
	}
	e.value = nil
}

func (c *cache) check() {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.size > len(c.items) {
		panic("cachefill: filled twice")
	}
	if c.size < len(c.items) {
		panic("cachefill: lost")
	}
}

func main() {
	c := &cache{items: map[string]*entry{}}
	var wg sync.WaitGroup
	wg.Go(func() { fmt.Println(c.get("a")) })
	wg.Go(func() { fmt.Println(c.get("a")) })
	wg.Go(func() { c.drop("a") })
	wg.Go(func() { c.drop("a") })
	wg.Go(c.check)
	wg.Wait()
}
