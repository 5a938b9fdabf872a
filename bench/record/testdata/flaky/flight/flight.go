// Package flight lets callers that want the same share one call.
package flight

import (
	"errors"
	"sync"
)

// ErrBusy is returned by calls that are to be made again.
var ErrBusy = errors.New("busy")

type call struct {
	done  chan struct{}
	value int
	err   error
}

// Group shares calls, and keeps their results.
type Group struct {
	mu      sync.Mutex
	calls   map[int]*call
	results map[int]int
}

// New returns a group.
func New() *Group { return &Group{calls: map[int]*call{}, results: map[int]int{}} }

// Do returns f's result for a key; f succeeds once for each.
func (g *Group) Do(key int, f func(key int) (int, error)) int {
	g.mu.Lock()
	if v, ok := g.results[key]; ok {
		g.mu.Unlock()
		return v
	}
	if c := g.calls[key]; c != nil {
		g.mu.Unlock()
		<-c.done
		if c.err != nil {
			return g.Do(key, f)
		}
		return c.value
	}
	c := &call{done: make(chan struct{})}
	g.calls[key] = c
	g.mu.Unlock()
	c.value, c.err = f(key)
	if errors.Is(c.err, ErrBusy) {
		// Others need not wait for the second attempt.
		g.mu.Lock()
		delete(g.calls, key)
		g.mu.Unlock()
		close(c.done)
		v, _ := f(key)
		g.mu.Lock()
		g.results[key] = v
		g.mu.Unlock()
		return v
	}
	g.mu.Lock()
	g.results[key] = c.value
	delete(g.calls, key)
	g.mu.Unlock()
	close(c.done)
	return c.value
}
