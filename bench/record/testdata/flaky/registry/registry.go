// Package registry makes things by name, once.
package registry

import "sync"

// Thing may have a parent.
type Thing struct {
	ID     int
	Parent *Thing
	sum    int
}

// Registry is mostly read.
type Registry struct {
	mu   sync.RWMutex
	byID map[int]*Thing
	made int
}

// New returns an empty registry.
func New() *Registry { return &Registry{byID: map[int]*Thing{}} }

func (r *Registry) known(id int) *Thing {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byID[id]
}

// Get returns the thing of a number. Multiples of a thousand have a parent.
func (r *Registry) Get(id int) *Thing {
	if t := r.known(id); t != nil {
		return t
	}
	var parent *Thing
	if id%1000 == 0 && id > 0 {
		parent = r.Get(id / 1000)
		t := make1(id, parent)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.byID[id] = t // over what came meanwhile
		r.made++
		return t
	}
	t := make1(id, nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.byID[id]; old != nil {
		return old
	}
	r.byID[id] = t
	r.made++
	return t
}

func make1(id int, parent *Thing) *Thing {
	t := &Thing{ID: id, Parent: parent}
	for i := range 8_000 {
		t.sum = t.sum*31 + i
	}
	return t
}

// Check reports whether each thing was made once.
func (r *Registry) Check() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.made == len(r.byID)
}
