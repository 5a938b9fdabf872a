// Package fetch asks a server, and asks again when there is no answer in time.
package fetch

import (
	"context"
	"sync"
	"time"
)

// Client counts what is under way.
type Client struct {
	mu       sync.Mutex
	underway int
	least    int
}

func (c *Client) add(n int) {
	c.mu.Lock()
	c.underway += n
	c.least = min(c.least, c.underway)
	c.mu.Unlock()
}

// Get returns what f returns, or 0 when the time is over.
func (c *Client) Get(limit time.Duration, f func(context.Context) int) int {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c.add(1)
	got := make(chan int, 1)
	go func() {
		v := f(ctx)
		if ctx.Err() == nil {
			c.add(-1)
		}
		got <- v
	}()
	select {
	case v := <-got:
		return v
	case <-ctx.Done():
		c.add(-1)
		return 0
	}
}

// Least is the least number of those that were under way.
func (c *Client) Least() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.least
}
