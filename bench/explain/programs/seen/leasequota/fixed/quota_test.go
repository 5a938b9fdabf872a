package leasequota

import (
	"sync"
	"testing"
)

func TestQuota(t *testing.T) {
	q := New(2)
	if err := q.Acquire("boot"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, owner := range []string{"api", "cron"} {
		wg.Go(func() { q.Acquire(owner) })
	}
	wg.Wait()
	if n := q.Left(); n < 0 {
		t.Errorf("quota is %d", n)
	}
}
