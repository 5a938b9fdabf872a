package readygate

import (
	"sync"
	"testing"
)

func TestGate(t *testing.T) {
	g := New()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(g.Await)
	}
	wg.Go(g.Open)
	wg.Wait()
	if g.let != 2 {
		t.Errorf("let %d through, want 2", g.let)
	}
}
