package pool

import (
	"bytes"
	"sync"
	"testing"
	"time"
)

// TestReapWhileInUse cleans up while clients get ready to send requests.
func TestReapWhileInUse(t *testing.T) {
	var p Pool
	p.Put(p.Get()) // one connection is idle

	var clients sync.WaitGroup
	for id := range 3 {
		clients.Go(func() {
			request := bytes.Repeat([]byte{byte(id)}, 100_000)
			c := p.Get()
			defer p.Put(c)
			if _, err := c.Query(request); err != nil {
				t.Errorf("client %d: %v", id, err)
			}
		})
	}
	p.Reap(time.Now().Add(time.Minute))
	clients.Wait()
}
