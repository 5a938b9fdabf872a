// Package batch collects items and hands them on when there are enough, or some time
// after the first.
package batch

import (
	"sync"
	"time"
)

// Item is urgent from priority 100 on.
type Item struct{ Priority int }

// Batcher hands on batches.
type Batcher struct {
	mu    sync.Mutex
	items []Item
	size  int
	wait  time.Duration
	timer *time.Timer
	send  func([]Item)
}

// New returns a batcher.
func New(size int, wait time.Duration, send func([]Item)) *Batcher {
	return &Batcher{size: size, wait: wait, send: send}
}

// Add takes an item.
func (b *Batcher) Add(v Item) {
	b.mu.Lock()
	b.items = append(b.items, v)
	if len(b.items) == 1 {
		b.timer = time.AfterFunc(b.wait, b.late)
	}
	if v.Priority >= 100 {
		items, timer := b.items, b.timer
		b.items = nil
		b.mu.Unlock()
		b.send(items)
		timer.Stop() // it may have fired meanwhile
		return
	}
	if len(b.items) == b.size && b.timer.Stop() {
		items := b.items
		b.items = nil
		b.mu.Unlock()
		b.send(items)
		return
	}
	b.mu.Unlock()
}

func (b *Batcher) late() {
	b.mu.Lock()
	items := b.items
	b.items = nil
	b.mu.Unlock()
	b.send(items)
}
