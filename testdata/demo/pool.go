// Package pool keeps connections open between queries and closes those that
// nobody has used for a while.
package pool

import (
	"crypto/sha256"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

var ErrClosed = errors.New("query on a closed connection")

// Conn is a connection to a server that answers with a digest.
type Conn struct {
	lastUsed time.Time // guarded by Pool.mu
	busy     atomic.Bool
	closed   atomic.Bool
}

// Query sends a request and returns the answer.
func (c *Conn) Query(request []byte) ([32]byte, error) {
	if c.closed.Load() {
		return [32]byte{}, ErrClosed
	}
	return sha256.Sum256(request), nil
}

func (c *Conn) Close() { c.closed.Store(true) }

// Pool is safe for concurrent use.
type Pool struct {
	mu   sync.Mutex
	idle []*Conn
}

// Get returns an idle connection, or a new one if there is none.
func (p *Pool) Get() *Conn {
	c := p.takeIdle()
	if c == nil {
		c = &Conn{}
	}
	c.busy.Store(true)
	return c
}

func (p *Pool) takeIdle() *Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	c := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return c
}

// Put gives a connection back; closed ones are dropped.
func (p *Pool) Put(c *Conn) {
	if c.closed.Load() {
		return
	}
	c.busy.Store(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	c.lastUsed = time.Now()
	p.idle = append(p.idle, c)
}

// Reap closes the connections that have been idle since before limit.
func (p *Pool) Reap(limit time.Time) {
	for _, c := range p.unusedSince(limit) {
		if c.busy.Load() {
			continue // taken since the list was made
		}
		p.forget(c)
		c.Close()
	}
}

func (p *Pool) unusedSince(limit time.Time) []*Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	var old []*Conn
	for _, c := range p.idle {
		if c.lastUsed.Before(limit) {
			old = append(old, c)
		}
	}
	return old
}

func (p *Pool) forget(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = slices.DeleteFunc(p.idle, func(x *Conn) bool { return x == c })
}
