// Command shelf sells one thing to two buyers: each looks, then takes.
package main

import (
	"fmt"
	"sync"
)

type shelf struct {
	mu   sync.Mutex
	left int
}

func (s *shelf) any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left > 0
}

func (s *shelf) take(buyer string) {
	s.mu.Lock()
	s.left--
	fmt.Println(buyer, "has it")
	s.mu.Unlock()
}

func buy(s *shelf, buyer string, done *sync.WaitGroup) {
	defer done.Done()
	if s.any() {
		s.take(buyer)
	}
}

func main() {
	s := &shelf{left: 1}
	var done sync.WaitGroup
	for _, buyer := range []string{"ann", "bob"} {
		done.Add(1)
		go buy(s, buyer, &done)
	}
	done.Wait()
	if s.left < 0 {
		panic("sold twice")
	}
}
