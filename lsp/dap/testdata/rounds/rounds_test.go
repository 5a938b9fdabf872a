package rounds

import (
	"sync"
	"testing"
)

type counter struct{ n int }

func (c *counter) add(round int) {
	seen := c.n
	c.n = seen + 1
}

func (c *counter) sub(round int) {
	seen := c.n
	c.n = seen - 1
}

func TestRounds(t *testing.T) {
	c := &counter{}
	for round := range 5 {
		var done sync.WaitGroup
		done.Add(2)
		go func() {
			defer done.Done()
			c.add(round)
		}()
		go func() {
			defer done.Done()
			c.sub(round)
		}()
		done.Wait()
	}
	if c.n != 0 {
		t.Errorf("%d is left", c.n)
	}
}
