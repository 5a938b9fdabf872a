package protocol

import (
	"context"
	"errors"
	"io"
	"sync"
)

// What waits to be written, in bytes. A client that does not read is dealt with
// so:
//
//   - up to softLimit everything is queued, and nobody waits;
//   - beyond it, goroutines that send notifications or calls wait until it reads
//     again (or their context ends), and progress and log messages are dropped;
//     answers are still queued, so that reading (of cancels, of "exit") goes on;
//   - at hardLimit the connection is given up: the client has sent requests for
//     that much of answers without reading one.
const (
	softLimit = 8 << 20
	hardLimit = 256 << 20
)

// errFull means that the client does not read.
var errFull = errors.New("the client does not read the answers to its requests")

// errGone means that the connection has ended.
var errGone = errors.New("the connection is closed")

// outbox is the queue before the writing goroutine.
type outbox struct {
	mu     sync.Mutex
	frames [][]byte
	bytes  int
	closed bool          // nothing more is accepted
	more   chan struct{} // closed and replaced when frames or closed changed
	room   chan struct{} // closed and replaced when bytes shrank, or closed changed
}

func newOutbox() *outbox {
	return &outbox{more: make(chan struct{}), room: make(chan struct{})}
}

// put queues an answer, or whatever else must neither wait nor get lost.
func (o *outbox) put(frame []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return errGone
	case o.bytes+len(frame) > hardLimit:
		return errFull
	}
	o.add(frame)
	return nil
}

// offer queues a frame that may be dropped.
func (o *outbox) offer(frame []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed && o.bytes <= softLimit {
		o.add(frame)
	}
}

// wait queues a frame when there is room.
func (o *outbox) wait(ctx context.Context, frame []byte) error {
	for {
		o.mu.Lock()
		if o.closed {
			o.mu.Unlock()
			return errGone
		}
		if o.bytes <= softLimit {
			o.add(frame)
			o.mu.Unlock()
			return nil
		}
		room := o.room
		o.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (o *outbox) add(frame []byte) {
	o.frames = append(o.frames, frame)
	o.bytes += len(frame)
	wake(&o.more)
}

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	wake(&o.more)
	wake(&o.room)
}

func wake(c *chan struct{}) {
	close(*c)
	*c = make(chan struct{})
}

// write copies the queue to w until the outbox is closed and empty, or w fails.
func (o *outbox) write(w io.Writer) error {
	for {
		o.mu.Lock()
		batch, closed, more := o.frames, o.closed, o.more
		o.frames = nil
		o.mu.Unlock()
		if len(batch) == 0 {
			if closed {
				return nil
			}
			<-more
			continue
		}
		for _, f := range batch {
			if _, err := w.Write(f); err != nil {
				o.close()
				return err
			}
			o.mu.Lock()
			o.bytes -= len(f)
			wake(&o.room)
			o.mu.Unlock()
		}
	}
}
