package standby

import (
	"sync"
	"testing"
)

func TestFailover(t *testing.T) {
	c := &cluster{}
	var wg sync.WaitGroup
	wg.Go(c.serve)
	wg.Go(c.link)
	wg.Go(c.watch)
	wg.Wait()
	if c.elected.Load() > 1 {
		t.Fatalf("two leaders, the last is %d", c.leader.Load())
	}
}
