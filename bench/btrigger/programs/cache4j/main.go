// Command cache4j is a cache with a cleaner, after cache4j: the cleaner sleeps
// between its rounds, and is woken when its interval is changed.
//
//	race:       the flag that says "asleep" is set before the cleaner can be woken;
//	            who sees it in between wakes nobody (DOSSIER: Cache4j)
//	atomicity:  the cleaner looks whether an object is old, then removes it, in
//	            two lock regions; an object renewed in between is lost
package main

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	objects = 400
	rounds  = 40
)

func main() {
	switch bug := os.Args[1]; bug {
	case "race":
		changeInterval()
	case "atomicity":
		cleanWhileUsed()
	default:
		fmt.Fprintln(os.Stderr, "cache4j: no bug", bug)
		os.Exit(2)
	}
}

// cleaner removes old objects, and sleeps.
type cleaner struct {
	mu       sync.Mutex
	sleeping atomic.Bool
	ready    atomic.Bool // inside the part that a wake-up ends
	wake     chan struct{}
	interval int
}

func (c *cleaner) run(cache *cache, done <-chan struct{}) {
	for {
		cache.removeOld()
		c.sleeping.Store(true)
		c.ready.Store(true) // l1
		select {
		case <-c.wake:
		case <-done:
			return
		}
		c.ready.Store(false)
		c.sleeping.Store(false)
	}
}

// setInterval wakes the cleaner, so that it heeds the new value.
func (c *cleaner) setInterval(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interval = n
	if c.sleeping.Load() {
		if !c.ready.Load() { // l2
			panic("interrupted outside of the part that expects it")
		}
		select {
		case c.wake <- struct{}{}:
		default: // about to wait: it will see the value
		}
	}
}

func changeInterval() {
	cache := newCache()
	c := &cleaner{wake: make(chan struct{})}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { c.run(cache, done) })
	for i := range rounds {
		fill(cache, i)
		time.Sleep(100 * time.Microsecond) // users come now and then
		c.setInterval(i)
	}
	close(done)
	wg.Wait()
}

// cache maps keys to objects with the round in which they were last used.
type cache struct {
	mu   sync.Mutex
	now  int
	used map[int]int
}

func newCache() *cache { return &cache{used: map[int]int{}} }

func (c *cache) put(key int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used[key] = c.now // renewed
}

func (c *cache) has(key int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.used[key]
	return ok
}

func (c *cache) old(key int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.used[key]
	return ok && c.now-at > 3
}

func (c *cache) remove(key int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.used, key)
}

func (c *cache) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
}

func (c *cache) removeOld() {
	for key := range objects {
		if c.old(key) {
			c.remove(key) // l3
		}
	}
}

func cleanWhileUsed() {
	c := newCache()
	fill(c, 0)
	for range 4 {
		c.tick()
	}
	var wg sync.WaitGroup
	wg.Go(c.removeOld)
	wg.Go(func() {
		for key := objects - 1; key >= 0; key-- {
			use(c, key)
		}
	})
	wg.Wait()
	for key := range objects { // all are fresh
		if !c.has(key) {
			panic(fmt.Sprintf("object %d was renewed and is gone", key))
		}
	}
}

// use takes an object into use, which renews it.
func use(c *cache, key int) {
	for range 20 {
		work(key)
	}
	c.put(key) // l4
}

func fill(c *cache, round int) {
	for key := range objects {
		work(key + round)
		c.put(key)
	}
	c.tick()
}

var sink atomic.Uint64

func work(n int) {
	h := uint64(n)
	for range 200 {
		h = h*6364136223846793005 + 1442695040888963407
	}
	sink.Store(h)
}
