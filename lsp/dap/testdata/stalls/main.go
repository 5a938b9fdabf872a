// Command stalls moves money both ways at once, while a clock ticks: when the
// two wait for each other, the program goes on for ever.
package main

import (
	"sync"
	"time"
)

type account struct {
	mu      sync.Mutex
	balance int
}

func transfer(from, to *account, amount int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.balance -= amount
	to.balance += amount
}

func main() {
	a, b := &account{balance: 10}, &account{balance: 20}
	go func() {
		for range time.Tick(time.Millisecond) {
		}
	}()
	var done sync.WaitGroup
	done.Go(func() { transfer(a, b, 1) })
	done.Go(func() { transfer(b, a, 2) })
	done.Wait()
}
