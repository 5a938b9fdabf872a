package connpool

import (
	"sync"
	"testing"
)

func use(p *Pool) error {
	c, err := p.Get()
	if err != nil {
		return err
	}
	return p.Put(c)
}

func TestPool(t *testing.T) {
	p := &Pool{}
	var wg sync.WaitGroup
	wg.Go(func() { use(p) })
	wg.Go(p.Close)
	wg.Wait()
	if n := p.Made(); n > 1 {
		t.Errorf("%d connections made", n)
	}
}
