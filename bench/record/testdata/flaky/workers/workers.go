// Package workers runs tasks on a few goroutines.
package workers

import (
	"sync"
	"sync/atomic"
)

// Task is one thing to do. Tasks that are large are measured first.
type Task struct {
	Size int
	Do   func()
}

// Pool runs tasks until it is stopped.
type Pool struct {
	mu      sync.RWMutex
	tasks   chan Task
	stopped atomic.Bool
	wg      sync.WaitGroup
}

// New starts n workers.
func New(n int) *Pool {
	p := &Pool{tasks: make(chan Task, 64)}
	for range n {
		p.wg.Go(func() {
			for t := range p.tasks {
				t.Do()
			}
		})
	}
	return p
}

// Submit hands a task over, unless the pool is stopped.
func (p *Pool) Submit(t Task) bool {
	if t.Size > 1000 {
		if p.stopped.Load() {
			return false
		}
		measure(t.Size)
		p.tasks <- t // it may have been stopped just now
		return true
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.stopped.Load() {
		return false
	}
	p.tasks <- t
	return true
}

func measure(size int) (sum int) {
	for i := range size * 150 {
		sum = sum*31 + i
	}
	return sum
}

// Stop waits for what has been submitted.
func (p *Pool) Stop() {
	p.mu.Lock()
	p.stopped.Store(true)
	close(p.tasks)
	p.mu.Unlock()
	p.wg.Wait()
}
