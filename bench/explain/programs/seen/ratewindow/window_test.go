package ratewindow

import (
	"sync"
	"testing"
)

func TestWindow(t *testing.T) {
	w := &Window{}
	w.Observe(false)
	w.Observe(false)
	w.Observe(true)
	var wg sync.WaitGroup
	wg.Go(func() {
		w.Roll()
		w.Observe(true)
	})
	var rate int64
	wg.Go(func() { rate = w.Rate() })
	wg.Wait()
	if rate > 100 {
		t.Errorf("%d%% of requests failed", rate)
	}
}
