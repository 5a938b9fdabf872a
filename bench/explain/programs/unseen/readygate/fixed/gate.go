// Package readygate holds callers until a service is ready.
package readygate

import (
	"sync"
	"sync/atomic"
)

// Gate is closed at first.
type Gate struct {
	ready atomic.Bool
	mu    sync.Mutex
	cond  *sync.Cond
	let   int
}

// New returns a closed gate.
func New() *Gate {
	g := &Gate{}
	g.cond = sync.NewCond(&g.mu)
	return g
}

// Open lets everybody through.
func (g *Gate) Open() {
	g.ready.Store(true)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cond.Broadcast()
}

func (g *Gate) isReady() bool { return g.ready.Load() }

// Await waits until the gate is open.
func (g *Gate) Await() {
	if !g.isReady() {
		g.wait()
	}
	g.pass()
}

func (g *Gate) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.isReady() {
		g.cond.Wait()
	}
}

func (g *Gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.let++
}
