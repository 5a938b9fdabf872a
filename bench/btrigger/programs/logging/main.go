// Command logging is java.util.logging's Logger and LogManager: each has a
// monitor, and they are taken in opposite orders (DOSSIER: BTrigger logging;
// the methods are ours).
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func main() {
	m := &manager{loggers: map[string]*logger{}}
	for i := range 300 {
		m.add(fmt.Sprint("app.part", i))
	}
	root := m.add("app")
	var wg sync.WaitGroup
	wg.Go(func() {
		spin(4_000_000)
		root.setParent("app.part7")
	})
	wg.Go(func() { m.reset() })
	wg.Wait()
	fmt.Println("loggers:", len(m.loggers))
}

// manager knows all loggers by name.
type manager struct {
	mu      sync.Mutex
	loggers map[string]*logger
}

type logger struct {
	mu     sync.Mutex
	name   string
	level  int
	parent *logger
	of     *manager
}

func (m *manager) add(name string) *logger {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &logger{name: name, level: len(name), of: m}
	m.loggers[name] = l
	return l
}

func (m *manager) find(name string) *logger {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.loggers[name]
}

// reset sets every logger's level, the manager's lock being held.
func (m *manager) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.loggers {
		l.setLevel(0)
	}
}

func (l *logger) setLevel(n int) {
	l.mu.Lock() // l2
	defer l.mu.Unlock()
	l.level = n
}

// setParent looks the parent up while it holds the logger's lock.
func (l *logger) setParent(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parent = l.of.find(name) // l1
}

var sink atomic.Uint64

// spin computes for a while.
func spin(n int) {
	h := uint64(1)
	for range n {
		h = h*6364136223846793005 + 1442695040888963407
	}
	sink.Store(h)
}
