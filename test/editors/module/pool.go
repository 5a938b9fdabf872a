// Package pool lends connections. It has two bugs that its tests show only now
// and then: the tests of the editors find them.
package pool

import "sync"

// Conn is a connection that can be lent.
type Conn struct{ id int }

// Pool holds the connections that nobody uses at the moment.
type Pool struct {
	mu   sync.Mutex
	idle []*Conn
}

// New returns a pool of n idle connections.
func New(n int) *Pool {
	p := &Pool{}
	for i := range n {
		p.idle = append(p.idle, &Conn{id: i})
	}
	return p
}

// Len counts the idle connections.
func (p *Pool) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// Get lends a connection, a new one if none is idle.
func (p *Pool) Get() *Conn {
	if p.Len() == 0 {
		return &Conn{id: -1}
	}
	return p.take()
}

// take removes the connection that came last.
func (p *Pool) take() *Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	c := p.idle[last]
	p.idle = p.idle[:last]
	return c
}

// Put gives a connection back.
func (p *Pool) Put(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
}

// Move hands every idle connection to another pool.
func (p *Pool) Move(to *Pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	to.idle = append(to.idle, p.idle...)
	p.idle = nil
}
