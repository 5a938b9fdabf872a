// Package metrics counts events, and hands on the counts now and then.
package metrics

import (
	"fmt"
	"sync"
)

// Sink gets counts.
type Sink struct {
	mu      sync.Mutex
	flush   sync.Mutex
	pending int
	total   int
	lines   []string
}

// Add counts events.
func (s *Sink) Add(n int) {
	s.mu.Lock()
	s.pending += n
	s.mu.Unlock()
}

// Flush hands on what is pending.
func (s *Sink) Flush() {
	s.flush.Lock()
	defer s.flush.Unlock()
	s.handOn()
}

// Hurry is Flush for those who can't wait: if somebody else is at it, that one does it.
func (s *Sink) Hurry() {
	if s.flush.TryLock() { // else the other one has perhaps taken the number already
		s.handOn()
		s.flush.Unlock()
	}
}

func (s *Sink) handOn() {
	s.mu.Lock()
	n := s.pending
	s.pending = 0
	s.mu.Unlock()
	line := ""
	for i := range 100 {
		line = fmt.Sprintf("%d events in %d", n, i)
	}
	s.mu.Lock()
	s.total += n
	s.lines = append(s.lines, line)
	s.mu.Unlock()
}

// Total is what was handed on.
func (s *Sink) Total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}
