// Command probewatch watches the health of services and tells an operator of
// changes.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
)

// change is one change of a service's health.
type change struct {
	service string
	healthy bool
}

// monitor knows the health of services.
type monitor struct {
	mu       sync.Mutex
	healthy  map[string]bool
	listener func(change)
}

func newMonitor(listener func(change)) *monitor {
	return &monitor{healthy: map[string]bool{}, listener: listener}
}

// report notes the outcome of a probe, and tells the listener if it is news.
func (m *monitor) report(service string, healthy bool) {
	m.mu.Lock()
	was, known := m.healthy[service]
	m.healthy[service] = healthy
	m.mu.Unlock()
	if known && was == healthy || m.listener == nil {
		return
	}
	m.listener(change{service, healthy})
}

// sick lists the services that are not healthy.
func (m *monitor) sick() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var names []string
	for s, ok := range m.healthy {
		if !ok {
			names = append(names, s)
		}
	}
	sort.Strings(names)
	return names
}

// operator writes a line for each change, with all that is sick at that time.
type operator struct {
	changes chan change
	lines   []string
	done    chan struct{}
}

func newOperator() *operator {
	return &operator{changes: make(chan change), done: make(chan struct{})}
}

func (o *operator) run(m *monitor) {
	defer close(o.done)
	for c := range o.changes {
		word := "down"
		if c.healthy {
			word = "up"
		}
		o.lines = append(o.lines, fmt.Sprintf("%s %s, sick: %s", c.service, word, strings.Join(m.sick(), " ")))
	}
}

func main() {
	o := newOperator()
	m := newMonitor(func(c change) { o.changes <- c })
	go o.run(m)

	var probes sync.WaitGroup
	for _, service := range []string{"mail", "shop"} {
		probes.Go(func() { m.report(service, service == "mail") })
	}
	probes.Wait()
	m.report("shop", false) // no news
	close(o.changes)
	<-o.done

	if len(o.lines) != 2 || strings.Join(m.sick(), " ") != "shop" {
		fmt.Fprintln(os.Stderr, "probewatch: told", o.lines)
		os.Exit(1)
	}
	fmt.Println(len(o.lines), "changes")
}
