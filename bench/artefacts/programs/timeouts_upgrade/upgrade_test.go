package upgrade

import (
	"sync"
	"testing"
)

type store struct {
	mu   sync.RWMutex
	meta sync.Mutex
	rows map[string]int
	dirt bool
}

func (s *store) ensure(k string) {
	s.mu.RLock()
	if _, ok := s.rows[k]; !ok {
		s.meta.Lock()
		s.dirt = true
		s.meta.Unlock()
	}
	s.mu.RUnlock()
	s.create(k)
}

func (s *store) create(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows[k]++
}

func (s *store) save() {
	s.meta.Lock()
	defer s.meta.Unlock()
	if s.dirt {
		s.mu.RLock()
		s.dirt = len(s.rows) == 0
		s.mu.RUnlock()
	}
}

func (s *store) copy() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.size()
}

func (s *store) size() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.rows)
}

func TestUpgrade(t *testing.T) {
	s := &store{rows: map[string]int{}, dirt: true}
	var wg sync.WaitGroup
	wg.Go(func() { s.ensure("a") })
	wg.Go(s.save)
	wg.Go(func() { s.copy() })
	wg.Go(func() { s.ensure("b") })
	wg.Wait()
}
