// Package pollerhook polls a queue and tells a hook.
package pollerhook

import "sync/atomic"

// Event is what a poll found.
type Event struct {
	Seq  int
	Name string
}

// Poller delivers the events of a queue.
type Poller struct {
	queue   chan Event
	onEvent atomic.Pointer[func(Event)]
	ended   chan struct{}
}

// Start returns a poller of queue that calls hook for each event.
func Start(queue chan Event, hook func(Event)) *Poller {
	p := &Poller{queue: queue, ended: make(chan struct{})}
	go p.loop()
	p.SetHook(hook)
	return p
}

// SetHook replaces the hook.
func (p *Poller) SetHook(hook func(Event)) {
	p.onEvent.Store(&hook)
}

func (p *Poller) loop() {
	defer close(p.ended)
	for e := range p.queue {
		p.deliver(e)
	}
}

func (p *Poller) deliver(e Event) {
	hook := p.onEvent.Load()
	(*hook)(e)
}

// Wait waits until the queue is closed and empty.
func (p *Poller) Wait() {
	<-p.ended
}
