package lazyclient

import (
	"sync"
	"testing"
)

func TestLazy(t *testing.T) {
	c := &Client{addr: "db:5432"}
	var wg sync.WaitGroup
	for _, p := range []string{"ping", "hello"} {
		wg.Go(func() { c.Send(p) })
	}
	wg.Wait()
	if got := c.Describe(); got != "tcp://db:5432: 2" {
		t.Error(got)
	}
}
