// Package migrate moves keys from a small table to a large one.
package migrate

import (
	"sync"
	"sync/atomic"
)

type table struct {
	mu   sync.Mutex
	keys map[string]bool
}

func (t *table) add(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keys[key] = true
}

func (t *table) copyTo(to *table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k := range t.keys {
		to.add(k)
	}
}

// Tables has an old and a new table.
type Tables struct {
	current  atomic.Pointer[table]
	old, new table
	load     atomic.Int32
	moving   sync.RWMutex
}

// Open returns tables; the old one is current.
func Open() *Tables {
	t := &Tables{}
	t.old.keys, t.new.keys = map[string]bool{}, map[string]bool{}
	t.current.Store(&t.old)
	return t
}

func (t *Tables) put(key string) {
	t.moving.RLock()
	defer t.moving.RUnlock()
	to := t.current.Load()
	t.load.Add(1)
	to.add(key)
}

func (t *Tables) full() bool { return t.load.Load() >= 2 }

// move moves the keys if the old table is full.
func (t *Tables) move() {
	t.moving.Lock()
	defer t.moving.Unlock()
	if !t.full() {
		return
	}
	t.old.copyTo(&t.new)
	t.current.Store(&t.new)
}

func (t *Tables) has(key string) bool {
	from := t.current.Load()
	from.mu.Lock()
	defer from.mu.Unlock()
	return from.keys[key]
}
