// Package lazyclient dials when it is first used.
package lazyclient

import (
	"fmt"
	"sync/atomic"
)

type conn struct {
	addr string
	sent atomic.Int64
}

func (c *conn) write(p string) int {
	c.sent.Add(1)
	return len(c.addr) + len(p)
}

// Client dials once.
type Client struct {
	addr   string
	dialed atomic.Bool
	conn   atomic.Pointer[conn]
}

func (c *Client) dial() *conn {
	return &conn{addr: "tcp://" + c.addr}
}

func (c *Client) connected() *conn {
	if c.dialed.CompareAndSwap(false, true) {
		c.conn.Store(c.dial())
	}
	return c.conn.Load()
}

// Send sends p and returns how many bytes went out.
func (c *Client) Send(p string) int {
	return c.connected().write(p)
}

// Describe says who was called how often.
func (c *Client) Describe() string {
	conn := c.connected()
	return fmt.Sprintf("%s: %d", conn.addr, conn.sent.Load())
}
