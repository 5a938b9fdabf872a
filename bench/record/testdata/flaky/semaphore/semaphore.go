// Package semaphore limits how many run at once, and can be made larger or smaller.
package semaphore

import "sync"

// Semaphore has tokens in a channel, which is replaced when its size changes.
type Semaphore struct {
	mu     sync.RWMutex
	tokens chan struct{}
}

// New returns a semaphore for n.
func New(n int) *Semaphore { return &Semaphore{tokens: make(chan struct{}, n)} }

// Do runs f while it has a token.
func (s *Semaphore) Do(f func()) {
	s.mu.RLock()
	c := s.tokens
	s.mu.RUnlock()
	c <- struct{}{}
	defer s.release(c)
	f()
}

func (s *Semaphore) release(c chan struct{}) {
	s.mu.RLock()
	now := s.tokens
	s.mu.RUnlock()
	if cap(now) == 1 {
		c = now // there is but one who may run
	}
	<-c
}

// Resize lets those who run end with the channel that they began with.
func (s *Semaphore) Resize(n int) {
	s.mu.Lock()
	s.tokens = make(chan struct{}, n)
	s.mu.Unlock()
}
