// Package cachettl keeps entries for a while.
package cachettl

import (
	"sync"
	"time"
)

type entry struct {
	value string
	timer *time.Timer
}

// Cache forgets entries that were not set again in time.
type Cache struct {
	mu      sync.Mutex
	ttl     time.Duration
	entries map[string]*entry
}

// New returns an empty cache.
func New(ttl time.Duration) *Cache {
	return &Cache{ttl: ttl, entries: map[string]*entry{}}
}

// Set stores value for the cache's time to live.
func (c *Cache) Set(key, value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.entries[key]; old != nil {
		old.timer.Stop()
	}
	e := &entry{value: value}
	e.timer = time.AfterFunc(c.ttl, func() { c.expire(key, e) })
	c.entries[key] = e
}

func (c *Cache) expire(key string, e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] == e {
		delete(c.entries, key)
	}
}

// Get returns the value of key.
func (c *Cache) Get(key string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return "", false
	}
	return e.value, true
}
