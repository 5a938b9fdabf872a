package visits

import (
	"io"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

func TestEachVisitCounts(t *testing.T) {
	c := New()
	srv := httptest.NewServer(c)
	defer srv.Close()
	query, each := "", 1
	if rand.Intn(4) == 0 {
		query, each = "?twice", 2
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 6 {
				resp, err := http.Get(srv.URL + "/home" + query)
				if err != nil {
					t.Error(err)
					return
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
	wg.Wait()
	if c.Of("/home") != 18*each {
		t.Errorf("a visit is not counted")
	}
}
