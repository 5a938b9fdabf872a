// Package webhooks takes deliveries of a payment provider, which sends each event
// at least once.
package webhooks

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Event is one delivery.
type Event struct {
	ID     string
	Type   string
	Amount int
}

// Handler books an event.
type Handler func(Event) error

// Inbox calls a handler once for each event, however often it is delivered.
type Inbox struct {
	handlers map[string]Handler // by type
	seen     sync.Map           // ID to the time of the first delivery
	clock    func() time.Time
}

// NewInbox returns an inbox with handlers by type; events of other types are
// accepted and ignored.
func NewInbox(handlers map[string]Handler) *Inbox {
	return &Inbox{handlers: handlers, clock: time.Now}
}

// Deliver handles an event. With an error the provider delivers it again later.
func (in *Inbox) Deliver(e Event) (fresh bool, err error) {
	if e.ID == "" {
		return false, errors.New("event without an ID")
	}
	handle, ok := in.handlers[e.Type]
	if !ok {
		return false, nil
	}
	if _, dup := in.seen.LoadOrStore(e.ID, in.clock()); dup {
		return false, nil
	}
	if err := handle(e); err != nil {
		in.seen.Delete(e.ID) // so that the next delivery is handled
		return false, fmt.Errorf("event %s: %w", e.ID, err)
	}
	return true, nil
}

// Forget drops what was first delivered longer ago than age, and returns how many.
func (in *Inbox) Forget(age time.Duration) (n int) {
	limit := in.clock().Add(-age)
	in.seen.Range(func(id, at any) bool {
		if at.(time.Time).Before(limit) && in.seen.CompareAndDelete(id, at) {
			n++
		}
		return true
	})
	return n
}
