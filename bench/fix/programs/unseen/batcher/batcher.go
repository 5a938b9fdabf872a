// Package batcher groups the events of a service into batches.
package batcher

import "sync"

// Event is one thing that happened.
type Event struct {
	Key   string
	Count int
}

// Batcher groups events. Many goroutines may add to it.
type Batcher struct {
	mu   sync.Mutex
	buf  []Event
	size int
	out  chan []Event
	sent int
}

// New returns a batcher of size events a batch.
func New(size int) *Batcher {
	return &Batcher{size: size, buf: make([]Event, 0, size), out: make(chan []Event)}
}

// Batches are the batches; closed by Close.
func (b *Batcher) Batches() <-chan []Event { return b.out }

// Add adds an event, and sends the batch when it is full.
func (b *Batcher) Add(e Event) {
	if e.Count == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	// Events of one key that follow each other become one.
	if n := len(b.buf); n > 0 && b.buf[n-1].Key == e.Key {
		b.buf[n-1].Count += e.Count
		return
	}
	b.buf = append(b.buf, e)
	if len(b.buf) == b.size {
		b.flush()
	}
}

// flush sends what is there. The caller holds mu.
func (b *Batcher) flush() {
	if len(b.buf) == 0 {
		return
	}
	b.out <- b.buf
	b.sent++
	b.buf = b.buf[:0]
}

// Close sends what is left and ends the batches.
func (b *Batcher) Close() (sent int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flush()
	close(b.out)
	return b.sent
}

// Totals adds the events of all batches up, by key.
func Totals(batches <-chan []Event) map[string]int {
	totals := map[string]int{}
	for batch := range batches {
		for _, e := range batch {
			totals[e.Key] += e.Count
		}
	}
	return totals
}
