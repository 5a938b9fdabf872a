// Package upstreams balances requests over the backends of a service.
package upstreams

import (
	"errors"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
)

// ErrNone is returned while the pool has no backend.
var ErrNone = errors.New("no upstream")

type backend struct {
	name   string
	target atomic.Pointer[url.URL] // replaced when the service moves
	served atomic.Int64
}

// Pool hands requests to its backends in turn.
type Pool struct {
	mu       sync.RWMutex
	backends []*backend
	next     int
}

// find returns the backend of a name. The caller holds mu.
func (p *Pool) find(name string) *backend {
	i := slices.IndexFunc(p.backends, func(b *backend) bool { return b.name == name })
	if i < 0 {
		return nil
	}
	return p.backends[i]
}

// Announce adds a backend, or tells where it is now.
func (p *Pool) Announce(name, addr string) error {
	if name == "" {
		return errors.New("an upstream needs a name")
	}
	u, err := url.Parse(addr)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.find(name)
	if b == nil {
		b = &backend{name: name}
		b.target.Store(u)
		p.backends = append(p.backends, b)
		return nil
	}
	b.target.Store(u)
	return nil
}

// Route returns where to send the next request for path.
func (p *Pool) Route(path string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.backends) == 0 {
		return "", ErrNone
	}
	b := p.backends[p.next%len(p.backends)]
	p.next++
	b.served.Add(1)
	return b.target.Load().JoinPath(path).String(), nil
}

// Served is how many requests went to each backend.
func (p *Pool) Served() map[string]int64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	n := make(map[string]int64, len(p.backends))
	for _, b := range p.backends {
		n[b.name] = b.served.Load()
	}
	return n
}
