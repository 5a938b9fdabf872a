package geocache

import (
	"sync"
	"testing"
)

func TestEachAddressIsPaidOnce(t *testing.T) {
	places := map[string]Place{"Main St 1": {52.5, 13.4}, "Dock 9": {53.5, 10}}
	c := New(8, func(addr string) Place { return places[addr] })
	var wg sync.WaitGroup
	for _, addr := range []string{"Main St 1", "Dock 9", "Main St 1"} {
		wg.Go(func() {
			if got := c.Where(addr); got != places[addr] {
				t.Errorf("%s is at %v", addr, got)
			}
		})
	}
	wg.Wait()
	if n := c.Spent(); n != 2 {
		t.Errorf("asked %d times for 2 addresses", n)
	}
	if n := c.Len(); n != 2 {
		t.Errorf("%d entries, want 2", n)
	}

	small := New(1, func(addr string) Place { return places[addr] })
	small.Where("Dock 9")
	small.Where("Main St 1")
	small.Where("Dock 9")
	if small.Len() != 1 || small.Spent() != 3 {
		t.Errorf("%d entries, asked %d times", small.Len(), small.Spent())
	}
}
