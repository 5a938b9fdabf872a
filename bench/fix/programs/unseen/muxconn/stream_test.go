package muxconn

import (
	"errors"
	"sync"
	"testing"
)

func TestCloseWhileTheConnectionBreaks(t *testing.T) {
	broke := errors.New("reset by peer")
	c := &Conn{}
	s := c.Open(3)
	if err := s.deliver([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var closed error
	wg.Go(func() { c.Fail(broke) })
	wg.Go(func() { closed = s.Close() })
	wg.Wait()
	<-s.Gone()

	all, reason := s.Drain()
	if len(all) != 1 || string(all[0]) != "hello" {
		t.Errorf("%d messages", len(all))
	}
	// Whoever came first says why.
	if closed == nil && reason != nil || closed != nil && !errors.Is(reason, broke) {
		t.Errorf("Close returned %v, the reason is %v", closed, reason)
	}
	if err := s.deliver(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("delivered to a closed stream: %v", err)
	}
}
