package logtail

import (
	"sync"
	"testing"
)

func TestStopWhileLinesCome(t *testing.T) {
	tail := NewTail("ERROR", 4)
	var wg sync.WaitGroup
	accepted := 0
	wg.Go(func() {
		for _, l := range []string{"ERROR disk", "INFO ok", "ERROR net"} {
			if tail.Offer(l) {
				accepted++
			}
		}
	})
	wg.Go(tail.Stop)

	seen := 0
	for l := range tail.Lines() {
		if l != "ERROR disk" && l != "ERROR net" {
			t.Errorf("line %q", l)
		}
		seen++
	}
	wg.Wait()
	if seen != accepted {
		t.Errorf("%d lines accepted, %d seen", accepted, seen)
	}
	if n := tail.Skipped(); n != 0 {
		t.Errorf("%d lines skipped", n)
	}

	// A watcher that does not read loses what is beyond the backlog.
	slow := NewTail("", 1)
	if !slow.Offer("a") || slow.Offer("b") || slow.Skipped() != 1 {
		t.Errorf("the backlog is wrong: %d skipped", slow.Skipped())
	}
}
