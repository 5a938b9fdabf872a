package buffer

import (
	"sync"
	"testing"
)

type buffer struct {
	mu     sync.Mutex
	data   []byte
	marks  []int
	closed bool
	err    error
}

func (b *buffer) write(p byte) {
	b.mu.Lock()
	b.data = append(b.data, p)
	full := len(b.data) > 1
	b.mu.Unlock()
	if full {
		b.mark()
	}
}

func (b *buffer) mark() { b.marks = append(b.marks, len(b.data)) }

func (b *buffer) flush() int {
	b.mu.Lock()
	n := len(b.data)
	b.data = nil
	b.mu.Unlock()
	if n > 0 {
		b.closed = true
	}
	return n
}

func (b *buffer) state() (int, bool) {
	if n := len(b.marks); n > 0 {
		return b.marks[n-1], b.closed
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.data), b.closed
}

func TestFlush(t *testing.T) {
	b := &buffer{}
	var wg sync.WaitGroup
	wg.Go(func() { b.write(1) })
	wg.Go(func() { b.write(2) })
	wg.Go(func() { b.flush() })
	wg.Go(func() { b.state() })
	wg.Wait()
}
