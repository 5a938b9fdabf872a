// Package connpool keeps connections for later use.
package connpool

import (
	"errors"
	"sync"
)

// ErrClosed is returned by a pool that was closed.
var ErrClosed = errors.New("connpool: closed")

type conn struct{ id int }

// Pool keeps idle connections.
type Pool struct {
	mu     sync.Mutex
	closed bool
	idle   []*conn
	made   int
}

// Get returns an idle connection or a new one.
func (p *Pool) Get() (*conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c, nil
	}
	p.made++
	return &conn{p.made}, nil
}

// Put gives a connection back.
func (p *Pool) Put(c *conn) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return ErrClosed
	}
	p.idle = append(p.idle, c)
	return nil
}

// Close drops all idle connections.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.idle = nil
}

// Made is how many connections were made.
func (p *Pool) Made() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made
}
