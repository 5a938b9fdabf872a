package stats

import (
	"sync"
	"testing"
)

type stats struct {
	mu    sync.Mutex
	sum   int
	max   int
	last  string
	ready bool
	names []string
}

func (s *stats) add(v int, name string) {
	s.mu.Lock()
	s.sum += v
	s.mu.Unlock()
	if v > s.max {
		s.max = v
	}
	s.last = name
}

func (s *stats) start() {
	s.names = append(s.names, "start")
	s.mu.Lock()
	s.ready = true
	s.mu.Unlock()
}

func (s *stats) report() int {
	s.mu.Lock()
	ok := s.ready
	n := s.sum
	s.mu.Unlock()
	if !ok {
		return len(s.names)
	}
	if n > 3 {
		return s.max
	}
	return len(s.last)
}

func TestStats(t *testing.T) {
	s := &stats{}
	var wg sync.WaitGroup
	wg.Go(func() { s.add(1, "a") })
	wg.Go(s.start)
	wg.Go(func() { s.add(3, "b") })
	wg.Go(func() { s.report() })
	wg.Wait()
}
