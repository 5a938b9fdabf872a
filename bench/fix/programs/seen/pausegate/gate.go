// Package pausegate lets an operator hold the workers of a service and let them
// go on.
package pausegate

import (
	"sync"
	"sync/atomic"
)

// Gate is open or held. Workers call Pass before each piece of work.
type Gate struct {
	held   atomic.Bool
	passed atomic.Int64

	mu   sync.Mutex
	open sync.Cond
}

// NewGate returns a gate that is open.
func NewGate() *Gate {
	g := &Gate{}
	g.open.L = &g.mu
	return g
}

// Hold keeps whoever calls Pass from now on.
func (g *Gate) Hold() { g.held.Store(true) }

// Release lets all go on that are kept.
func (g *Gate) Release() {
	if !g.held.CompareAndSwap(true, false) {
		return // nobody is kept
	}
	g.open.Broadcast()
}

// Pass returns at once if the gate is open, and else when it is released.
func (g *Gate) Pass() {
	defer g.passed.Add(1)
	if !g.held.Load() { // the usual case needs no lock
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.held.Load() {
		g.open.Wait()
	}
}

// Passed is how often somebody passed.
func (g *Gate) Passed() int64 { return g.passed.Load() }

// Worker does jobs in order, each behind a gate.
type Worker struct {
	gate *Gate
	jobs []func()
}

// NewWorker returns a worker behind g.
func NewWorker(g *Gate, jobs ...func()) *Worker {
	return &Worker{gate: g, jobs: jobs}
}

// Run does the jobs and returns how many it did.
func (w *Worker) Run() (done int) {
	for _, job := range w.jobs {
		w.gate.Pass()
		if job == nil {
			continue
		}
		job()
		done++
	}
	return done
}
