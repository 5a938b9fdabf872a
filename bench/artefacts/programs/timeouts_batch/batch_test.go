package batch

import (
	"sync"
	"testing"
)

type batch struct {
	mu    sync.Mutex
	rows  []int
	full  chan []int
	acks  chan int
	total int
}

func (b *batch) add(v int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows = append(b.rows, v)
	if len(b.rows) == 2 {
		b.full <- b.rows
		b.rows = nil
	}
}

func (b *batch) write() {
	for rows := range b.full {
		b.mu.Lock()
		b.total += len(rows)
		b.mu.Unlock()
		b.acks <- len(rows)
	}
}

func (b *batch) flush() {
	b.mu.Lock()
	rows := b.rows
	b.rows = nil
	b.mu.Unlock()
	if len(rows) > 0 {
		b.full <- rows
	}
	<-b.acks
}

func TestFlush(t *testing.T) {
	b := &batch{full: make(chan []int), acks: make(chan int, 1)}
	go b.write()
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { b.add(i) })
	}
	wg.Go(func() { b.flush() })
	wg.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.total+len(b.rows) != 3 {
		t.Errorf("%d rows", b.total)
	}
}
