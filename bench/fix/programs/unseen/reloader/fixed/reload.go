// Package reloader applies new settings to a service while it runs.
package reloader

import (
	"maps"
	"sync"
)

// Settings by name.
type Settings map[string]string

// Bus tells subscribers of changed settings.
type Bus struct {
	mu   sync.Mutex
	subs []func(Settings)
	last Settings
}

// Subscribe calls fn with the settings that are known, and with each change.
func (b *Bus) Subscribe(fn func(Settings)) {
	b.mu.Lock()
	b.subs = append(b.subs, fn)
	last := b.last
	b.mu.Unlock()
	if last != nil {
		fn(last)
	}
}

// Publish tells all subscribers.
func (b *Bus) Publish(s Settings) (told int) {
	b.mu.Lock()
	b.last = maps.Clone(s)
	subs := b.subs
	b.mu.Unlock()
	for _, fn := range subs {
		fn(s)
	}
	return len(subs)
}

// Reloader is the subscriber of one component.
type Reloader struct {
	name string

	mu      sync.Mutex
	apply   func(key, value string) error
	applied int
	failed  map[string]error
}

// Attach applies each change of a setting below prefix to a component.
func Attach(b *Bus, name string, apply func(key, value string) error) *Reloader {
	r := &Reloader{name: name, apply: apply, failed: map[string]error{}}
	b.Subscribe(r.changed)
	return r
}

// changed is called by the bus.
func (r *Reloader) changed(s Settings) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, value := range s {
		if err := r.apply(key, value); err != nil {
			r.failed[key] = err
			continue
		}
		delete(r.failed, key)
		r.applied++
	}
}

// Applied is how many settings were applied, and the errors by setting.
func (r *Reloader) Applied() (int, map[string]error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.applied, maps.Clone(r.failed)
}
