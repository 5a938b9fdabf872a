// Command logsink writes lines from several sources.
package main

import (
	"bytes"
	"fmt"
	"sync"
)

type buffer struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (b *buffer) line(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintln(&b.out, s)
}

type sink struct {
	mu     sync.Mutex
	buf    *buffer
	lines  chan string
	allIn  chan struct{}
	counts map[string]int
}

func newSink() *sink {
	s := &sink{
		buf:    &buffer{},
		lines:  make(chan string, 4),
		allIn:  make(chan struct{}),
		counts: map[string]int{},
	}
	go s.run()
	return s
}

func (s *sink) current() *buffer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf
}

func (s *sink) flush() {
	s.current().line(fmt.Sprintln(len(s.counts), "lines"))
}

func (s *sink) run() {
	for l := range s.lines {
		s.counts[l]++
		s.current().line(l)
	}
	close(s.allIn)
	s.flush()
}

func (b *buffer) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out.Len()
}

// Close ends the sink and returns how much was written.
func (s *sink) Close() int {
	close(s.lines)
	<-s.allIn
	n := s.current().size()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = nil
	return n
}

func main() {
	s := newSink()
	for _, l := range []string{"start", "listen"} {
		s.lines <- l
	}
	fmt.Println(s.Close() > 0)
}
