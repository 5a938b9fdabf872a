// Package eventhub passes messages on to subscribers.
package eventhub

import "sync"

type message struct {
	topic string
	body  string
}

type subscriber struct {
	topic string
	ch    chan message
}

// Hub knows the subscribers.
type Hub struct {
	mu     sync.RWMutex
	closed bool
	subs   []*subscriber
}

// Subscribe returns the messages of topic.
func (h *Hub) Subscribe(topic string) <-chan message {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &subscriber{topic: topic, ch: make(chan message, 8)}
	h.subs = append(h.subs, s)
	return s.ch
}

// interested returns the subscribers of topic, nil if the hub is closed.
func (h *Hub) interested(topic string) []*subscriber {
	if h.closed {
		return nil
	}
	var out []*subscriber
	for _, s := range h.subs {
		if s.topic == topic {
			out = append(out, s)
		}
	}
	return out
}

// Publish passes m on.
func (h *Hub) Publish(m message) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, s := range h.interested(m.topic) {
		s.ch <- m
	}
}

// Close ends all subscriptions.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, s := range h.subs {
		close(s.ch)
	}
}
