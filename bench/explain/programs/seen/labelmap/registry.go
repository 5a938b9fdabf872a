// Package labelmap counts by label.
package labelmap

import "sync"

// Registry has a count for each label.
type Registry struct {
	mu     sync.Mutex
	counts map[string]int
}

// New returns an empty registry.
func New() *Registry { return &Registry{counts: map[string]int{}} }

// Inc counts one of label.
func (r *Registry) Inc(label string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[label]++
}

// Snapshot returns the counts.
func (r *Registry) Snapshot() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts
}

// page is what a scrape shows.
type page struct {
	total int
	ok    int
}

func scrape(r *Registry) page {
	counts := r.Snapshot()
	p := page{ok: counts["ok"]}
	for _, n := range counts {
		p.total += n
	}
	return p
}
