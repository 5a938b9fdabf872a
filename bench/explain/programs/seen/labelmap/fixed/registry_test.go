package labelmap

import (
	"sync"
	"testing"
)

func TestScrape(t *testing.T) {
	r := New()
	r.Inc("ok")
	r.Inc("ok")
	var wg sync.WaitGroup
	wg.Go(func() {
		r.Inc("error")
		r.Inc("ok")
	})
	var p page
	wg.Go(func() { p = scrape(r) })
	wg.Wait()
	if p.total-p.ok > 1 {
		t.Errorf("%d of %d are not ok", p.total-p.ok, p.total)
	}
}
