package main

import (
	"fmt"
	"sync"
)

type index struct {
	mu    sync.RWMutex
	words map[string]int
	stats sync.RWMutex
	hits  int
}

func (x *index) find(w string) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.count()
	return x.words[w]
}

func (x *index) count() {
	x.stats.Lock()
	x.hits++
	x.stats.Unlock()
}

func (x *index) has(w string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.find(w) > 0
}

func (x *index) report() string {
	x.stats.RLock()
	defer x.stats.RUnlock()
	return fmt.Sprint(x.hits, x.length())
}

func (x *index) length() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.words)
}

func (x *index) add(w string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.words[w]++
}

func main() {
	x := &index{words: map[string]int{}}
	var wg sync.WaitGroup
	wg.Go(func() { x.has("a") })
	wg.Go(func() { x.report() })
	wg.Go(func() { x.add("a") })
	wg.Go(func() { x.find("b") })
	wg.Wait()
	fmt.Println(x.report())
}
