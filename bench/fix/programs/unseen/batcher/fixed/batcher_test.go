package batcher

import (
	"maps"
	"sync"
	"testing"
)

func TestTotals(t *testing.T) {
	b := New(2)
	var got map[string]int
	var wg sync.WaitGroup
	wg.Go(func() { got = Totals(b.Batches()) })
	for _, e := range []Event{{"login", 1}, {"login", 2}, {"view", 5}, {"buy", 1}, {"idle", 0}} {
		b.Add(e)
	}
	sent := b.Close()
	wg.Wait()
	if want := map[string]int{"login": 3, "view": 5, "buy": 1}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if sent != 2 {
		t.Errorf("%d batches, want 2", sent)
	}
}
