// Package spanbatch collects spans and exports them in batches.
package spanbatch

type span struct {
	id   int
	name string
}

type exporter interface{ export([]span) }

// Batcher exports when it has enough spans, and at the end.
type Batcher struct {
	queue chan span
	stop  chan struct{}
	done  chan struct{}
	out   exporter
	size  int
}

// New starts a batcher.
func New(out exporter, size int) *Batcher {
	b := &Batcher{
		queue: make(chan span, 16),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
		out:   out,
		size:  size,
	}
	go b.run()
	return b
}

func (b *Batcher) run() {
	defer close(b.done)
	var batch []span
	flush := func() {
		if len(batch) > 0 {
			b.out.export(batch)
			batch = nil
		}
	}
	for {
		select {
		case s := <-b.queue:
			batch = append(batch, s)
			if len(batch) == b.size {
				flush()
			}
		case <-b.stop:
			flush()
			return
		}
	}
}

// Record queues a span.
func (b *Batcher) Record(s span) {
	b.queue <- s
}

// Shutdown exports what is left.
func (b *Batcher) Shutdown() {
	close(b.stop)
	<-b.done
}
