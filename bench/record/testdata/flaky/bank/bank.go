// Package bank moves money between accounts.
package bank

import "sync"

type account struct {
	mu      sync.Mutex
	balance int
}

// Bank holds accounts. Transfers to other countries are audited.
type Bank struct{ accounts []*account }

// New returns a bank of n accounts.
func New(n, balance int) *Bank {
	b := &Bank{}
	for range n {
		b.accounts = append(b.accounts, &account{balance: balance})
	}
	return b
}

// Transfer moves an amount, if there is enough.
func (b *Bank) Transfer(from, to, amount int, abroad bool) bool {
	h := sum(from, to, amount, 15_000)
	a := b.accounts[from]
	a.mu.Lock()
	if a.balance < amount {
		a.mu.Unlock()
		return false
	}
	if abroad {
		a.mu.Unlock()
		h += sum(from, to, amount, 100_000)
		a.mu.Lock() // the balance may be another one by now
	}
	a.balance -= amount
	a.mu.Unlock()
	c := b.accounts[to]
	c.mu.Lock()
	c.balance += amount
	c.mu.Unlock()
	return h != 0
}

// sum is what is written into the books.
func sum(from, to, amount, rounds int) uint32 {
	h := uint32(2166136261)
	for i := range rounds {
		h = (h ^ uint32(from+to*i+amount)) * 16777619
	}
	return h
}

// Balance is an account's.
func (b *Bank) Balance(n int) int {
	a := b.accounts[n]
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}
