package config

import (
	"sync"
	"sync/atomic"
	"testing"
)

type config struct {
	version atomic.Int32
	text    string
	port    int
	users   map[string]bool
	mu      sync.RWMutex
}

func (c *config) reload(p int) {
	v := c.version.Add(1)
	if v > 1 {
		c.text = "old"
	}
	c.port = p
	c.mu.Lock()
	c.users["root"] = true
	c.mu.Unlock()
}

func (c *config) allow(u string) bool {
	if c.version.Load() == 0 {
		return c.users[u]
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.users[u]
}

func (c *config) describe() int {
	if c.version.Load() > 1 {
		return len(c.text)
	}
	return c.port
}

func TestReload(t *testing.T) {
	c := &config{users: map[string]bool{}}
	var wg sync.WaitGroup
	wg.Go(func() { c.reload(1) })
	wg.Go(func() { c.reload(2) })
	wg.Go(func() { c.allow("u") })
	wg.Go(func() { c.describe() })
	wg.Wait()
}
