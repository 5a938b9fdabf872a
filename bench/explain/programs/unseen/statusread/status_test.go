package statusread

import (
	"sync"
	"testing"
)

func TestStatus(t *testing.T) {
	r := New()
	r.Update("east", "ready")
	var wg sync.WaitGroup
	wg.Go(func() { r.Update("west", "down") })
	wg.Go(func() { r.Compare("0/0 ready") })
	wg.Wait()
	if got := r.Render(); got != "1/2 ready" {
		t.Error(got)
	}
}
