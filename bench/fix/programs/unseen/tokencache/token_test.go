package tokencache

import (
	"errors"
	"sync"
	"testing"
)

func TestOneRenewalForAll(t *testing.T) {
	c := NewCache(SourceFunc(func() (Token, error) { return Token{"s3cret", 3}, nil }))
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if secret, err := c.Get(); secret != "s3cret" || err != nil {
				t.Errorf("got %q, %v", secret, err)
			}
		})
	}
	wg.Wait()
	if n := c.Renewals(); n != 1 {
		t.Errorf("%d renewals, want 1", n)
	}
	if _, err := c.Get(); err != nil || c.Renewals() != 2 {
		t.Errorf("the next call: %v, %d renewals", err, c.Renewals())
	}

	down := errors.New("down")
	c = NewCache(SourceFunc(func() (Token, error) { return Token{}, down }))
	if _, err := c.Get(); !errors.Is(err, down) {
		t.Errorf("the source is down: %v", err)
	}
}
