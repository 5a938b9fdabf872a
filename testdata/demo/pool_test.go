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
	for id := range 2 {
		clients.Add(1)
		go client(t, &p, byte(id), &clients)
	}
	p.Reap(time.Now().Add(time.Minute))
	clients.Wait()
}

func client(t *testing.T, p *Pool, id byte, done *sync.WaitGroup) {
	defer done.Done()
	for range 2 {
		request := bytes.Repeat([]byte{id}, 100_000)
		c := p.Get()
		if _, err := c.Query(request); err != nil {
			t.Error(err)
		}
		p.Put(c)
	}
}
