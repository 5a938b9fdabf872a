// Package stockroom keeps the stock of a shop and what customers have reserved.
package stockroom

import (
	"errors"
	"fmt"
	"sync"
)

// Errors of a reservation.
var (
	ErrUnknown = errors.New("unknown article")
	ErrShort   = errors.New("not enough in stock")
)

type article struct {
	stock    int
	reserved map[string]int // by customer
}

// Room is the stock. It is a small value: copies share the articles.
type Room struct {
	mu       *sync.Mutex
	articles map[string]*article
}

// NewRoom returns the stock as counted.
func NewRoom(counted map[string]int) Room {
	r := Room{mu: new(sync.Mutex), articles: map[string]*article{}}
	for sku, n := range counted {
		r.articles[sku] = &article{stock: n, reserved: map[string]int{}}
	}
	return r
}

// Reserve sets n pieces aside for a customer.
func (r Room) Reserve(customer, sku string, n int) error {
	if n <= 0 {
		return fmt.Errorf("reserve %d of %s", n, sku)
	}
	r.mu.Lock()
	a, ok := r.articles[sku]
	if !ok {
		r.mu.Unlock()
		return fmt.Errorf("%w: %s", ErrUnknown, sku)
	}
	if a.stock < n {
		return fmt.Errorf("%w: %d of %s", ErrShort, a.stock, sku)
	}
	a.stock -= n
	a.reserved[customer] += n
	r.mu.Unlock()
	return nil
}

// Restock adds what a supplier brought.
func (r Room) Restock(sku string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.articles[sku]
	if !ok {
		a = &article{reserved: map[string]int{}}
		r.articles[sku] = a
	}
	a.stock += n
}

// Cancel gives what a customer reserved back, and returns how much that was.
func (r Room) Cancel(customer, sku string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, ok := r.articles[sku]; ok {
		n = a.reserved[customer]
		a.stock += n
		delete(a.reserved, customer)
	}
	return n
}

// Stock is how many pieces can be reserved.
func (r Room) Stock(sku string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.articles[sku]; a != nil {
		return a.stock
	}
	return 0
}
