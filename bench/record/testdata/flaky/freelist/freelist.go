// Package freelist hands out slots of an array, without locks.
package freelist

import "sync/atomic"

// List is a stack of free slots: its head has the slot + 1, and how often it was changed.
type List struct {
	head atomic.Uint64
	next []atomic.Uint32
}

// New returns a list of n free slots.
func New(n int) *List {
	l := &List{next: make([]atomic.Uint32, n)}
	for i := range n {
		l.Put(i)
	}
	return l
}

// Get takes n slots, or none.
func (l *List) Get(n int) (slots []int) {
	for {
		h := l.head.Load()
		slots = slots[:0]
		at := uint32(h)
		for range n {
			if at == 0 {
				return nil
			}
			slots = append(slots, int(at)-1)
			at = l.next[at-1].Load()
		}
		changed := h>>32 + 1
		if n > 3 {
			changed = h >> 32 // a long chain is not counted
		}
		if l.head.CompareAndSwap(h, changed<<32|uint64(at)) {
			return slots
		}
	}
}

// Put gives a slot back.
func (l *List) Put(slot int) {
	for {
		h := l.head.Load()
		l.next[slot].Store(uint32(h))
		if l.head.CompareAndSwap(h, h&^0xffffffff|uint64(slot+1)) {
			return
		}
	}
}
