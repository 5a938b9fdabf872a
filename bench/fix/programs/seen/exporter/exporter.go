// Package exporter ships measurements to a collector, in the background.
package exporter

import (
	"errors"
	"sync"
)

var errClosed = errors.New("transport is closed")

// Point is one measurement.
type Point struct {
	Series string
	Value  float64
}

// Collector is the transport to a collector: here one that keeps the points.
type Collector struct {
	mu     sync.Mutex
	points []Point
	closed bool
}

func (c *Collector) post(p Point) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errClosed
	}
	c.points = append(c.points, p)
	return nil
}

func (c *Collector) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
}

// Sum is the sum of what a series received.
func (c *Collector) Sum(series string) (sum float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.points {
		if p.Series == series {
			sum += p.Value
		}
	}
	return sum
}

// Exporter ships points with a fixed number of shippers.
type Exporter struct {
	queue     chan Point
	collector *Collector
	shippers  sync.WaitGroup

	mu   sync.Mutex
	lost int
}

// Start returns an exporter with n shippers.
func Start(c *Collector, n int) *Exporter {
	e := &Exporter{queue: make(chan Point), collector: c}
	for range n {
		e.shippers.Add(1)
		go e.ship()
	}
	return e
}

func (e *Exporter) ship() {
	defer e.shippers.Done()
	for p := range e.queue {
		if err := e.collector.post(p); err != nil {
			e.mu.Lock()
			e.lost++
			e.mu.Unlock()
		}
	}
}

// Export hands a point to a shipper.
func (e *Exporter) Export(series string, v float64) {
	e.queue <- Point{series, v}
}

// Shutdown ships what was exported and ends the exporter. It returns how many
// points the collector did not take.
func (e *Exporter) Shutdown() int {
	close(e.queue)
	e.collector.close()
	e.shippers.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.lost
}
