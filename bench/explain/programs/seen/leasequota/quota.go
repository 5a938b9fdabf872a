// Package leasequota limits how many leases clients hold.
package leasequota

import (
	"errors"
	"sync"
)

var errFull = errors.New("leasequota: no lease left")

// Quota hands leases out.
type Quota struct {
	mu     sync.Mutex
	left   int
	owners map[string]int
}

// New returns a quota of n leases.
func New(n int) *Quota {
	return &Quota{left: n, owners: map[string]int{}}
}

func (q *Quota) available() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.left
}

func (q *Quota) grant(owner string, by int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.owners[owner] += by
	q.left -= by
}

// Acquire takes a lease for owner.
func (q *Quota) Acquire(owner string) error {
	if q.available() < 1 {
		return errFull
	}
	q.grant(owner, 1)
	return nil
}

// Release gives a lease of owner back.
func (q *Quota) Release(owner string) {
	q.grant(owner, -1)
}

// Left is how many leases are free.
func (q *Quota) Left() int {
	return q.available()
}
