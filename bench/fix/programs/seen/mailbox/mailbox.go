// Package mailbox has the mailboxes of actors: queues without a bound, read by
// one or more workers.
package mailbox

import "sync"

// Mailbox is a queue of messages.
type Mailbox[M any] struct {
	mu     sync.Mutex
	change *sync.Cond
	queue  []M
	closed bool
	peak   int
}

// New returns an empty mailbox.
func New[M any]() *Mailbox[M] {
	b := &Mailbox[M]{}
	b.change = sync.NewCond(&b.mu)
	return b
}

// Post puts messages in; false if the mailbox is closed.
func (b *Mailbox[M]) Post(messages ...M) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.queue = append(b.queue, messages...)
	b.peak = max(b.peak, len(b.queue))
	b.change.Broadcast()
	return true
}

// Take returns the next message, and waits for one if there is none. It returns
// false when the mailbox is closed and all messages are taken.
func (b *Mailbox[M]) Take() (m M, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) == 0 && !b.closed {
		b.change.Wait()
	}
	if len(b.queue) == 0 {
		return m, false // closed and empty
	}
	m = b.queue[0]
	b.queue = b.queue[1:]
	return m, true
}

// Close ends the mailbox. What was posted can still be taken.
func (b *Mailbox[M]) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.change.Broadcast()
}

// Peak is the greatest length that the queue had.
func (b *Mailbox[M]) Peak() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.peak
}

// Each calls handle with each message until the mailbox is closed and empty, and
// returns how many there were.
func (b *Mailbox[M]) Each(handle func(M)) (n int) {
	for {
		m, ok := b.Take()
		if !ok {
			return n
		}
		handle(m)
		n++
	}
}
