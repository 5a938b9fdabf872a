// Command watchbus tells watchers of changes.
package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

type watcher struct {
	name string
	ch   chan int
	gone chan struct{}
}

type bus struct {
	mu       sync.Mutex
	watchers map[string]*watcher
	revision int
}

func (b *bus) add(name string) *watcher {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := &watcher{name, make(chan int), make(chan struct{})}
	b.watchers[name] = w
	return w
}

func (b *bus) remove(w *watcher) {
	close(w.gone)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.watchers, w.name)
}

// notify tells all watchers of a new revision.
func (b *bus) notify() {
	b.mu.Lock()
	b.revision++
	rev, ws := b.revision, slices.Collect(maps.Values(b.watchers))
	b.mu.Unlock()
	for _, w := range ws {
		select {
		case w.ch <- rev:
		case <-w.gone:
		}
	}
}

// first waits for one change and leaves.
func (b *bus) first(w *watcher) int {
	rev := <-w.ch
	b.remove(w)
	return rev
}

func main() {
	b := &bus{watchers: map[string]*watcher{}}
	w := b.add("lease")
	var wg sync.WaitGroup
	wg.Go(func() { fmt.Println(b.first(w) > 0) })
	b.notify()
	time.Sleep(time.Millisecond) // the next change comes later
	b.notify()
	wg.Wait()
}
