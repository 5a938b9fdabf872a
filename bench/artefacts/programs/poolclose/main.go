package main

import (
	"fmt"
	"sync"
)

type conn struct{ id, uses int }

type pool struct {
	mu     sync.Mutex
	free   chan *conn
	closed bool
	out    int
}

func (p *pool) get() *conn {
	c, ok := <-p.free
	if !ok {
		return nil
	}
	p.mu.Lock()
	p.out++
	p.mu.Unlock()
	c.uses++
	return c
}

func (p *pool) put(c *conn) {
	p.mu.Lock()
	p.out--
	over := p.closed
	p.mu.Unlock()
	if over {
		return
	}
	p.free <- c
}

func (p *pool) shut() {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		panic("poolclose: shut twice")
	}
	p.closed = true
	n := p.out
	p.mu.Unlock()
	close(p.free)
	for c := range p.free {
		c.uses = -1
	}
	if n > 2 {
		panic("poolclose: too many out")
	}
}

func main() {
	p := &pool{free: make(chan *conn, 2)}
	p.free <- &conn{id: 1}
	p.free <- &conn{id: 2}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			c := p.get()
			fmt.Println(c.id)
			p.put(c)
		})
	}
	wg.Go(func() {
		if c := p.get(); c != nil {
			if c.uses < 0 {
				panic("poolclose: dead connection")
			}
			p.put(c)
		}
	})
	wg.Go(p.shut)
	wg.Wait()
}
