// Package statusread combines the status of many clusters.
package statusread

import (
	"fmt"
	"sync"
)

// Resolution is what is known of an object.
type Resolution struct {
	mu       sync.RWMutex
	clusters map[string]string
	last     string
}

// New returns an empty resolution.
func New() *Resolution {
	return &Resolution{clusters: map[string]string{}}
}

// Update stores the status of a cluster.
func (r *Resolution) Update(cluster, status string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clusters[cluster] = status
}

// Render shows all statuses.
func (r *Resolution) Render() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.render()
}

func (r *Resolution) render() string {
	ready := 0
	for _, s := range r.clusters {
		if s == "ready" {
			ready++
		}
	}
	return fmt.Sprintf("%d/%d ready", ready, len(r.clusters))
}

// Compare reports whether the status is another than text.
func (r *Resolution) Compare(text string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.last == text {
		return false
	}
	return r.render() != text
}
