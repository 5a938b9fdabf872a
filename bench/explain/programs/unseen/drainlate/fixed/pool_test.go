package drainlate

import (
	"testing"
	"time"
)

func TestDrain(t *testing.T) {
	p := &Pool{}
	started := make(chan struct{})
	p.Submit(func() int {
		close(started)
		return 1
	})
	<-started
	p.Submit(func() int { return 2 })
	time.Sleep(time.Millisecond) // other work
	if got := p.Drain(); len(got) != 2 {
		t.Errorf("%d results, want 2", len(got))
	}
}
