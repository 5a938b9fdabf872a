// Package geocache caches where addresses are, since each lookup is paid for.
package geocache

import (
	"container/list"
	"sync"
)

// Place is where an address is.
type Place struct {
	Lat, Lon float64
}

// Locator asks the paid service.
type Locator func(addr string) Place

type entry struct {
	addr  string
	place Place
}

// Cache has the places of the addresses asked for last.
type Cache struct {
	locate Locator
	size   int

	mu     sync.RWMutex
	byAddr map[string]*list.Element // of *entry
	recent *list.List               // the newest first
	spent  int
}

// New returns a cache of at most size addresses.
func New(size int, locate Locator) *Cache {
	return &Cache{
		locate: locate,
		size:   size,
		byAddr: make(map[string]*list.Element, size),
		recent: list.New(),
	}
}

// Where returns the place of an address.
func (c *Cache) Where(addr string) Place {
	c.mu.RLock()
	e, ok := c.byAddr[addr]
	c.mu.RUnlock()
	if ok {
		return e.Value.(*entry).place
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byAddr[addr]; ok {
		return e.Value.(*entry).place
	}
	c.spent++
	p := c.locate(addr)
	c.byAddr[addr] = c.recent.PushFront(&entry{addr, p})
	for c.recent.Len() > c.size {
		c.evict()
	}
	return p
}

// evict removes the oldest entry. The caller holds mu.
func (c *Cache) evict() {
	last := c.recent.Back()
	if last == nil {
		return
	}
	c.recent.Remove(last)
	delete(c.byAddr, last.Value.(*entry).addr)
}

// Spent is how often the service was asked.
func (c *Cache) Spent() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.spent
}

// Len is how many addresses are cached.
func (c *Cache) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.recent.Len()
}
