package breakpoints_test

import (
	"fmt"
	"sync"

	"github.com/hocket-dev/hocket/breakpoints"
)

// counter loses an update when both goroutines have read before one writes.
// Each access is fine on its own for the race detector; together they are not
// atomic.
type counter struct {
	mu sync.Mutex
	n  int
}

var updates = breakpoints.Race("counter.Add")

func (c *counter) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *counter) set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

func (c *counter) add(side, n int) {
	old := c.get()
	updates.Here(side, &c.n) // both have read: now side 1 writes first
	c.set(old + n)
	updates.Did(side)
}

// Two goroutines are about to write the same variable, from the same old value.
func ExampleRace() {
	defer breakpoints.Enable("counter.Add")()
	var c counter
	var wg sync.WaitGroup
	wg.Go(func() { c.add(1, 10) })
	wg.Go(func() { c.add(2, 100) })
	wg.Wait()
	fmt.Println(c.n, "instead of 110; hits:", updates.Stat().Hit)
	// Output: 100 instead of 110; hits: 1
}

var queueing = breakpoints.Contention("ticket lock")

// Both want the lock, and the one that asks for the last ticket second gets none.
func ExampleContention() {
	defer breakpoints.Enable("ticket lock")()
	var mu sync.Mutex
	tickets := 1
	buy := func(side int, who string) {
		queueing.Here(side, &mu)
		mu.Lock()
		defer mu.Unlock()
		if tickets == 0 {
			fmt.Println(who, "gets none")
			return
		}
		tickets--
	}
	var wg sync.WaitGroup
	wg.Go(func() { buy(2, "the customer") })
	wg.Go(func() { buy(1, "the reseller") })
	wg.Wait()
	// Output: the customer gets none
}

// cache checks and uses in two steps: synchronised singly, not together.
type cache struct{ m sync.Map }

var between = breakpoints.Atomicity("cache.get")

func (c *cache) get(key string) any {
	if _, ok := c.m.Load(key); !ok { // l1
		return "not there"
	}
	between.Here(1, c)
	v, _ := c.m.Load(key) // l1'
	return v
}

func (c *cache) evict(key string) {
	between.Here(2, c)
	c.m.Delete(key)
	between.Did(2)
}

// Between the check and the use, another goroutine evicts the entry.
func ExampleAtomicity() {
	defer breakpoints.Enable("cache.get")()
	var c cache
	c.m.Store("k", "v")
	var wg sync.WaitGroup
	wg.Go(func() { fmt.Println("got", c.get("k")) })
	wg.Go(func() { c.evict("k") })
	wg.Wait()
	// Output: got <nil>
}
