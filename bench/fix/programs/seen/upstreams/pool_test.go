package upstreams

import (
	"errors"
	"sync"
	"testing"
)

func TestRouteWhileAnnounced(t *testing.T) {
	p := &Pool{}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := p.Announce("blue", "http://10.0.0.7:80"); err != nil {
			t.Error(err)
		}
	})
	wg.Go(func() {
		to, err := p.Route("v1/items")
		if err != nil && !errors.Is(err, ErrNone) || err == nil && to != "http://10.0.0.7:80/v1/items" {
			t.Errorf("routed to %q, %v", to, err)
		}
	})
	wg.Wait()
	if err := p.Announce("blue", "http://10.0.0.8:80"); err != nil {
		t.Error(err)
	}
	if to, err := p.Route("x"); err != nil || to != "http://10.0.0.8:80/x" {
		t.Errorf("after the move: %q, %v", to, err)
	}
	if n := p.Served()["blue"]; n != 1 && n != 2 {
		t.Errorf("blue served %d", n)
	}
}
