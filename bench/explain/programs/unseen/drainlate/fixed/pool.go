// Package drainlate runs jobs in the background.
package drainlate

import "sync"

// Pool runs jobs.
type Pool struct {
	running sync.WaitGroup
	mu      sync.Mutex
	results []int
}

type job func() int

// Submit starts j.
func (p *Pool) Submit(j job) {
	p.running.Add(1)
	go p.work(j)
}

func (p *Pool) work(j job) {
	defer p.running.Done()
	p.store(j())
}

func (p *Pool) store(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.results = append(p.results, n)
}

// Drain waits for the jobs and returns their results.
func (p *Pool) Drain() []int {
	p.running.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.results
}
