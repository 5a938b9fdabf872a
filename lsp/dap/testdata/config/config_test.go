package config

import (
	"sync"
	"sync/atomic"
	"testing"
)

type config struct {
	ready atomic.Bool
	name  atomic.Value
}

// load says that all is there before it is.
func (c *config) load() {
	c.ready.Store(true)
	c.name.Store("prod")
}

func TestLoad(t *testing.T) {
	c := &config{}
	var done sync.WaitGroup
	done.Go(c.load)
	if c.ready.Load() {
		name, _ := c.name.Load().(string)
		if name != "prod" {
			t.Errorf("ready without a name: %q", name)
		}
	}
	done.Wait()
}
