package eventhub

import (
	"sync"
	"testing"
)

func drain(ch <-chan message) (n int) {
	for range ch {
		n++
	}
	return n
}

func TestHub(t *testing.T) {
	h := &Hub{}
	news, sport := h.Subscribe("news"), h.Subscribe("sport")
	h.Publish(message{"news", "opening"})
	var wg sync.WaitGroup
	wg.Go(func() { h.Publish(message{"sport", "2:1"}) })
	wg.Go(func() { h.Close() })
	wg.Wait()
	if n := drain(news); n != 1 {
		t.Errorf("%d news", n)
	}
	if n := drain(sport); n > 1 {
		t.Errorf("%d of sport", n)
	}
}
