// Package pipeline parses lines and writes them.
package pipeline

import (
	"strings"
	"sync"
	"sync/atomic"
)

// Pipeline is one run.
type Pipeline struct {
	cancelled atomic.Bool
	lines     chan string
	mu        sync.Mutex
	written   []string
	begun     chan struct{} // closed when the first line is written
}

// Start starts a run over text.
func Start(text string) *Pipeline {
	p := &Pipeline{lines: make(chan string, 4), begun: make(chan struct{})}
	go p.parse(strings.Fields(text))
	go p.write()
	return p
}

func (p *Pipeline) parse(fields []string) {
	defer close(p.lines)
	for _, f := range fields {
		if p.cancelled.Load() {
			return
		}
		p.lines <- strings.ToUpper(f)
	}
}

func (p *Pipeline) write() {
	for l := range p.lines {
		p.store(l)
	}
}

func (p *Pipeline) store(l string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.written) == 0 {
		close(p.begun)
	}
	p.written = append(p.written, l)
}

// Abort ends the run early.
func (p *Pipeline) Abort() {
	p.cancelled.Store(true)
}

// Written is how many lines were written.
func (p *Pipeline) Written() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.written)
}
