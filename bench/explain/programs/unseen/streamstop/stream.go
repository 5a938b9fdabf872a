// Package streamstop has streams that either side can stop.
package streamstop

import "errors"

var (
	errPeer  = errors.New("peer stopped")
	errLocal = errors.New("stopped")
)

// Stream is a sequence of frames.
type Stream struct {
	frames chan int
	done   chan struct{}
	causes chan error
}

// Open returns a stream.
func Open() *Stream {
	return &Stream{
		frames: make(chan int, 2),
		done:   make(chan struct{}),
		causes: make(chan error, 2),
	}
}

func (s *Stream) stop(cause error) {
	select {
	case <-s.done:
		return
	default:
	}
	s.causes <- cause
	close(s.done)
}

// Send sends a frame, false if the stream was stopped.
func (s *Stream) Send(n int) bool {
	select {
	case s.frames <- n:
		return true
	case <-s.done:
		return false
	}
}

// Cancel stops the stream from this side.
func (s *Stream) Cancel() { s.stop(errLocal) }

// read takes frames until one says that the peer stops.
func (s *Stream) read() (sum int) {
	for {
		select {
		case n := <-s.frames:
			if n < 0 {
				s.stop(errPeer)
				return sum
			}
			sum += n
		case <-s.done:
			return sum
		}
	}
}
