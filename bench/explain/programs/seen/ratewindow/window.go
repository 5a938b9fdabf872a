// Package ratewindow measures how many requests fail.
package ratewindow

import "sync/atomic"

type counter struct{ n atomic.Int64 }

func (c *counter) inc()       { c.n.Add(1) }
func (c *counter) get() int64 { return c.n.Load() }
func (c *counter) reset()     { c.n.Store(0) }

// Window counts the requests since the last roll.
type Window struct {
	total  counter
	failed counter
	rolls  counter
}

// Observe counts a request.
func (w *Window) Observe(ok bool) {
	w.total.inc()
	if !ok {
		w.failed.inc()
	}
}

// Roll starts a new window.
func (w *Window) Roll() {
	w.rolls.inc()
	w.failed.reset()
	w.total.reset()
}

// Rate is the share of requests that failed, in percent.
func (w *Window) Rate() int64 {
	failed := w.failed.get()
	total := w.total.get()
	if total == 0 {
		return 0
	}
	return 100 * failed / total
}
