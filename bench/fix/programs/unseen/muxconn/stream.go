// Package muxconn carries streams of messages over one connection.
package muxconn

import (
	"errors"
	"sync"
)

// ErrClosed is returned by a stream that was closed before.
var ErrClosed = errors.New("stream is closed")

// Stream is one stream of a connection.
type Stream struct {
	id   int
	gone chan struct{} // closed with the stream

	mu     sync.Mutex
	inbox  [][]byte
	closed bool
	reason error
}

// Conn has the streams.
type Conn struct {
	mu      sync.Mutex
	streams map[int]*Stream
}

// Open adds a stream.
func (c *Conn) Open(id int) *Stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams == nil {
		c.streams = map[int]*Stream{}
	}
	s := &Stream{id: id, gone: make(chan struct{})}
	c.streams[id] = s
	return s
}

// Fail closes all streams since the connection broke.
func (c *Conn) Fail(err error) {
	c.mu.Lock()
	open := c.streams
	c.streams = nil
	c.mu.Unlock()
	for _, s := range open {
		s.shut(err)
	}
}

// deliver puts a message into the inbox.
func (s *Stream) deliver(msg []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.inbox = append(s.inbox, msg)
	return nil
}

func (s *Stream) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// shut closes the stream for a reason.
func (s *Stream) shut(reason error) error {
	if s.isClosed() {
		return ErrClosed
	}
	close(s.gone)
	s.mu.Lock()
	s.closed, s.reason = true, reason
	s.mu.Unlock()
	return nil
}

// Close closes the stream; ErrClosed if it was closed before.
func (s *Stream) Close() error { return s.shut(nil) }

// Gone is closed when the stream is.
func (s *Stream) Gone() <-chan struct{} { return s.gone }

// Drain returns what was delivered, and why the stream was closed.
func (s *Stream) Drain() ([][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.inbox
	s.inbox = nil
	return all, s.reason
}
